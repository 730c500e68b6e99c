// RUN: windlass-opt %s --lower-to-flow="scratch-bytes=4096 vertical=true" --split-input-file | FileCheck %s
// RUN: windlass-opt %s --lower-to-flow="scratch-bytes=4096" --split-input-file | FileCheck %s --check-prefix=HORIZONTAL

// All micro-batches of a step stand in one section. What each brings comes for each; a layer is gathered once, run
// by one micro-batch after the other, and only then comes the next layer.
// CHECK-NOT:   flow.section @first
// CHECK:       flow.schedule train [@only] times [1]
// CHECK-LABEL: flow.section @only attributes {advance = 3 : i64}
// CHECK:         flow.feed "x" -> {{.*}} {origin = #flow.origin<"", "feed x", forward>}
// CHECK:         flow.feed "x" -> {{.*}} {origin = #flow.origin<"", "feed x", forward, micro_batch 1>}
// CHECK:         flow.feed "x" -> {{.*}} {origin = #flow.origin<"", "feed x", forward, micro_batch 2>}
// CHECK:         flow.all_gather %{{.*}} -> %[[ONE:.*]] piece_bytes [256] {origin = #flow.origin<"h.0", "gather decay.0", forward>}
// CHECK:         flow.launch @scale[0, 128) ({{.*}}, %[[ONE]]) -> (%[[A:.*]]) {origin = #flow.origin<"h.0", "map", forward>}
// CHECK-NOT:     flow.all_gather
// CHECK:         flow.launch @scale[0, 128) ({{.*}}, %[[ONE]]) -> (%[[B:.*]]) {origin = #flow.origin<"h.0", "map", forward, micro_batch 1>}
// CHECK:         flow.launch @scale[0, 128) ({{.*}}, %[[ONE]]) -> (%[[C:.*]]) {origin = #flow.origin<"h.0", "map", forward, micro_batch 2>}
// CHECK-NEXT:    flow.release
// CHECK:         flow.all_gather %{{.*}} -> %[[TWO:.*]] piece_bytes [256] {origin = #flow.origin<"h.1", "gather decay.0", forward>}
// CHECK:         flow.launch @scale[0, 128) (%[[A]], %[[TWO]])
// CHECK:         flow.launch @scale[0, 128) (%[[B]], %[[TWO]])
// CHECK:         flow.launch @scale[0, 128) (%[[C]], %[[TWO]])
// Gradients are reduced as in any other order: the first is stored, the others are added one after the other.
// CHECK:         flow.reduce_scatter %{{.*}} -> %[[G:.*]] piece_bytes [256] of f32 {origin = #flow.origin<"", "reduce h.0.decay.0", forward>}
// CHECK:         flow.reduce_scatter %{{.*}} -> %[[PART:.*]] piece_bytes [256] of f32 {origin = #flow.origin<"", "reduce h.0.decay.0", forward, micro_batch 1>}
// CHECK:         flow.launch {{.*}} {origin = #flow.origin<"", "accumulate h.0.decay.0", forward, micro_batch 1>}
// CHECK:         flow.reduce_scatter {{.*}} {origin = #flow.origin<"", "reduce h.0.decay.0", forward, micro_batch 2>}
// CHECK:         flow.launch {{.*}} {origin = #flow.origin<"", "accumulate h.0.decay.0", forward, micro_batch 2>}
// The update follows once.
// CHECK:         flow.update
// CHECK-NOT:     flow.{{update|all_gather|section}}
// HORIZONTAL-NOT:   micro_batch
// HORIZONTAL-LABEL: flow.section @first
// HORIZONTAL-COUNT-2: flow.all_gather
// HORIZONTAL-LABEL: flow.section @middle
// HORIZONTAL-COUNT-2: flow.all_gather
// HORIZONTAL-LABEL: flow.section @last
// HORIZONTAL-COUNT-2: flow.all_gather
// HORIZONTAL-NOT:   micro_batch
#id = affine_map<(d0) -> (d0)>
dist.mesh @mesh dp(2)
dist.bucket @h.0.decay.0 zero(3) group("decay") layer("h.0") of f32 classes [#graph<role parameter>] units [#dist.unit<"v", 128 in pieces of 64, [<"v", [128] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
dist.bucket @h.1.decay.0 zero(3) group("decay") layer("h.1") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 128 in pieces of 64, [<"w", [128] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
func.func private @scale(%x: tensor<128xf32>, %w: tensor<128xf32>) -> tensor<128xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x, %w : tensor<128xf32>, tensor<128xf32>) maps [#id, #id] -> tensor<128xf32> {
  ^bb0(%v: f32, %u: f32):
    %s = arith.mulf %v, %u : f32
    graph.yield %s : f32
  }
  return %y : tensor<128xf32>
}
func.func private @sgd(%x: tensor<64xf32>, %g: tensor<64xf32>) -> tensor<64xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x, %g : tensor<64xf32>, tensor<64xf32>) maps [#id, #id] -> tensor<64xf32> {
  ^bb0(%v: f32, %d: f32):
    %s = arith.subf %v, %d : f32
    graph.yield %s : f32
  }
  return %y : tensor<64xf32>
}
func.func private @layer(%x: tensor<128xf32>, %s: tensor<64xf32>) -> tensor<128xf32> {
  %w = dist.all_gather %s pieces [64] of "decay.0" : tensor<64xf32> -> tensor<128xf32>
  %y = dist.launch @scale(%x, %w) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  return %y : tensor<128xf32>
}
graph.step @train {
  %g = graph.micro_batches count(3) {
    %x = graph.feed "x" : tensor<128xf32>
    %v = dist.read @h.0.decay.0 parameter : tensor<64xf32>
    %w = dist.read @h.1.decay.0 parameter : tensor<64xf32>
    %y = func.call @layer(%x, %v) {layer = "h.0"} : (tensor<128xf32>, tensor<64xf32>) -> tensor<128xf32>
    %z = func.call @layer(%y, %w) {layer = "h.1"} : (tensor<128xf32>, tensor<64xf32>) -> tensor<128xf32>
    %d = dist.launch @scale(%z, %x) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %r = dist.reduce_scatter %d pieces [64] of "h.0.decay.0" : tensor<128xf32> -> tensor<64xf32>
    graph.yield %r : tensor<64xf32>
  } {gradient_of = [@h.0.decay.0]} : tensor<64xf32>
  %p = dist.read @h.0.decay.0 parameter : tensor<64xf32>
  %n = dist.launch @sgd(%p, %g) {windlass.update_of = @h.0.decay.0} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  dist.write %n to @h.0.decay.0 parameter : tensor<64xf32>
}
