// RUN: windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=4" --dist-train="ranks=2 zero=2" --assign-stages="layers=1,1" --extract-stage="stage=0 stages=2" --verify-dist | FileCheck %s --check-prefix=FIRST
// RUN: windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=4" --dist-train="ranks=2 zero=2" --assign-stages="layers=1,1" --extract-stage="stage=1 stages=2" --verify-dist | FileCheck %s --check-prefix=LAST
// RUN: not windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train --dist-train --extract-stage="stage=2 stages=2" 2>&1 | FileCheck %s --check-prefix=WRONG

// WRONG: error: extract-stage: there are 2 stages, found 2

// A bucket of another stage is gone, but for one that this stage has gradients of.
// FIRST-NOT:   @h.1.decay.0
// LAST:        dist.bucket @decay.0 {{.*}} classes [] units
// LAST-NOT:    dist.bucket @h.0

// The first stage sends the table, which the head reads, once, and what its layer makes; a gradient comes back.
// FIRST-LABEL: graph.step @train
// FIRST:         %[[TABLE:.*]] = dist.read @decay.0 parameter : tensor<11x8xf32>
// FIRST-NEXT:    dist.send %[[TABLE]] as "decay.0" stage 0 -> 1 : tensor<11x8xf32>
// FIRST-NEXT:    graph.micro_batches count(4)
// FIRST:         %[[X:.*]]:10 = {{.*}}call @block.fwd(
// FIRST-NEXT:    dist.send %[[X]]#0 as "h.0" stage 0 -> 1 : tensor<12x8xf32>
// FIRST-NEXT:    %[[DX:.*]] = dist.recv "h.1.gradient" stage 1 -> 0 {windlass.phase = #graph<phase backward>} : tensor<12x8xf32>
// FIRST-NEXT:    call @block.bwd({{.*}}, %[[DX]], {{.*}} {layer = "h.0"
// FIRST:       gradient_of = [@decay.0, @decay.1, @h.0.no_decay.0, @h.0.decay.0]
// FIRST:         %[[HEAD:.*]] = dist.recv "micro_batches" stage 1 -> 0 : tensor<64xf32>
// FIRST-NEXT:    dist.launch @{{.*}}(%{{.*}}, %[[HEAD]]) {windlass.update_of = @decay.0}
// FIRST:         dist.send %{{.*}} as "norm_slots" stage 0 -> 1
// FIRST-NOT:     graph.report

// LAST-LABEL:  graph.step @train
// LAST:          %[[TABLE:.*]] = dist.recv "decay.0" stage 0 -> 1 : tensor<11x8xf32>
// LAST-NEXT:     graph.micro_batches count(4)
// LAST-NOT:      graph.feed "tokens"
// LAST:          %[[X:.*]] = dist.recv "h.0" stage 0 -> 1 : tensor<12x8xf32>
// LAST-NEXT:     call @block.fwd(%[[X]], {{.*}} {layer = "h.1"}
// LAST:          graph.report "loss"
// LAST:          %[[DX:.*]]:3 = {{.*}}call @block.bwd(
// LAST-NEXT:     dist.send %[[DX]]#0 as "h.1.gradient" stage 1 -> 0 {windlass.phase = #graph<phase backward>}
// LAST:        gradient_of = [@decay.0, @h.1.no_decay.0, @h.1.decay.0, @no_decay.0]
// LAST:          dist.send %{{.*}} as "micro_batches" stage 1 -> 0 : tensor<64xf32>
// LAST:          %[[SLOTS:.*]] = dist.recv "norm_slots" stage 0 -> 1 : tensor<32xf64>
// LAST:          dist.pack %[[SLOTS]], %{{.*}} at [0, 32]
// LAST:          graph.report "grad_norm"
// LAST-NOT:      dist.write %{{.*}} to @decay.0
