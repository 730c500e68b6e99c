// RUN: windlass-opt %s --lower-to-flow="scratch-bytes=4096" | FileCheck %s
// RUN: windlass-opt %s --lower-to-flow="staging-bytes=1048576" | FileCheck %s --check-prefix=STAGED
// RUN: windlass-opt %s --lower-to-flow="staging-bytes=2048" | FileCheck %s --check-prefix=LESS

// Two groups of two ranks. What a group added up is summed over the groups where it rests: a reduce-scatter over
// dp_replicate reads the home, and the gather of its parts writes it. Views go by places inside a group, so a unit has
// two pieces, not four.
// CHECK-NOT:   flow.home @staging
// CHECK:       flow.home @decay.0.parameter bytes(4096)
// CHECK-LABEL: flow.section @first
// CHECK:         %[[G:.*]] = flow.use @decay.0.gradient.0
// CHECK:         %[[ALL:.*]] = flow.alloc "gather decay.0" class(gathered) : <1024, device>
// CHECK-NEXT:    flow.all_gather %{{.*}} -> %[[ALL]] piece_bytes [512] over ["dp_shard"]
// CHECK:         flow.reduce_scatter %{{.*}} -> %[[G]] piece_bytes [512] of f32 over ["dp_shard"]
// CHECK-NOT:     dp_replicate
// CHECK-LABEL: flow.section @last
// CHECK:         %[[G:.*]] = flow.use @decay.0.gradient.0
// CHECK:         flow.launch {{.*}} {origin = #flow.origin<"", "accumulate decay.0", forward>}
// CHECK:         %[[MINE:.*]] = flow.view %[[G]][0] : <4096, unplaced> -> <512, unplaced>
// CHECK:         %[[PART:.*]] = flow.alloc "update.reduce decay.0" class(partial) : <4096, device>
// CHECK-NEXT:    flow.reduce_scatter %[[MINE]] -> %[[PART]] piece_bytes [256] of f32 over ["dp_replicate"]
// CHECK:         %[[SUM:.*]] = flow.view %[[G]][0] : <4096, unplaced> -> <512, unplaced>
// CHECK-NEXT:    flow.all_gather %[[PART]] -> %[[SUM]] piece_bytes [256] over ["dp_replicate"]
// CHECK:         flow.update @sgd(%{{.*}}, %[[G]], %{{.*}})
// For a device that stages sums each lane has a home, of the one other rank's piece and no more than the device asks for.
// STAGED:      flow.home @staging.gg bytes(4096) class(workspace) tier(device)
// STAGED-NEXT: flow.home @staging.nodes bytes(4096) class(workspace) tier(device)
// LESS:        flow.home @staging.gg bytes(2048)
#id = affine_map<(d0) -> (d0)>
dist.mesh @mesh dp_replicate(2), dp_shard(2)
dist.bucket @decay.0 zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 256 in pieces of 128, [<"w", [256] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>] over ["dp_shard"]
func.func private @scale(%x: tensor<256xf32>) -> tensor<256xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x : tensor<256xf32>) maps [#id] -> tensor<256xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %y : tensor<256xf32>
}
func.func private @sgd(%x: tensor<128xf32>, %g: tensor<128xf32>) -> tensor<128xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x, %g : tensor<128xf32>, tensor<128xf32>) maps [#id, #id] -> tensor<128xf32> {
  ^bb0(%v: f32, %d: f32):
    %s = arith.subf %v, %d : f32
    graph.yield %s : f32
  }
  return %y : tensor<128xf32>
}
graph.step @train {
  %g = graph.micro_batches count(2) {
    %s = dist.read @decay.0 parameter : tensor<128xf32>
    %w = dist.all_gather %s pieces [128] of "decay.0" over ["dp_shard"] : tensor<128xf32> -> tensor<256xf32>
    %d = dist.launch @scale(%w) : (tensor<256xf32>) -> tensor<256xf32>
    %r = dist.reduce_scatter %d pieces [128] of "decay.0" over ["dp_shard"] : tensor<256xf32> -> tensor<128xf32>
    graph.yield %r : tensor<128xf32>
  } {gradient_of = [@decay.0]} : tensor<128xf32>
  %part = dist.reduce_scatter %g pieces [64] of "decay.0" over ["dp_replicate"] : tensor<128xf32> -> tensor<64xf32>
  %sum = dist.all_gather %part pieces [64] of "decay.0" over ["dp_replicate"] : tensor<64xf32> -> tensor<128xf32>
  %p = dist.read @decay.0 parameter : tensor<128xf32>
  %n = dist.launch @sgd(%p, %sum) {windlass.update_of = @decay.0} : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  dist.write %n to @decay.0 parameter : tensor<128xf32>
}
