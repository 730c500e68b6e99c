// RUN: windlass-opt %s --lower-to-flow="phases=true" | FileCheck %s
// RUN: windlass-opt %s --lower-to-flow | FileCheck %s --check-prefix=ONE

// A device makes long sums in two phases: 65 blocks of a row, 17 of rows, for two results or for two channels. Each launch brings memory for
// them, as scratch that lives as long as it, and the kernel says how much.
// CHECK-DAG:   func.func private @long{{.*}} attributes {dist.kernel, windlass.partials = array<i64: 520>}
// CHECK-DAG:   func.func private @columns{{.*}} attributes {dist.kernel, windlass.partials = array<i64: 544, 544>}
// CHECK-DAG:   func.func private @channels{{.*}} attributes {dist.kernel, windlass.partials = array<i64: 136>}
// A row of 64 blocks, and 16 blocks of rows, are one launch's.
// CHECK-DAG:   func.func private @short{{.*}} attributes {dist.kernel} {
// CHECK-DAG:   func.func private @few{{.*}} attributes {dist.kernel} {
// CHECK-LABEL: flow.section @evaluate
// CHECK:         %[[SUMS:.*]] = flow.alloc "partial sums" class(workspace) : <520, device>
// CHECK-NEXT:    flow.launch @long[0, 1) (%{{.*}}) -> (%{{.*}}) scratch(%[[SUMS]] : !flow.buffer<520, device>)
// CHECK:         flow.release %[[SUMS]]
// CHECK:         flow.launch @short[0, 1) (%{{.*}}) -> (%{{.*}}) {origin
// CHECK:         flow.launch @columns[0, 8) (%{{.*}}) -> (%{{.*}}) scratch(%{{.*}}, %{{.*}} : !flow.buffer<544, device>, !flow.buffer<544, device>)
// CHECK:         flow.launch @few[0, 8) (%{{.*}}) -> (%{{.*}}) {origin
// CHECK:         flow.launch @channels[0, 2) (%{{.*}}) -> (%{{.*}}) scratch(%{{.*}} : !flow.buffer<136, device>)
// ONE-NOT:     windlass.partials
// ONE-NOT:     scratch(
#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#image = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
dist.mesh @mesh dp(1)
func.func private @long(%x: tensor<262145xbf16>) -> tensor<f64> attributes {dist.kernel} {
  %y = graph.reduce sum over [0] ins(%x : tensor<262145xbf16>) maps [#id] -> tensor<f64> {
  ^bb0(%v: bf16):
    %w = arith.extf %v : bf16 to f64
    graph.yield %w : f64
  }
  return %y : tensor<f64>
}
func.func private @short(%x: tensor<262144xf32>) -> tensor<f32> attributes {dist.kernel} {
  %y = graph.reduce sum over [0] ins(%x : tensor<262144xf32>) maps [#id] -> tensor<f32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %y : tensor<f32>
}
func.func private @columns(%x: tensor<1025x8xbf16>) -> (tensor<8xbf16>, tensor<8xbf16>) attributes {dist.kernel} {
  %y:2 = graph.reduce sum over [0] ins(%x : tensor<1025x8xbf16>) maps [#all] -> tensor<8xbf16>, tensor<8xbf16> {
  ^bb0(%v: bf16):
    graph.yield %v, %v : bf16, bf16
  }
  return %y#0, %y#1 : tensor<8xbf16>, tensor<8xbf16>
}
func.func private @few(%x: tensor<1024x8xf32>) -> tensor<8xf32> attributes {dist.kernel} {
  %y = graph.reduce sum over [0] ins(%x : tensor<1024x8xf32>) maps [#all] -> tensor<8xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %y : tensor<8xf32>
}
func.func private @channels(%x: tensor<17x2x64x5xf32>) -> tensor<2xf32> attributes {dist.kernel} {
  %y = graph.reduce sum over [0, 2, 3] ins(%x : tensor<17x2x64x5xf32>) maps [#image] -> tensor<2xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %y : tensor<2xf32>
}
graph.step @evaluate {
  %a = graph.feed "a" : tensor<262145xbf16>
  %b = graph.feed "b" : tensor<262144xf32>
  %c = graph.feed "c" : tensor<1025x8xbf16>
  %d = graph.feed "d" : tensor<1024x8xf32>
  %e = dist.launch @long(%a) : (tensor<262145xbf16>) -> tensor<f64>
  %f = dist.launch @short(%b) : (tensor<262144xf32>) -> tensor<f32>
  %g:2 = dist.launch @columns(%c) : (tensor<1025x8xbf16>) -> (tensor<8xbf16>, tensor<8xbf16>)
  %h = dist.launch @few(%d) : (tensor<1024x8xf32>) -> tensor<8xf32>
  %i = graph.feed "i" : tensor<17x2x64x5xf32>
  %j = dist.launch @channels(%i) : (tensor<17x2x64x5xf32>) -> tensor<2xf32>
}
