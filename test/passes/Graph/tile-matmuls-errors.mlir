// RUN: not windlass-opt %s --tile-matmuls=limit=8 2>&1 | FileCheck %s
// CHECK: parameter "w" cannot be tiled to 8 bytes: the smallest tile has 16
// RUN: not windlass-opt %s --tile-matmuls=limit=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: the limits of a tile are numbers of bytes, not -1 and 0

graph.state @w : tensor<4x6xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("w") group("decay")
graph.step @evaluate {
  %x = graph.feed "x" : tensor<2x4xf32>
  %w = graph.read @w : tensor<4x6xf32>
  %z = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x6xf32> -> tensor<2x6xf32>
  graph.report "z", %z : tensor<2x6xf32>
}
