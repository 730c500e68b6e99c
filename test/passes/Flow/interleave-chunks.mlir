// RUN: windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=6" --dist-train="ranks=2 zero=2" --assign-stages="layers=1,1" --extract-stage="stage=0 stages=1 chunks=2" --lower-to-flow --interleave-chunks="stage=0 stages=1 chunks=2" | FileCheck %s
// RUN: not windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=1" --dist-train --assign-stages="layers=1,1" --extract-stage="stage=0 stages=1 chunks=2" --lower-to-flow --interleave-chunks="stage=0 stages=1 chunks=2" 2>&1 | FileCheck %s --check-prefix=FEW

// FEW: error: interleave-chunks: 1 stages take as many micro-batches at a time, each in a run of its own, found 1

// One stage that takes its two layers as chunks: the backward pass of the lower one comes a run later, behind the
// forward pass of the next micro-batch. What it reads waits in two slots; what the upper layer leaves to its
// own backward pass stays in its run.
// CHECK:       flow.home @h.0.matmul.slots bytes(1152) class(activation) tier(device) {slots = 2 : i64}
// CHECK-NOT:   flow.home @h.1.matmul.slots
// CHECK:       flow.schedule train [@round.0, @round.1, @round.2, @round.5, @drain] times [1, 1, 3, 1, 1]

// CHECK-LABEL: flow.section @round.0
// CHECK-NOT:     #flow.origin<"h.0", "{{.*}}", backward
// CHECK:         #flow.origin<"h.1", "{{.*}}", backward>

// CHECK-LABEL: flow.section @round.2
// CHECK:         #flow.origin<"h.0", "{{.*}}", forward>
// CHECK:         #flow.origin<"h.0", "{{.*}}", backward, micro_batch -1>
// CHECK:         #flow.origin<"h.1", "{{.*}}", forward>
// CHECK:         #flow.origin<"h.1", "{{.*}}", backward>

// The update follows the last pass, and is of its micro-batch.
// CHECK-LABEL: flow.section @drain
// CHECK-NOT:     forward>
// CHECK:         #flow.origin<"h.0", "{{.*}}", backward, micro_batch -1>
// CHECK:         flow.update {{.*}}update, micro_batch -1>
