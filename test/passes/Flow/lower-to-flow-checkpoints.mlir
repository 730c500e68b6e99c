// RUN: windlass-opt %s --lower-to-flow="scratch-bytes=4096" | FileCheck %s

// What a layer's backward pass repeats its forward pass from is a checkpoint: the function says that it repeats, whatever
// its name. What an ordinary backward pass reads is an activation.
// CHECK-LABEL: flow.section @only
// CHECK:         flow.alloc "h.0.map" class(checkpoint)
// CHECK:         flow.alloc "h.1.map" class(activation)
#id = affine_map<(d0) -> (d0)>
dist.mesh @mesh dp(2)
dist.bucket @decay.0 zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"v", 128 in pieces of 64, [<"v", [128] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
func.func private @double(%x: tensor<128xf32>) -> tensor<128xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x : tensor<128xf32>) maps [#id] -> tensor<128xf32> {
  ^bb0(%v: f32):
    %s = arith.addf %v, %v : f32
    graph.yield %s : f32
  }
  return %y : tensor<128xf32>
}
func.func private @forward(%x: tensor<128xf32>) -> tensor<128xf32> {
  %y = dist.launch @double(%x) : (tensor<128xf32>) -> tensor<128xf32>
  return %y : tensor<128xf32>
}
func.func private @backward(%x: tensor<128xf32>) -> tensor<128xf32> attributes {graph.form = #graph.layer_form<backward of "layer">} {
  %y = dist.launch @double(%x) {windlass.phase = #graph<phase backward>} : (tensor<128xf32>) -> tensor<128xf32>
  return %y : tensor<128xf32>
}
func.func private @again(%x: tensor<128xf32>, %dy: tensor<128xf32>) -> tensor<128xf32> attributes {graph.form = #graph.layer_form<repeating of "layer">} {
  %y = dist.launch @double(%x) {windlass.phase = #graph<phase recompute>} : (tensor<128xf32>) -> tensor<128xf32>
  %z = dist.launch @double(%y) {windlass.phase = #graph<phase backward>} : (tensor<128xf32>) -> tensor<128xf32>
  return %z : tensor<128xf32>
}
graph.step @train {
  %g = graph.micro_batches count(1) {
    %x = graph.feed "x" : tensor<128xf32>
    %a = func.call @forward(%x) {layer = "h.0"} : (tensor<128xf32>) -> tensor<128xf32>
    %b = func.call @forward(%a) {layer = "h.1"} : (tensor<128xf32>) -> tensor<128xf32>
    %c = func.call @backward(%b) {layer = "h.1", windlass.phase = #graph<phase backward>} : (tensor<128xf32>) -> tensor<128xf32>
    %d = func.call @again(%a, %c) {layer = "h.0", windlass.phase = #graph<phase backward>} : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %r = dist.reduce_scatter %d pieces [64] of "decay.0" : tensor<128xf32> -> tensor<64xf32>
    graph.yield %r : tensor<64xf32>
  } {gradient_of = [@decay.0]} : tensor<64xf32>
}
