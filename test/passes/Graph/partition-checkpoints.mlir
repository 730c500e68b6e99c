// RUN: windlass-opt %S/Inputs/two-layers.mlir --parallelise=ranks=2 --split-rows=keep-whole --differentiate=micro-batches=1 --split-row-sums --recompute=mode=full --partition-checkpoints --verify-splits | FileCheck %s

// The layer that repeats itself is given its rank's rows of its input, and gathers all of them.
// CHECK-LABEL: func.func private @block.recompute_bwd
// CHECK-SAME: (%arg0: tensor<6x8xf32> {windlass.argument = 0 : i64}
// CHECK: %[[ALL:.*]] = graph.all_gather %arg0 over "tp"(2) {windlass.phase = #graph<phase recompute>} : tensor<6x8xf32> -> tensor<12x8xf32>
// CHECK: graph.layer_norm %[[ALL]]

// The layer that comes first has all rows; only a rank's own wait.
// CHECK-LABEL: graph.step @train
// CHECK: %[[INPUT:.*]] = graph.reshape %{{.*}} : tensor<2x6x8xf32> -> tensor<12x8xf32>
// CHECK: %[[OWN:.*]] = graph.own_part %[[INPUT]] over "tp"(2) : tensor<12x8xf32> -> tensor<6x8xf32>
// CHECK: call @block(%[[INPUT]],
// CHECK: call @block.recompute_bwd(%[[OWN]],
