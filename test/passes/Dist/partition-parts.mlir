// RUN: windlass-opt %s --partition="ranks=4 replicas=2 finer zero=3" | FileCheck %s
// RUN: windlass-opt %s --partition="ranks=4 replicas=2 finer zero=2" | FileCheck --check-prefix=WHOLE %s

// Two groups of two ranks that hold copies of the parameters alone. Gradients are summed over a group and then, unit by
// unit, over the groups, in every micro-batch; the update has parts of pieces, and new parameters are gathered from them.

// CHECK: dist.mesh @mesh dp_replicate(2), dp_shard(2)
// CHECK: dist.bucket @decay.0 zero(3) {{.*}} [#dist.unit<"w", 16384 in pieces of 8192, {{.*}} over ["dp_shard"] then ["dp_replicate"]

// CHECK-LABEL: graph.step @train
// CHECK:         graph.micro_batches
// CHECK:           dist.all_gather %{{.*}} pieces [8192, 8192] of "decay.0" over ["dp_shard"]
// CHECK:           %[[SHARD:.*]] = dist.reduce_scatter %{{.*}} pieces [8192, 8192] of "decay.0" over ["dp_shard"] {{.*}} -> tensor<16384xf32>
// CHECK-NEXT:      %[[PIECES:.*]]:2 = dist.unpack %[[SHARD]] at [0, 8192] : tensor<16384xf32> -> tensor<8192xf32>, tensor<8192xf32>
// CHECK-NEXT:      %[[PARTS:.*]] = dist.reduce_scatter %[[PIECES]]#0, %[[PIECES]]#1 pieces [4096, 4096] of "decay.0" over ["dp_replicate"] {{.*}} -> tensor<8192xf32>
// CHECK-NEXT:      graph.yield %[[PARTS]]
// CHECK:         %[[HELD:.*]] = dist.read @decay.0 parameter : tensor<16384xf32>
// CHECK-NEXT:    %[[OLD:.*]]:2 = dist.unpack %[[HELD]] at [0, 8192]
// CHECK-NEXT:    %[[MINE:.*]] = dist.own_shard %[[OLD]]#0, %[[OLD]]#1 pieces [4096, 4096] over ["dp_replicate"] {{.*}} -> tensor<8192xf32>
// CHECK-NEXT:    %[[NEW:.*]] = graph.map ins(%[[MINE]], %{{.*}} : tensor<8192xf32>, tensor<8192xf32>)
// CHECK:         %[[ALL:.*]]:2 = dist.all_gather %[[NEW]] pieces [4096, 4096] of "decay.0" over ["dp_replicate"] : tensor<8192xf32> -> tensor<8192xf32>, tensor<8192xf32>
// CHECK-NEXT:    %[[PACKED:.*]] = dist.pack %[[ALL]]#0, %[[ALL]]#1 at [0, 8192] : tensor<8192xf32>, tensor<8192xf32> -> tensor<16384xf32>
// CHECK-NEXT:    dist.write %[[PACKED]] to @decay.0 parameter : tensor<16384xf32>

// Of whole parameters a rank's part is at its place over both axes; they come back by two gathers, the finer first.
// WHOLE:         dist.own_shard %{{.*}} pieces [4096, 4096] over ["dp_shard", "dp_replicate"] : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<8192xf32>
// WHOLE:         dist.all_gather %{{.*}} pieces [4096, 4096] of "decay.0" over ["dp_replicate"]
// WHOLE-NEXT:    %[[SHARD:.*]] = dist.pack
// WHOLE-NEXT:    dist.all_gather %[[SHARD]] pieces [8192, 8192] of "decay.0" over ["dp_shard"] : tensor<16384xf32> -> tensor<128x128xf32>, tensor<128x128xf32>
#id = affine_map<(d0, d1) -> (d0, d1)>
graph.state @w : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("w") group("decay")
graph.state @v : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("v") group("decay")

graph.step @train {
  %g:2 = graph.micro_batches count(2) {
    %x = graph.feed "x" : tensor<128x128xf32>
    %w = graph.read @w : tensor<128x128xf32>
    %v = graph.read @v : tensor<128x128xf32>
    %y = graph.matmul %x, %w : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
    %z = graph.matmul %y, %v : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
    %dv = graph.matmul %y transposed, %z : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
    %dw = graph.matmul %x transposed, %y : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
    graph.yield %dw, %dv : tensor<128x128xf32>, tensor<128x128xf32>
  } {gradient_of = [@w, @v]} : tensor<128x128xf32>, tensor<128x128xf32>
  %w = graph.read @w : tensor<128x128xf32>
  %nw = graph.map ins(%w, %g#0 : tensor<128x128xf32>, tensor<128x128xf32>) maps [#id, #id] -> tensor<128x128xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    graph.yield %s : f32
  }
  graph.write %nw, @w : tensor<128x128xf32>
  %v = graph.read @v : tensor<128x128xf32>
  %nv = graph.map ins(%v, %g#1 : tensor<128x128xf32>, tensor<128x128xf32>) maps [#id, #id] -> tensor<128x128xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    graph.yield %s : f32
  }
  graph.write %nv, @v : tensor<128x128xf32>
}
