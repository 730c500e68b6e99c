// RUN: windlass-opt %s --lower-to-flow="scratch-bytes=4096" | FileCheck %s

// Two groups of two ranks that hold copies of the parameters alone. The sum over a group rests nowhere: its pieces, unit
// by unit, are summed over the groups into the home, which has their parts. The update takes this rank's parts of the
// parameters by its place over dp_replicate, and the gather of its results fills their pieces in the home.
// CHECK:       flow.home @decay.0.parameter bytes(4096)
// CHECK:       flow.home @decay.0.gradient.0 bytes(4096)
// CHECK-LABEL: flow.section @only
// CHECK-DAG:     %[[G:.*]] = flow.use @decay.0.gradient.0
// CHECK-DAG:     %[[P:.*]] = flow.use @decay.0.parameter
// CHECK:         %[[SUM:.*]] = flow.alloc "reduce decay.0" class(partial) : <4096, device>
// CHECK-NEXT:    flow.reduce_scatter %{{.*}}, %{{.*}} -> %[[SUM]] piece_bytes [512, 1024] of f32 over ["dp_shard"]
// CHECK:         %[[W:.*]] = flow.view %{{.*}}[0] : <{{.*}}, device> -> <512, device>
// CHECK:         %[[V:.*]] = flow.view %{{.*}}[512] : <{{.*}}, device> -> <1024, device>
// CHECK:         flow.reduce_scatter %[[W]], %[[V]] -> %[[G]] piece_bytes [256, 512] of f32 over ["dp_replicate"]
// CHECK:         %[[NEW:.*]] = flow.alloc "update.updated decay.0" class(staging) : <4096, device>
// CHECK:         flow.update @sgd(%{{.*}}, %{{.*}}, %[[G]], %[[NEW]]) {{.*}}over = ["dp_replicate"]{{.*}}pieces = array<i64: 64, 128>, whole = array<i1: true, false, false>
// CHECK:         %[[NW:.*]] = flow.view %[[P]][0] : <4096, unplaced> -> <512, unplaced>
// CHECK-NEXT:    %[[NV:.*]] = flow.view %[[P]][512] : <4096, unplaced> -> <1024, unplaced>
// CHECK-NEXT:    flow.all_gather %[[NEW]] -> %[[NW]], %[[NV]] piece_bytes [256, 512] over ["dp_replicate"]
#id = affine_map<(d0) -> (d0)>
dist.mesh @mesh dp_replicate(2), dp_shard(2)
dist.bucket @decay.0 zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 256 in pieces of 128, [<"w", [256] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>, #dist.unit<"v", 512 in pieces of 256, [<"v", [512] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>] over ["dp_shard"] then ["dp_replicate"]
func.func private @scale(%x: tensor<256xf32>) -> tensor<256xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x : tensor<256xf32>) maps [#id] -> tensor<256xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %y : tensor<256xf32>
}
func.func private @shift(%x: tensor<512xf32>) -> tensor<512xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x : tensor<512xf32>) maps [#id] -> tensor<512xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %y : tensor<512xf32>
}
func.func private @sgd(%x: tensor<192xf32>, %g: tensor<192xf32>) -> tensor<192xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x, %g : tensor<192xf32>, tensor<192xf32>) maps [#id, #id] -> tensor<192xf32> {
  ^bb0(%v: f32, %d: f32):
    %s = arith.subf %v, %d : f32
    graph.yield %s : f32
  }
  return %y : tensor<192xf32>
}
graph.step @train {
  %g = graph.micro_batches count(1) {
    %s = dist.read @decay.0 parameter : tensor<384xf32>
    %w:2 = dist.all_gather %s pieces [128, 256] of "decay.0" over ["dp_shard"] : tensor<384xf32> -> tensor<256xf32>, tensor<512xf32>
    %d = dist.launch @scale(%w#0) : (tensor<256xf32>) -> tensor<256xf32>
    %e = dist.launch @shift(%w#1) : (tensor<512xf32>) -> tensor<512xf32>
    %r = dist.reduce_scatter %d, %e pieces [128, 256] of "decay.0" over ["dp_shard"] : tensor<256xf32>, tensor<512xf32> -> tensor<384xf32>
    %p:2 = dist.unpack %r at [0, 128] : tensor<384xf32> -> tensor<128xf32>, tensor<256xf32>
    %m = dist.reduce_scatter %p#0, %p#1 pieces [64, 128] of "decay.0" over ["dp_replicate"] : tensor<128xf32>, tensor<256xf32> -> tensor<192xf32>
    graph.yield %m : tensor<192xf32>
  } {gradient_of = [@decay.0]} : tensor<192xf32>
  %p = dist.read @decay.0 parameter : tensor<384xf32>
  %o:2 = dist.unpack %p at [0, 128] : tensor<384xf32> -> tensor<128xf32>, tensor<256xf32>
  %mine = dist.own_shard %o#0, %o#1 pieces [64, 128] over ["dp_replicate"] : tensor<128xf32>, tensor<256xf32> -> tensor<192xf32>
  %n = dist.launch @sgd(%mine, %g) {windlass.update_of = @decay.0} : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xf32>
  %q:2 = dist.all_gather %n pieces [64, 128] of "decay.0" over ["dp_replicate"] : tensor<192xf32> -> tensor<128xf32>, tensor<256xf32>
  %k = dist.pack %q#0, %q#1 at [0, 128] : tensor<128xf32>, tensor<256xf32> -> tensor<384xf32>
  dist.write %k to @decay.0 parameter : tensor<384xf32>
}
