// RUN: windlass-opt %s --differentiate --verify-diagnostics | FileCheck %s

// Below the lowest trained parameter nothing is differentiated: h.0 has no backward call, and that of h.1 computes no
// gradient of its input, which h.2 must: it calls a copy.
#row = affine_map<(d0, d1) -> (d0, d1)>
graph.state @a : tensor<3x3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("a") group("frozen") {layer = "h.0"}
graph.state @b : tensor<3x3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("b") group("decay") {layer = "h.1"}
graph.state @c : tensor<3x3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("c") group("decay") {layer = "h.2"}

func.func private @layer(%x: tensor<2x3xf32>, %w: tensor<3x3xf32>) -> tensor<2x3xf32> {
  %y = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @layer.bwd(
// CHECK-SAME:      -> (tensor<3x3xf32> {windlass.argument_gradient = 1 : i64})
// CHECK-LABEL: func.func private @layer.way1.bwd(
// CHECK-SAME:      -> (tensor<2x3xf32> {windlass.argument_gradient = 0 : i64}, tensor<3x3xf32> {windlass.argument_gradient = 1 : i64})

graph.step @evaluate {
  %x = graph.feed "x" : tensor<2x3xf32>
  %a = graph.read @a : tensor<3x3xf32>
  %b = graph.read @b : tensor<3x3xf32>
  %c = graph.read @c : tensor<3x3xf32>
  %y = func.call @layer(%x, %a) {layer = "h.0"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %z = func.call @layer(%y, %b) {layer = "h.1"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %t = func.call @layer(%z, %c) {layer = "h.2"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %loss = graph.reduce sum over [0, 1] ins(%t : tensor<2x3xf32>) maps [#row] -> tensor<f32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  graph.report "loss", %loss : tensor<f32>
}

// CHECK-LABEL: graph.step @train
// CHECK:         call @layer(%{{.*}}) {layer = "h.0"}
// CHECK:         call @layer.fwd(%{{.*}}) {layer = "h.1"}
// CHECK:         call @layer.way1.fwd(%{{.*}}) {layer = "h.2"}
// CHECK:         call @layer.way1.bwd({{.*}}) {layer = "h.2", windlass.phase = #graph<phase backward>}
// CHECK:         call @layer.bwd({{.*}}) {layer = "h.1", windlass.phase = #graph<phase backward>}
// CHECK-NOT:     layer = "h.0"
// CHECK:       } {gradient_of = [@b, @c]}
