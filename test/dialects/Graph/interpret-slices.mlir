// RUN: windlass-opt %s --interpret="step=evaluate" | FileCheck %s
// RUN: windlass-opt %s | windlass-opt | FileCheck %s --check-prefix=TEXT

// A slice starts with the values of its part of the tensor, of however many dimensions: "part" is rows 1 and 2 of
// columns 2 to 4 of "w".
// TEXT: graph.state @part : tensor<2x3xf32> {{.*}} original("w") group("decay") slice(<[4, 5] from [1, 2]>)
graph.state @w : tensor<4x5xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("w") group("decay")
graph.state @part : tensor<2x3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("w") group("decay") slice(<[4, 5] from [1, 2]>)

// CHECK: evaluate difference rank 0: [2x3] 0 0 0 0 0 0{{$}}
// CHECK: evaluate elsewhere rank 0: [2x3] {{.*[1-9].*}}
graph.step @evaluate {
  %w = graph.read @w : tensor<4x5xf32>
  %part = graph.read @part : tensor<2x3xf32>
  %difference = graph.map ins(%w, %part : tensor<4x5xf32>, tensor<2x3xf32>)
      maps [affine_map<(d0, d1) -> (d0 + 1, d1 + 2)>, affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2x3xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    graph.yield %d : f32
  }
  graph.report "difference", %difference : tensor<2x3xf32>
  %elsewhere = graph.map ins(%w, %part : tensor<4x5xf32>, tensor<2x3xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1 + 2)>, affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2x3xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    graph.yield %d : f32
  }
  graph.report "elsewhere", %elsewhere : tensor<2x3xf32>
}
