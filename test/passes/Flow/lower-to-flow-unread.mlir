// RUN: windlass-opt %s --lower-to-flow="scratch-bytes=4096" | FileCheck %s

// Of two exchanged values the layer reads one: only that one is gathered, in the sections of all ranks.
// CHECK-LABEL: flow.section @evaluate
// CHECK:         flow.all_gather %{{.*}} -> %[[READ:.*]] piece_bytes [128] over ["tp"] {{.*}}"h.0"
// CHECK-NOT:     flow.all_gather
// CHECK:         flow.launch @sum[0, 1) (%[[READ]])
dist.mesh @mesh dp(1), tp(2) tensor
func.func private @sum(%x: tensor<2x32xf32>) -> tensor<f32> attributes {dist.kernel} {
  %y = graph.reduce sum over [0, 1] ins(%x : tensor<2x32xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<f32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %y : tensor<f32>
}
func.func private @layer(%x: tensor<1x32xf32>) -> (tensor<2x32xf32>, tensor<2x32xf32>) {
  %read = dist.all_gather %x pieces [32] of "exchange" over ["tp"] : tensor<1x32xf32> -> tensor<2x32xf32>
  %unread = dist.all_gather %x pieces [32] of "exchange" over ["tp"] : tensor<1x32xf32> -> tensor<2x32xf32>
  return %read, %unread : tensor<2x32xf32>, tensor<2x32xf32>
}
graph.step @evaluate {
  %x = graph.feed "x" : tensor<1x32xf32>
  %y:2 = func.call @layer(%x) {layer = "h.0"} : (tensor<1x32xf32>) -> (tensor<2x32xf32>, tensor<2x32xf32>)
  %loss = dist.launch @sum(%y#0) : (tensor<2x32xf32>) -> tensor<f32>
  graph.report "loss", %loss : tensor<f32>
}
