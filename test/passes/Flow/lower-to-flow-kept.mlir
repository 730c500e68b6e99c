// RUN: windlass-opt %s --lower-to-flow="scratch-bytes=4096 kept=h.1.decay.0" | FileCheck %s

// A bucket that is kept is gathered once in a section and whole until its last use; others are dropped and gathered
// again.
// CHECK-LABEL: flow.section @only
// CHECK:         flow.all_gather {{.*}}<"h.0", "gather decay.0", forward>
// CHECK:         flow.launch @scale[0, 128) ({{.*}}) -> ({{.*}}) {origin = #flow.origin<"h.0", "map", forward>}
// CHECK:         flow.all_gather %{{.*}} -> %[[KEPT:.*]] piece_bytes [256] {origin = #flow.origin<"h.1", "gather decay.0", forward>}
// CHECK:         flow.launch @scale[0, 128) (%{{.*}}, %[[KEPT]])
// CHECK-NOT:     flow.release %[[KEPT]]
// CHECK:         flow.launch @scale[0, 128) (%{{.*}}, %[[KEPT]])
// CHECK-NEXT:    flow.release
// CHECK-NEXT:    flow.release %[[KEPT]]
// CHECK:         flow.all_gather {{.*}}<"h.0", "gather decay.0", backward>
// CHECK-NOT:     flow.all_gather
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
func.func private @forward(%x: tensor<128xf32>, %s: tensor<64xf32>) -> tensor<128xf32> {
  %w = dist.all_gather %s pieces [64] of "decay.0" : tensor<64xf32> -> tensor<128xf32>
  %y = dist.launch @scale(%x, %w) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  return %y : tensor<128xf32>
}
func.func private @backward(%x: tensor<128xf32>, %s: tensor<64xf32>) -> tensor<128xf32> {
  %w = dist.all_gather %s pieces [64] of "decay.0" {windlass.phase = #graph<phase backward>} : tensor<64xf32> -> tensor<128xf32>
  %y = dist.launch @scale(%x, %w) {windlass.phase = #graph<phase backward>} : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  return %y : tensor<128xf32>
}
graph.step @train {
  %g = graph.micro_batches count(1) {
    %x = graph.feed "x" : tensor<128xf32>
    %v = dist.read @h.0.decay.0 parameter : tensor<64xf32>
    %w = dist.read @h.1.decay.0 parameter : tensor<64xf32>
    %a = func.call @forward(%x, %v) {layer = "h.0"} : (tensor<128xf32>, tensor<64xf32>) -> tensor<128xf32>
    %b = func.call @forward(%a, %w) {layer = "h.1"} : (tensor<128xf32>, tensor<64xf32>) -> tensor<128xf32>
    %c = func.call @backward(%b, %w) {layer = "h.1"} : (tensor<128xf32>, tensor<64xf32>) -> tensor<128xf32>
    %d = func.call @backward(%c, %v) {layer = "h.0"} : (tensor<128xf32>, tensor<64xf32>) -> tensor<128xf32>
    %r = dist.reduce_scatter %d pieces [64] of "h.0.decay.0" : tensor<128xf32> -> tensor<64xf32>
    graph.yield %r : tensor<64xf32>
  } {gradient_of = [@h.0.decay.0]} : tensor<64xf32>
}
