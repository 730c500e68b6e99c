// RUN: windlass-opt %s --differentiate=micro-batches=2 --split-input-file --verify-diagnostics | FileCheck %s

// The example of the pass: a layer is split once, called twice, and its weight is passed again.
#row = affine_map<(d0, d1) -> (d0, d1)>
#flat = affine_map<(d0) -> (d0)>
graph.state @a : tensor<3x3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("a") group("decay") {layer = "h.0"}
graph.state @b : tensor<3x3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("b") group("decay") {layer = "h.1"}
// expected-warning@+1 {{parameter "idle" does not reach the loss and is not trained}}
graph.state @idle : tensor<3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("idle") group("decay")

func.func private @layer(%x: tensor<2x3xf32>, %w: tensor<3x3xf32>) -> tensor<2x3xf32> {
  %p = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
  %y = graph.map ins(%p : tensor<2x3xf32>) maps [#row] -> tensor<2x3xf32> {
  ^bb0(%v: f32):
    %e = math.exp %v : f32
    graph.yield %e : f32
  }
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @layer.fwd(
// CHECK-SAME:      -> (tensor<2x3xf32>, tensor<2x3xf32> {windlass.residual})
// CHECK-SAME:      attributes {graph.form = #graph.layer_form<forward of "layer">}
// CHECK:         return %[[Y:.*]], %[[P:.*]] : tensor<2x3xf32>, tensor<2x3xf32>

// CHECK-LABEL: func.func private @layer.bwd(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<2x3xf32> {windlass.argument = 0 : i64}, %[[W:[a-z0-9]+]]: tensor<3x3xf32> {windlass.argument = 1 : i64},
// CHECK-SAME:      %{{.*}}: tensor<2x3xf32> {windlass.result = 1 : i64}, %{{.*}}: tensor<2x3xf32> {windlass.result_gradient = 0 : i64})
// CHECK-SAME:      -> (tensor<2x3xf32> {windlass.argument_gradient = 0 : i64}, tensor<3x3xf32> {windlass.argument_gradient = 1 : i64})
// CHECK-SAME:      attributes {graph.form = #graph.layer_form<backward of "layer">}
// CHECK-DAG:     graph.matmul %{{.*}}, %[[W]] transposed {windlass.phase = #graph<phase backward>}
// CHECK-DAG:     graph.matmul %[[X]] transposed, %{{.*}} {windlass.phase = #graph<phase backward>}

graph.step @evaluate {
  %x = graph.feed "x" : tensor<2x3xf32>
  %a = graph.read @a : tensor<3x3xf32>
  %b = graph.read @b : tensor<3x3xf32>
  %unused = graph.read @idle : tensor<3xf32>
  %y = func.call @layer(%x, %a) {layer = "h.0"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %z = func.call @layer(%y, %b) {layer = "h.1"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %t = graph.matmul %z, %a : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
  %loss = graph.reduce sum over [0, 1] ins(%t : tensor<2x3xf32>) maps [#row] -> tensor<f32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  graph.report "loss", %loss : tensor<f32>
}

// CHECK-LABEL: graph.step @evaluate
// CHECK:         call @layer(
// CHECK-LABEL: graph.step @train
// CHECK:         %[[SEED:.*]] = graph.feed "loss_seed" : tensor<f32>
// CHECK:         %[[SUMS:.*]]:3 = graph.micro_batches count(2)
// CHECK:           %[[A:.*]] = graph.read @a
// CHECK:           %[[Y0:.*]]:2 = func.call @layer.fwd({{.*}}, %[[A]]) {layer = "h.0"}
// CHECK:           %[[Y1:.*]]:2 = func.call @layer.fwd(%[[Y0]]#0, %[[B:.*]]) {layer = "h.1"}
// CHECK:           graph.report "loss"
// CHECK:           %[[TIED:.*]] = graph.matmul %[[Y1]]#0 transposed, %{{.*}} {windlass.phase = #graph<phase backward>}
// CHECK:           %[[G1:.*]]:2 = func.call @layer.bwd(%[[Y0]]#0, %[[B]], %[[Y1]]#1, %{{.*}}) {layer = "h.1", windlass.phase = #graph<phase backward>}
// CHECK:           %[[G0:.*]]:2 = func.call @layer.bwd(%{{.*}}, %[[A]], %[[Y0]]#1, %[[G1]]#0) {layer = "h.0", windlass.phase = #graph<phase backward>}
// CHECK:           graph.yield %[[G0]]#1, %[[TIED]], %[[G1]]#1
// CHECK:         } {gradient_of = [@a, @a, @b]}
// CHECK:         %[[SUM:.*]] = graph.map ins(%[[SUMS]]#0, %[[SUMS]]#1
// CHECK:         graph.report "gradient/a", %[[SUM]] gradient of @a
// CHECK:         graph.report "gradient/b", %[[SUMS]]#2
// CHECK-NOT:     idle

// -----

// A reshape is repeated behind its residual, an unneeded gradient is not built, integers get none. What ranks share out
// of the reshape's operand they share out of its gradient.
graph.state @table : tensor<5x4xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("table") group("decay")

func.func private @lookup(%table: tensor<5x4xf32>, %i: tensor<6xi32>, %scale: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %e = graph.embedding %table, %i : tensor<5x4xf32>, tensor<6xi32> -> tensor<6x4xf32>
  %r = graph.reshape %e {graph.split_dimensions = array<i64: 0, 1>} : tensor<6x4xf32> -> tensor<2x3x4xf32>
  %y = graph.map ins(%r, %scale : tensor<2x3x4xf32>, tensor<2x3x4xf32>)
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> tensor<2x3x4xf32> {
  ^bb0(%v: f32, %s: f32):
    %vv = arith.mulf %v, %v : f32
    %m = arith.mulf %vv, %s : f32
    graph.yield %m : f32
  }
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func private @lookup.fwd(
// CHECK-SAME:      -> (tensor<2x3x4xf32>, tensor<6x4xf32> {windlass.residual})
// CHECK-LABEL: func.func private @lookup.bwd(
// CHECK-SAME:      %{{.*}}: tensor<6xi32> {windlass.argument = 1 : i64}
// CHECK-SAME:      %[[E:[a-z0-9]+]]: tensor<6x4xf32> {windlass.result = 1 : i64}
// CHECK-SAME:      -> (tensor<5x4xf32> {windlass.argument_gradient = 0 : i64})
// CHECK:         graph.reshape %[[E]] {graph.split_dimensions = array<i64: 0, 1>, windlass.phase = #graph<phase backward>}
// CHECK:         graph.reshape {{.*}} {graph.split_dimensions = array<i64: 1, 0>, windlass.phase = #graph<phase backward>} : tensor<2x3x4xf32> -> tensor<6x4xf32>

graph.step @evaluate {
  %i = graph.feed "tokens" {bound = 5 : i64} : tensor<6xi32>
  %s = graph.feed "scale" : tensor<2x3x4xf32>
  %w = graph.read @table : tensor<5x4xf32>
  %y = func.call @lookup(%w, %i, %s) {layer = "h.0"} : (tensor<5x4xf32>, tensor<6xi32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %loss = graph.reduce sum over [0, 1, 2] ins(%y : tensor<2x3x4xf32>) maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> tensor<f32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  graph.report "loss", %loss : tensor<f32>
}

// -----

// Where training has a forward pass of its own, that one is differentiated; there is one @train.
// CHECK-LABEL: graph.step @evaluate
// CHECK-LABEL: graph.step @train {
// CHECK:         graph.micro_batches
// CHECK:           graph.feed "row_block"
// CHECK:         "gradient/a"
// CHECK-NOT:   graph.step
graph.state @a : tensor<3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("a") group("decay")
graph.step @evaluate {
  %a = graph.read @a : tensor<3xf32>
  %loss = graph.reduce sum over [0] ins(%a : tensor<3xf32>) maps [affine_map<(d0) -> (d0)>] -> tensor<f32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  graph.report "loss", %loss : tensor<f32>
}
graph.step @train {
  %block = graph.feed "row_block" : tensor<i32>
  %a = graph.read @a : tensor<3xf32>
  %loss = graph.reduce sum over [0] ins(%a, %block : tensor<3xf32>, tensor<i32>) maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>] -> tensor<f32> {
  ^bb0(%v: f32, %b: i32):
    %f = arith.sitofp %b : i32 to f32
    %p = arith.mulf %v, %f : f32
    graph.yield %p : f32
  }
  graph.report "loss", %loss : tensor<f32>
}

// -----

// No gradient flows through what is detached, in a layer and in the step; beside it one does. Nothing of the mark is left.
#id = affine_map<(d0) -> (d0)>
graph.state @a : tensor<3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("a") group("decay")
// expected-warning@+1 {{parameter "b" does not reach the loss and is not trained}}
graph.state @b : tensor<3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("b") group("decay")

// CHECK-LABEL: func.func private @gate.bwd(
// CHECK-SAME:      -> (tensor<3xf32> {windlass.argument_gradient = 0 : i64})
// CHECK:         %[[STILL:.*]] = graph.map
// CHECK:         %[[OF_GATE:.*]] = graph.map ins(%[[STILL]], %{{.*}} :
// CHECK:           arith.mulf
// CHECK:         return %[[OF_GATE]] : tensor<3xf32>
func.func private @gate(%x: tensor<3xf32>) -> tensor<3xf32> {
  %still = graph.map ins(%x : tensor<3xf32>) maps [#id] -> tensor<3xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  } {graph.detached}
  %y = graph.map ins(%x, %still : tensor<3xf32>, tensor<3xf32>) maps [#id, #id] -> tensor<3xf32> {
  ^bb0(%v: f32, %s: f32):
    %m = arith.mulf %v, %s : f32
    graph.yield %m : f32
  }
  return %y : tensor<3xf32>
}

// CHECK-LABEL: graph.step @train
// CHECK:         graph.micro_batches
// CHECK-NOT:     graph.detached
// CHECK:         } {gradient_of = [@a]}
// CHECK:         graph.report "gradient/a"
// CHECK-NOT:     gradient/b
graph.step @evaluate {
  %a = graph.read @a : tensor<3xf32>
  %b = graph.read @b : tensor<3xf32>
  %gated = func.call @gate(%a) {layer = "h.0"} : (tensor<3xf32>) -> tensor<3xf32>
  %still = graph.map ins(%b : tensor<3xf32>) maps [#id] -> tensor<3xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  } {graph.detached}
  %loss = graph.reduce sum over [0] ins(%gated, %still : tensor<3xf32>, tensor<3xf32>) maps [#id, #id] -> tensor<f32> {
  ^bb0(%v: f32, %s: f32):
    %m = arith.mulf %v, %s : f32
    graph.yield %m : f32
  }
  graph.report "loss", %loss : tensor<f32>
}

// -----

// The same without the mark: both are trained.
#id = affine_map<(d0) -> (d0)>
graph.state @a : tensor<3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("a") group("decay")
graph.state @b : tensor<3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("b") group("decay")
// CHECK-LABEL: graph.step @train
// CHECK:         } {gradient_of = [@a, @b]}
graph.step @evaluate {
  %a = graph.read @a : tensor<3xf32>
  %b = graph.read @b : tensor<3xf32>
  %still = graph.map ins(%b : tensor<3xf32>) maps [#id] -> tensor<3xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  %loss = graph.reduce sum over [0] ins(%a, %still : tensor<3xf32>, tensor<3xf32>) maps [#id, #id] -> tensor<f32> {
  ^bb0(%v: f32, %s: f32):
    %m = arith.mulf %v, %s : f32
    graph.yield %m : f32
  }
  graph.report "loss", %loss : tensor<f32>
}
