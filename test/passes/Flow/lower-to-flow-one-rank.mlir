// RUN: windlass-opt %s --lower-to-flow="scratch-bytes=4096" --split-input-file | FileCheck %s

// Of one rank the home of a gradient is its units, so that the update reads the gradient where it rests.
// CHECK-LABEL: flow.section @only
// CHECK:         %[[G:.*]] = flow.use @decay.0.gradient.0
// CHECK:         flow.reduce_scatter %{{.*}} -> %[[G]] piece_bytes [512] of f32
// CHECK-NOT:     flow.all_gather
// CHECK:         %[[UNIT:.*]] = flow.view %[[G]][0] : <4096, unplaced> -> <512, unplaced>
// CHECK:         flow.launch @sgd[0, 128) (%{{.*}}, %[[UNIT]])
#id = affine_map<(d0) -> (d0)>
dist.mesh @mesh dp(1)
dist.bucket @decay.0 zero(0) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 128 in pieces of 128, [<"w", [128] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
func.func private @scale(%x: tensor<128xf32>) -> tensor<128xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x : tensor<128xf32>) maps [#id] -> tensor<128xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %y : tensor<128xf32>
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
  %g = graph.micro_batches count(1) {
    %w = dist.read @decay.0 parameter : tensor<128xf32>
    %d = dist.launch @scale(%w) : (tensor<128xf32>) -> tensor<128xf32>
    %r = dist.reduce_scatter %d pieces [128] of "decay.0" : tensor<128xf32> -> tensor<128xf32>
    graph.yield %r : tensor<128xf32>
  } {gradient_of = [@decay.0]} : tensor<128xf32>
  %all = dist.all_gather %g pieces [128] of "decay.0" : tensor<128xf32> -> tensor<128xf32>
  %p = dist.read @decay.0 parameter : tensor<128xf32>
  %n = dist.launch @sgd(%p, %all) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  dist.write %n to @decay.0 parameter : tensor<128xf32>
}

// -----

// What several read is brought once.
// CHECK-LABEL: flow.section @only
// CHECK:         flow.all_gather %{{.*}} -> %[[UNIT:.*]] piece_bytes [512]
// CHECK:         flow.launch @sgd[0, 128) (%{{.*}}, %[[UNIT]])
// CHECK:         flow.launch @sgd[0, 128) (%{{.*}}, %[[UNIT]])
#id = affine_map<(d0) -> (d0)>
dist.mesh @mesh dp(1)
dist.bucket @decay.0 zero(0) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 128 in pieces of 128, [<"w", [128] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
func.func private @scale(%x: tensor<128xf32>) -> tensor<128xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x : tensor<128xf32>) maps [#id] -> tensor<128xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %y : tensor<128xf32>
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
  %g = graph.micro_batches count(1) {
    %w = dist.read @decay.0 parameter : tensor<128xf32>
    %d = dist.launch @scale(%w) : (tensor<128xf32>) -> tensor<128xf32>
    %r = dist.reduce_scatter %d pieces [128] of "decay.0" : tensor<128xf32> -> tensor<128xf32>
    graph.yield %r : tensor<128xf32>
  } {gradient_of = [@decay.0]} : tensor<128xf32>
  %all = dist.all_gather %g pieces [128] of "decay.0" : tensor<128xf32> -> tensor<128xf32>
  %p = dist.read @decay.0 parameter : tensor<128xf32>
  %m = dist.launch @sgd(%p, %all) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  %n = dist.launch @sgd(%m, %all) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  dist.write %n to @decay.0 parameter : tensor<128xf32>
}

// -----

// Of two ranks each has a part.
// CHECK-LABEL: flow.section @only
// CHECK:         flow.all_gather %{{.*}} -> %[[UNIT:.*]] piece_bytes [256]
// CHECK:         flow.launch @sgd[0, 128) (%{{.*}}, %[[UNIT]])
#id = affine_map<(d0) -> (d0)>
dist.mesh @mesh dp(2)
dist.bucket @decay.0 zero(0) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 128 in pieces of 64, [<"w", [128] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
func.func private @scale(%x: tensor<128xf32>) -> tensor<128xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x : tensor<128xf32>) maps [#id] -> tensor<128xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %y : tensor<128xf32>
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
  %g = graph.micro_batches count(1) {
    %w = dist.read @decay.0 parameter : tensor<128xf32>
    %d = dist.launch @scale(%w) : (tensor<128xf32>) -> tensor<128xf32>
    %r = dist.reduce_scatter %d pieces [64] of "decay.0" : tensor<128xf32> -> tensor<64xf32>
    graph.yield %r : tensor<64xf32>
  } {gradient_of = [@decay.0]} : tensor<64xf32>
  %all = dist.all_gather %g pieces [64] of "decay.0" : tensor<64xf32> -> tensor<128xf32>
  %p = dist.read @decay.0 parameter : tensor<128xf32>
  %n = dist.launch @sgd(%p, %all) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  dist.write %n to @decay.0 parameter : tensor<128xf32>
}
