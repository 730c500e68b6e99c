// RUN: windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=5" --dist-train="ranks=2 zero=2" --assign-stages="layers=1,1" --extract-stage="stage=1 stages=2" --lower-to-flow --split-backward | FileCheck %s
// RUN: windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=5" --dist-train="ranks=2 zero=2" --assign-stages="layers=1,1" --extract-stage="stage=0 stages=2" --lower-to-flow --split-backward | FileCheck %s --check-prefix=FIRST
// RUN: windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=5" --dist-train="ranks=2 zero=2" --assign-stages="layers=1,1" --extract-stage="stage=1 stages=2" --lower-to-flow --split-backward --delay-backward="lag=0 weights-lag=1" | FileCheck %s --check-prefix=DELAYED

// What the stage before waits for comes first, in its order: here nothing is parted from it.
// CHECK-LABEL: flow.section @first
// CHECK:         flow.launch @cross_entropy_grad{{.*}} {origin = #flow.origin<"", "cross_entropy_grad", backward>}
// CHECK-NOT:     windlass.weights
// CHECK:         flow.launch @layer_norm_grad{{.*}} {origin = #flow.origin<"h.1", "layer_norm_grad", backward>}
// CHECK-NOT:     windlass.weights
// CHECK:         flow.send "h.1.gradient", {{.*}} {origin = #flow.origin<"", "send h.1.gradient", backward>}

// Products, sums over rows and over ranks that no message needs stand behind it.
// CHECK:         flow.launch @matmul{{.*}} {origin = #flow.origin<"h.1", "matmul", backward>, windlass.weights}
// CHECK:         flow.launch @reduce{{.*}} {origin = #flow.origin<"h.1", "reduce", backward>, windlass.weights}
// CHECK:         flow.reduce_scatter {{.*}} {origin = #flow.origin<"h.1", "reduce no_decay.0", backward>, windlass.weights}

// The update is no gradient, and stays behind them.
// CHECK-LABEL: flow.section @last
// CHECK:         flow.reduce_scatter {{.*}}windlass.weights}
// CHECK:         flow.update {{.*}}, update>

// Nobody waits for what the first stage makes of the gradient that it receives.
// FIRST-LABEL: flow.section @first
// FIRST:         flow.recv "h.1.gradient" {{.*}} {origin = #flow.origin<"", "recv h.1.gradient", backward>}
// FIRST-NOT:     backward>}
// FIRST:         flow.launch {{.*}} {origin = #flow.origin<"h.0", "matmul", backward>, windlass.weights}
// FIRST-LABEL: flow.section @middle

// Run later, they read what waited in slots: an input of a product that the forward pass left, and the
// gradient of its output.
// DELAYED:       flow.home @h.1.layer_norm.slots bytes(384) class(activation) tier(device) {slots = 2 : i64}
// DELAYED:       flow.schedule train [@warm, @first, @middle, @last] times [1, 1, 3, 1]
// DELAYED-LABEL: flow.section @warm
// DELAYED:         flow.send "h.1.gradient", {{.*}}backward>}
// DELAYED-NOT:     micro_batch -1
// DELAYED-LABEL: flow.section @first
// DELAYED:         flow.send "h.1.gradient", {{.*}}backward>}
// DELAYED:         flow.reduce_scatter {{.*}}backward, micro_batch -1>}
// DELAYED-LABEL: flow.section @last
// DELAYED-NOT:     forward>
// DELAYED:         flow.update {{.*}}update, micro_batch -1>
