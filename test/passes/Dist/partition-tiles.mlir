// RUN: windlass-opt %s --partition="ranks=2 zero=3 bucket-bytes=65536" | FileCheck %s

// Tiles of a matrix are buckets of their own, however small. The vector's, as small tensors, share a pack.
// CHECK-DAG: dist.bucket @h.0.decay.0 {{.*}}#dist.unit<"h.0.w.tile0"
// CHECK-DAG: dist.bucket @h.0.decay.1 {{.*}}#dist.unit<"h.0.w.tile1"
// CHECK-DAG: dist.bucket @h.0.no_decay.0 {{.*}}#dist.unit<"h.0.no_decay.pack"
graph.state @h.0.w.tile0 : tensor<16x16xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.w") group("decay") slice(<[16, 32] from [0, 0]>) {layer = "h.0"}
graph.state @h.0.w.tile1 : tensor<16x16xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.w") group("decay") slice(<[16, 32] from [0, 16]>) {layer = "h.0"}
graph.state @h.0.b.tile0 : tensor<16xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.b") group("no_decay") slice(<[32] from [0]>) {layer = "h.0"}
graph.state @h.0.b.tile1 : tensor<16xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.b") group("no_decay") slice(<[32] from [16]>) {layer = "h.0"}

// There and back again: a tile is gathered for the uses between those of other tiles of its tensor, a pack once.
// CHECK-LABEL: func.func private @there_and_back(
// CHECK-SAME:      %{{.*}}: tensor<4x16xf32>, %[[S0:[a-z0-9]+]]: tensor<128xf32>, %[[S1:[a-z0-9]+]]: tensor<128xf32>, %[[SB:[a-z0-9]+]]: tensor<{{.*}}>)
// CHECK:         %[[A0:.*]] = dist.all_gather %[[S0]]
// CHECK-NEXT:    graph.matmul %{{.*}}, %[[A0]] :
// CHECK-NEXT:    %[[B:.*]] = dist.all_gather %[[SB]]
// CHECK-NEXT:    dist.unpack %[[B]]
// CHECK-NEXT:    graph.map
// CHECK:         %[[A1:.*]] = dist.all_gather %[[S1]]
// CHECK-NEXT:    graph.matmul %{{.*}}, %[[A1]] :
// CHECK-NOT:     dist.all_gather
// CHECK:         graph.matmul %{{.*}}, %[[A1]] transposed
// CHECK-NEXT:    %[[C0:.*]] = dist.all_gather %[[S0]]
// CHECK-NEXT:    graph.matmul %{{.*}}, %[[C0]] transposed
// CHECK-NEXT:    graph.matmul %{{.*}}, %[[C0]] transposed
// CHECK-NEXT:    return
#id = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>
func.func private @there_and_back(%x: tensor<4x16xf32>, %w0: tensor<16x16xf32>, %w1: tensor<16x16xf32>, %b0: tensor<16xf32>, %b1: tensor<16xf32>) -> tensor<4x16xf32> {
  %p = graph.matmul %x, %w0 : tensor<4x16xf32>, tensor<16x16xf32> -> tensor<4x16xf32>
  %q = graph.map ins(%p, %b0, %b1 : tensor<4x16xf32>, tensor<16xf32>, tensor<16xf32>) maps [#id, #columns, #columns] -> tensor<4x16xf32> {
  ^bb0(%v: f32, %l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    %t = arith.mulf %v, %s : f32
    graph.yield %t : f32
  }
  %y = graph.matmul %q, %w1 : tensor<4x16xf32>, tensor<16x16xf32> -> tensor<4x16xf32>
  %dq = graph.matmul %y, %w1 transposed : tensor<4x16xf32>, tensor<16x16xf32> -> tensor<4x16xf32>
  %dp = graph.matmul %dq, %w0 transposed : tensor<4x16xf32>, tensor<16x16xf32> -> tensor<4x16xf32>
  %dx = graph.matmul %dp, %w0 transposed : tensor<4x16xf32>, tensor<16x16xf32> -> tensor<4x16xf32>
  return %dx : tensor<4x16xf32>
}

// CHECK-LABEL: graph.step @evaluate
graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x16xf32>
  %w0 = graph.read @h.0.w.tile0 : tensor<16x16xf32>
  %w1 = graph.read @h.0.w.tile1 : tensor<16x16xf32>
  %b0 = graph.read @h.0.b.tile0 : tensor<16xf32>
  %b1 = graph.read @h.0.b.tile1 : tensor<16xf32>
  %y = func.call @there_and_back(%x, %w0, %w1, %b0, %b1) {layer = "h.0"} : (tensor<4x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  graph.report "y", %y : tensor<4x16xf32>
}
