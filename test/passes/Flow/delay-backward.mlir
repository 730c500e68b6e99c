// RUN: windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=5" --dist-train="ranks=2 zero=2" --assign-stages="layers=1,1" --extract-stage="stage=0 stages=2" --lower-to-flow --delay-backward="lag=2 next-lag=1" | FileCheck %s --check-prefixes=CHECK,EARLY
// RUN: windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=5" --dist-train="ranks=2 zero=2" --assign-stages="layers=1,1" --extract-stage="stage=0 stages=2" --lower-to-flow --delay-backward="lag=2 next-lag=2" | FileCheck %s --check-prefixes=CHECK,LATE
// RUN: windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=5" --dist-train="ranks=2 zero=2" --assign-stages="layers=1,1" --extract-stage="stage=0 stages=2" --lower-to-flow --delay-backward="lag=2 next-lag=1 alignment=256" | FileCheck %s --check-prefix=ALIGNED
// RUN: not windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=3" --dist-train --lower-to-flow --delay-backward="lag=3" 2>&1 | FileCheck %s --check-prefix=FEW

// RUN: windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=5 recompute=full" --dist-train="ranks=2 zero=2" --assign-stages="layers=1,1" --extract-stage="stage=0 stages=2" --lower-to-flow --delay-backward="lag=2 next-lag=1" | FileCheck %s --check-prefix=CHECKPOINT

// RUN: windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=5" --dist-train="ranks=2 zero=2" --assign-stages="layers=1,1" --extract-stage="stage=0 stages=2" --lower-to-flow --delay-backward="lag=3 next-lag=1" | FileCheck %s --check-prefix=AHEAD

// A next stage that is two micro-batches nearer to its backward pass sends a gradient a run before it is read: it
// is received then, and waits, in one of two slots; in the third the next may come.
// AHEAD:       flow.home @h.1.gradient.slots bytes(384) class(activation) tier(device) {slots = 3 : i64}
// AHEAD:       flow.schedule train [@warm, @warm.1, @warm.2, @first, @middle, @drain, @last] times [1, 1, 1, 1, 1, 2, 1]
// AHEAD-LABEL: flow.section @warm.2
// AHEAD:         flow.recv "h.1.gradient" {{.*}}backward, micro_batch -2>}
// AHEAD:         flow.send "h.0", {{.*}}forward>}
// AHEAD-NOT:     micro_batch -3
// AHEAD-LABEL: flow.section @first
// AHEAD:         flow.recv "h.1.gradient" {{.*}}backward, micro_batch -2>}
// AHEAD:         flow.launch {{.*}}backward, micro_batch -3>}

// A checkpoint is placed like a state, so its slots are whole blocks of a disk; what else waits stays on the device.
// CHECKPOINT: flow.home @tokens.slots bytes(64) class(feed) tier(device) {slots = 3 : i64}
// CHECKPOINT: flow.home @map.slots bytes(4096) class(checkpoint) tier(unplaced) {slots = 3 : i64}

// The last stage, whose backward passes are of the same run, but for gradients of weights: what comes once stays in a
// home for the runs that follow.
// RUN: windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=5" --dist-train="ranks=2 zero=2" --assign-stages="layers=1,1" --extract-stage="stage=1 stages=2" --lower-to-flow --delay-backward="lag=0 weights-lag=1" | FileCheck %s --check-prefix=RECEIVED
// RECEIVED:       flow.home @decay.0.received bytes(352) class(gathered) tier(device)
// RECEIVED:       flow.schedule train [@warm, @first, @middle, @last] times [1, 1, 3, 1]
// RECEIVED-LABEL: flow.section @warm
// RECEIVED:         %[[TABLE:.*]] = flow.use @decay.0.received
// RECEIVED:         flow.recv "decay.0" -> %[[TABLE]]
// RECEIVED-LABEL: flow.section @first
// RECEIVED-NOT:     flow.recv "decay.0"
// RECEIVED:         flow.use @decay.0.received
// RECEIVED-NOT:     flow.recv "decay.0"

// FEW: error: delay-backward: a lag of 3 needs more micro-batches than that, each in a run of its own, found 3 in 3 sections

// What a forward pass leaves to its backward pass waits for two runs, so in three slots.
// CHECK:       flow.home @h.0.matmul.slots bytes(1152) class(activation) tier(device) {slots = 3 : i64}
// ALIGNED:     flow.home @h.0.matmul.slots bytes(1280) class(activation) tier(device) {slots = 3 : i64}
// CHECK:       flow.schedule train [@warm, @warm.1, @first, @middle, @drain, @last] times [1, 1, 1, 2, 1, 1]

// What goes once in a step goes in its first run.
// CHECK-LABEL: flow.section @warm {
// CHECK:         flow.send "decay.0"
// CHECK:         flow.send "h.0"

// CHECK-LABEL: flow.section @warm.1
// CHECK:         %[[KEPT:.*]] = flow.use @h.0.matmul.slots : <1152, device slots 3>
// CHECK-NOT:     flow.send "decay.0"
// CHECK:         flow.send "h.0", {{.*}} {origin = #flow.origin<"", "send h.0", forward>}
// CHECK-NOT:     backward

// Where the next stage is nearer to its backward pass, its gradient comes before this run's activations go.
// CHECK-LABEL: flow.section @first
// EARLY:         flow.recv "h.1.gradient" {{.*}} {origin = #flow.origin<"", "recv h.1.gradient", backward, micro_batch -2>}
// CHECK:         flow.send "h.0", {{.*}} {origin = #flow.origin<"", "send h.0", forward>}
// LATE:          flow.recv "h.1.gradient" {{.*}} {origin = #flow.origin<"", "recv h.1.gradient", backward, micro_batch -2>}
// CHECK:         flow.launch {{.*}}backward, micro_batch -2>

// CHECK-LABEL: flow.section @middle

// CHECK-LABEL: flow.section @drain
// CHECK-NOT:     forward>

// The update belongs to the last micro-batch, whose backward pass is this run's.
// CHECK-LABEL: flow.section @last
// CHECK-NOT:     forward>
// CHECK:         flow.update {{.*}}update, micro_batch -2>
