// RUN: not windlass-opt %s --tile-matmuls=limit=-7 2>&1 | FileCheck %s
// RUN: windlass-opt %s --tile-matmuls=limit=8 --verify-diagnostics
// CHECK: the limit of a tile is a number of bytes, not -7

// expected-error@+1 {{cannot be tiled to 8 bytes: one of its 6 outputs has 16}}
graph.state @w : tensor<4x6xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("w") group("decay")
graph.step @evaluate {
  %x = graph.feed "x" : tensor<2x4xf32>
  %w = graph.read @w : tensor<4x6xf32>
  %z = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x6xf32> -> tensor<2x6xf32>
  graph.report "z", %z : tensor<2x6xf32>
}
