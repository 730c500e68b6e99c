// RUN: windlass-opt %s --partition="ranks=2 persistence=256" | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: windlass-opt %s --partition="ranks=2 persistence=255" | FileCheck %s --check-prefixes=CHECK,SHARD
// RUN: windlass-opt %s --partition="ranks=2 zero=1 persistence=256" | FileCheck %s --check-prefix=ZERO1

// A bucket of packed tensors with at most `persistence` elements stays whole at ZeRO 3; a matrix is a shard all the
// same, and so is a pack that is larger. Below ZeRO 3 there is nothing to keep.

// WHOLE:  dist.bucket @h.0.no_decay.0 zero(2)
// SHARD:  dist.bucket @h.0.no_decay.0 zero(3)
// CHECK:  dist.bucket @h.0.decay.0 zero(3)
// ZERO1: dist.bucket @h.0.no_decay.0 zero(1)
graph.state @h.0.bias : tensor<128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.bias") group("no_decay") {layer = "h.0"}
graph.state @h.0.scale : tensor<128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.scale") group("no_decay") {layer = "h.0"}
graph.state @h.0.weight : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.weight") group("decay") {layer = "h.0"}

// The function takes the pack whole and the matrix as a shard.
// CHECK-LABEL: func.func private @forward(
// WHOLE-SAME:    %{{.*}}: tensor<4x128xf32>, %[[PACK:.*]]: tensor<256xf32>, %[[S:.*]]: tensor<8192xf32>)
// WHOLE-NOT:     dist.all_gather %[[PACK]]
// WHOLE:         dist.all_gather %[[S]]
// SHARD-SAME:    %{{.*}}: tensor<4x128xf32>, %[[PACK:.*]]: tensor<128xf32>, %[[S:.*]]: tensor<8192xf32>)
// SHARD-DAG:     dist.all_gather %[[PACK]]
// SHARD-DAG:     dist.all_gather %[[S]]
func.func private @forward(%x: tensor<4x128xf32>, %bias: tensor<128xf32>, %scale: tensor<128xf32>, %w: tensor<128x128xf32>) -> tensor<4x128xf32> {
  %h = graph.matmul %x, %w : tensor<4x128xf32>, tensor<128x128xf32> -> tensor<4x128xf32>
  %y = graph.map ins(%h, %scale, %bias : tensor<4x128xf32>, tensor<128xf32>, tensor<128xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>] -> tensor<4x128xf32> {
  ^bb0(%a: f32, %s: f32, %b: f32):
    %m = arith.mulf %a, %s : f32
    %r = arith.addf %m, %b : f32
    graph.yield %r : f32
  }
  return %y : tensor<4x128xf32>
}

graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x128xf32>
  %bias = graph.read @h.0.bias : tensor<128xf32>
  %scale = graph.read @h.0.scale : tensor<128xf32>
  %w = graph.read @h.0.weight : tensor<128x128xf32>
  %y = func.call @forward(%x, %bias, %scale, %w) {layer = "h.0"} : (tensor<4x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) -> tensor<4x128xf32>
  graph.report "y", %y : tensor<4x128xf32>
}
