// RUN: windlass-opt %s --differentiate="repeat-core" | FileCheck %s
// RUN: windlass-opt %s --differentiate | FileCheck %s --check-prefix=KEPT

// Attention that is no one op: its scores and probabilities are repeated in the backward pass, from the queries and
// keys, which are kept instead. A softmax that no batched product feeds is not attention's.
#row = affine_map<(d0, d1) -> (d0, d1)>
graph.state @w : tensor<2x3x3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("w") group("decay") {layer = "h.0"}

// KEPT-LABEL:  func.func private @layer.fwd(
// KEPT-SAME:     tensor<2x4x4xf32> {windlass.residual}
// CHECK-LABEL: func.func private @layer.fwd(
// CHECK-NOT:     tensor<2x4x4xf32> {windlass.residual}
// CHECK-LABEL: func.func private @layer.bwd(
// CHECK:         graph.matmul %{{.*}}, %{{.*}} transposed {windlass.phase = #graph<phase recompute>} {{.*}} -> tensor<2x4x4xf32>
// CHECK:         graph.softmax {{.*}}windlass.phase = #graph<phase recompute>
func.func private @layer(%x: tensor<2x4x3xf32>, %w: tensor<2x3x3xf32>) -> tensor<2x4x3xf32> {
  %q = graph.matmul %x, %w : tensor<2x4x3xf32>, tensor<2x3x3xf32> -> tensor<2x4x3xf32>
  %s = graph.matmul %q, %q transposed : tensor<2x4x3xf32>, tensor<2x4x3xf32> -> tensor<2x4x4xf32>
  %p, %lse = graph.softmax %s : tensor<2x4x4xf32> -> tensor<2x4x4xf32>, tensor<2x4xf32>
  %y = graph.matmul %p, %q : tensor<2x4x4xf32>, tensor<2x4x3xf32> -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}

graph.step @evaluate {
  %x = graph.feed "x" : tensor<2x4x3xf32>
  %w = graph.read @w : tensor<2x3x3xf32>
  %y = func.call @layer(%x, %w) {layer = "h.0"} : (tensor<2x4x3xf32>, tensor<2x3x3xf32>) -> tensor<2x4x3xf32>
  %loss = graph.reduce sum over [0, 1, 2] ins(%y : tensor<2x4x3xf32>) maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> tensor<f32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  graph.report "loss", %loss : tensor<f32>
}
