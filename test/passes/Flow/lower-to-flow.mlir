// RUN: windlass-opt %s --lower-to-flow="scratch-bytes=4096" --split-input-file | FileCheck %s

// The example of the pass. One micro-batch is one section: gradients are stored where they rest, the update follows.
// Homes are padded to 4 KiB and unplaced; a unit is padded to its pieces, and the padding is zeroed.
// CHECK:       flow.home @scratch bytes(4096) class(workspace) tier(device)
// CHECK-NEXT:  flow.home @decay.0.parameter bytes(4096) class(parameter) tier(unplaced) {bucket = @decay.0, role = #graph<role parameter>}
// CHECK-NEXT:  flow.home @decay.0.gradient.0 bytes(4096) class(gradient) tier(unplaced) {bucket = @decay.0, element = f32, role = #graph<role gradient>}
// CHECK-LABEL: flow.section @evaluate
// CHECK:         flow.all_gather
// CHECK-NOT:     flow.reduce_scatter
// CHECK-LABEL: flow.section @only
// CHECK-DAG:     %[[W:.*]] = flow.use @decay.0.parameter
// CHECK-DAG:     %[[G:.*]] = flow.use @decay.0.gradient.0
// CHECK:         %[[ALL:.*]] = flow.alloc "gather decay.0" class(gathered) : <512, device>
// CHECK-NEXT:    flow.all_gather %[[W]] -> %[[ALL]] piece_bytes [256] {origin = #flow.origin<"", "gather decay.0", forward>}
// CHECK:         %[[D:.*]] = flow.alloc {{.*}} class(partial) : <512, device>
// CHECK-NEXT:    %[[PAD:.*]] = flow.view %[[D]][384] : <512, device> -> <128, device>
// CHECK-NEXT:    flow.launch @{{.*}}[0, 32) () -> (%[[PAD]]) {origin = #flow.origin<"", "zero padding", forward>}
// CHECK:         flow.launch @scale[0, 100) ({{.*}}) -> ({{.*}}) {origin = #flow.origin<"", "map", forward>}
// A buffer is released after its last user.
// CHECK-NEXT:    flow.release %[[ALL]]
// CHECK:         flow.reduce_scatter %[[D]] -> %[[G]] piece_bytes [256] of f32
// CHECK-NEXT:    flow.release %[[D]]
// CHECK-NEXT:    flow.update @sgd(%[[W]], %[[G]], %[[W]]) {{.*}} num_inputs = 2 : i64, origin = #flow.origin<"update", "update decay.0", update>
// CHECK-NOT:     flow.{{update|reduce_scatter}}
#id = affine_map<(d0) -> (d0)>
dist.mesh @mesh dp(2)
dist.bucket @decay.0 zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 100 in pieces of 64, [<"w", [100] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
func.func private @scale(%x: tensor<100xf32>) -> tensor<100xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x : tensor<100xf32>) maps [#id] -> tensor<100xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %y : tensor<100xf32>
}
func.func private @sgd(%x: tensor<64xf32>, %g: tensor<64xf32>) -> tensor<64xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x, %g : tensor<64xf32>, tensor<64xf32>) maps [#id, #id] -> tensor<64xf32> {
  ^bb0(%v: f32, %d: f32):
    %s = arith.subf %v, %d : f32
    graph.yield %s : f32
  }
  return %y : tensor<64xf32>
}
graph.step @evaluate {
  %s = dist.read @decay.0 parameter : tensor<64xf32>
  %w = dist.all_gather %s pieces [64] of "decay.0" : tensor<64xf32> -> tensor<100xf32>
  %d = dist.launch @scale(%w) : (tensor<100xf32>) -> tensor<100xf32>
}
graph.step @train {
  %g = graph.micro_batches count(1) {
    %s = dist.read @decay.0 parameter : tensor<64xf32>
    %w = dist.all_gather %s pieces [64] of "decay.0" : tensor<64xf32> -> tensor<100xf32>
    %d = dist.launch @scale(%w) : (tensor<100xf32>) -> tensor<100xf32>
    %r = dist.reduce_scatter %d pieces [64] of "decay.0" : tensor<100xf32> -> tensor<64xf32>
    graph.yield %r : tensor<64xf32>
  } {gradient_of = [@decay.0]} : tensor<64xf32>
  %p = dist.read @decay.0 parameter : tensor<64xf32>
  %n = dist.launch @sgd(%p, %g) {windlass.update_of = @decay.0} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  dist.write %n to @decay.0 parameter : tensor<64xf32>
}

// -----

// With several micro-batches the first stores its gradients, the others add theirs; the last updates. A third way
// to run is needed only where there are three.
// CHECK:       flow.schedule train [@first, @last] times [1, 1]
// CHECK-LABEL: flow.section @first
// CHECK:         %[[G:.*]] = flow.use @decay.0.gradient.0
// CHECK:         flow.reduce_scatter %{{.*}} -> %[[G]]
// CHECK-NOT:     flow.update
// CHECK-LABEL: flow.section @last
// CHECK:         %[[G:.*]] = flow.use @decay.0.gradient.0
// CHECK:         %[[PART:.*]] = flow.alloc "reduce decay.0" class(partial) : <4096, device>
// CHECK-NEXT:    flow.reduce_scatter %{{.*}} -> %[[PART]]
// CHECK:         %[[SUM:.*]] = flow.view %[[G]][0] : <4096, unplaced> -> <256, unplaced>
// CHECK:         %[[NEW:.*]] = flow.view %[[PART]][0]
// CHECK-NEXT:    flow.launch @{{.*}}[0, 64) (%[[SUM]], %[[NEW]]) -> (%[[SUM]]) {origin = #flow.origin<"", "accumulate decay.0", forward>}
// CHECK:         flow.update
dist.mesh @mesh dp(2)
dist.bucket @decay.0 zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 128 in pieces of 64, [<"w", [128] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
func.func private @make() -> tensor<128xf32> attributes {dist.kernel} {
  %y = graph.map ins() maps [] -> tensor<128xf32> {
    %zero = arith.constant 0.0 : f32
    graph.yield %zero : f32
  }
  return %y : tensor<128xf32>
}
func.func private @sgd(%x: tensor<64xf32>, %g: tensor<64xf32>) -> tensor<64xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x, %g : tensor<64xf32>, tensor<64xf32>) maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> tensor<64xf32> {
  ^bb0(%v: f32, %d: f32):
    %s = arith.subf %v, %d : f32
    graph.yield %s : f32
  }
  return %y : tensor<64xf32>
}
graph.step @train {
  %g = graph.micro_batches count(2) {
    %d = dist.launch @make() : () -> tensor<128xf32>
    %r = dist.reduce_scatter %d pieces [64] of "decay.0" : tensor<128xf32> -> tensor<64xf32>
    graph.yield %r : tensor<64xf32>
  } {gradient_of = [@decay.0]} : tensor<64xf32>
  %p = dist.read @decay.0 parameter : tensor<64xf32>
  %n = dist.launch @sgd(%p, %g) {windlass.update_of = @decay.0} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  dist.write %n to @decay.0 parameter : tensor<64xf32>
}

// -----

// CHECK:       flow.schedule train [@first, @middle, @last] times [1, {{[1-9]}}, 1]
// CHECK-LABEL: flow.section @first
// CHECK-NOT:     "accumulate
// CHECK-LABEL: flow.section @middle
// CHECK:         "accumulate decay.0"
// CHECK-LABEL: flow.section @last
// CHECK:         "accumulate decay.0"
// A parameter with two gradients has an accumulator for each.
// CHECK:         "accumulate decay.0"
dist.mesh @mesh dp(1)
dist.bucket @decay.0 zero(1) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 64 in pieces of 64, [<"w", [64] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
func.func private @make() -> tensor<64xf32> attributes {dist.kernel} {
  %y = graph.map ins() maps [] -> tensor<64xf32> {
    %zero = arith.constant 0.0 : f32
    graph.yield %zero : f32
  }
  return %y : tensor<64xf32>
}
graph.step @train {
  %g:2 = graph.micro_batches count(3) {
    %d = dist.launch @make() : () -> tensor<64xf32>
    %r = dist.reduce_scatter %d pieces [64] of "decay.0" : tensor<64xf32> -> tensor<64xf32>
    %e = dist.launch @make() : () -> tensor<64xf32>
    %s = dist.reduce_scatter %e pieces [64] of "decay.0" : tensor<64xf32> -> tensor<64xf32>
    graph.yield %r, %s : tensor<64xf32>, tensor<64xf32>
  } {gradient_of = [@decay.0, @decay.0]} : tensor<64xf32>, tensor<64xf32>
}

// -----

// Layer functions are inlined, and their instructions know the instance. A whole state has a home per unit; members of
// a pack are views. A feed is brought to the device once, however often it is used.
// CHECK:       flow.home @h.0.decay.0.parameter.u0 bytes(4096) class(parameter)
// CHECK-LABEL: flow.section @evaluate
// CHECK:         %[[U:.*]] = flow.use @h.0.decay.0.parameter.u0
// CHECK:         flow.feed "x" -> %[[X:.*]] {origin
// CHECK:         flow.transfer upload %[[X]] -> %[[XD:.*]] {origin
// CHECK:         %[[PACK:.*]] = flow.view %[[U]][0] : <4096, unplaced> -> <288, unplaced>
// CHECK:         %[[SECOND:.*]] = flow.view %[[PACK]][256] : <288, unplaced> -> <32, unplaced>
// CHECK-NOT:     flow.transfer
// CHECK:         flow.launch @add[0, 8) (%[[XD]], %[[SECOND]]) -> {{.*}} {origin = #flow.origin<"h.0", "map", forward>}
// CHECK-NOT:     flow.transfer
// CHECK:         flow.launch @add[0, 8) (%[[XD]], %[[SECOND]])
// CHECK-NOT:   func.func private @layer
dist.mesh @mesh dp(2)
dist.bucket @h.0.decay.0 zero(1) group("decay") layer("h.0") of f32 classes [#graph<role parameter>] units [#dist.unit<"h.0.decay.pack", 72 in pieces of 64, [<"h.0.a", [8] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>, <"h.0.b", [8] at 64, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
func.func private @add(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> attributes {dist.kernel} {
  %y = graph.map ins(%a, %b : tensor<8xf32>, tensor<8xf32>) maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> tensor<8xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    graph.yield %s : f32
  }
  return %y : tensor<8xf32>
}
func.func private @layer(%x: tensor<8xf32>, %pack: tensor<72xf32>) -> tensor<8xf32> {
  %m:2 = dist.unpack %pack at [0, 64] : tensor<72xf32> -> tensor<8xf32>, tensor<8xf32>
  %y = dist.launch @add(%x, %m#1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %z = dist.launch @add(%x, %m#1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %z : tensor<8xf32>
}
graph.step @evaluate {
  %x = graph.feed "x" : tensor<8xf32>
  %pack = dist.read @h.0.decay.0 parameter : tensor<72xf32>
  %y = func.call @layer(%x, %pack) {layer = "h.0"} : (tensor<8xf32>, tensor<72xf32>) -> tensor<8xf32>
}

// -----

// A bf16 gradient of several micro-batches is reduced in bf16 and summed in f32: the first is stored, padding and
// all, the others are added.
// CHECK:       flow.home @decay.0.gradient.0 bytes(4096) class(gradient)
// CHECK-LABEL: flow.section @first
// CHECK:         %[[G:.*]] = flow.use @decay.0.gradient.0
// CHECK:         flow.reduce_scatter %{{.*}} -> %[[R:.*]] piece_bytes [128] of bf16
// CHECK:         %[[PART:.*]] = flow.view %[[R]][0] : <4096, device> -> <2048, device>
// CHECK:         flow.launch @{{.*}}[0, 1024) (%[[PART]]) -> (%[[G]]) {origin = #flow.origin<"", "store decay.0", backward>}
// CHECK-LABEL: flow.section @last
// CHECK:         flow.launch @{{.*}}[0, 64) ({{.*}}) -> ({{.*}}) {origin = #flow.origin<"", "accumulate decay.0", backward>} : (!flow.buffer<256, unplaced>, !flow.buffer<128, device>) -> !flow.buffer<256, unplaced>
dist.mesh @mesh dp(2)
dist.bucket @decay.0 zero(3) group("decay") layer("") of bf16 classes [#graph<role parameter>] units [#dist.unit<"w", 100 in pieces of 64, [<"w", [100] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
func.func private @make() -> tensor<100xbf16> attributes {dist.kernel} {
  %y = graph.map ins() maps [] -> tensor<100xbf16> {
    %zero = arith.constant 0.0 : bf16
    graph.yield %zero : bf16
  }
  return %y : tensor<100xbf16>
}
graph.step @train {
  %g = graph.micro_batches count(2) {
    %d = dist.launch @make() : () -> tensor<100xbf16>
    %r = dist.reduce_scatter %d pieces [64] of "decay.0" {windlass.phase = #graph<phase backward>} : tensor<100xbf16> -> tensor<64xbf16>
    graph.yield %r : tensor<64xbf16>
  } {gradient_of = [@decay.0]} : tensor<64xf32>
}

// -----

// A bucket with an owner is whole on it: homes of that rank, a broadcast of units that are one piece each, and
// a reduce to the gradient's home.
// CHECK:       flow.home @decay.0.parameter bytes(4096) class(parameter) tier(unplaced) {bucket = @decay.0, owner = 1 : i64, role = #graph<role parameter>}
// CHECK-NEXT:  flow.home @decay.0.gradient.0 bytes(4096) class(gradient) tier(unplaced) {bucket = @decay.0, element = f32, owner = 1 : i64, role = #graph<role gradient>}
// CHECK-LABEL: flow.section @only
// CHECK-DAG:     %[[W:.*]] = flow.use @decay.0.parameter : <4096, unplaced, owner 1>
// CHECK-DAG:     %[[G:.*]] = flow.use @decay.0.gradient.0 : <4096, unplaced, owner 1>
// CHECK:         %[[ALL:.*]] = flow.alloc "gather decay.0" class(gathered) : <512, device>
// CHECK-NEXT:    flow.broadcast %[[W]] -> %[[ALL]] piece_bytes [512]
// CHECK:         flow.reduce %{{.*}} -> %[[G]] piece_bytes [512] of f32
#id = affine_map<(d0) -> (d0)>
dist.mesh @mesh dp(2)
dist.bucket @decay.0 zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 100 in pieces of 64, [<"w", [100] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>] owner(1)
func.func private @scale(%x: tensor<100xf32>) -> tensor<100xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x : tensor<100xf32>) maps [#id] -> tensor<100xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %y : tensor<100xf32>
}
graph.step @train {
  %g = graph.micro_batches count(1) {
    %s = dist.read @decay.0 parameter : tensor<128xf32>
    %w = dist.broadcast %s pieces [128] of "decay.0" : tensor<128xf32> -> tensor<100xf32>
    %d = dist.launch @scale(%w) : (tensor<100xf32>) -> tensor<100xf32>
    %r = dist.reduce %d pieces [128] of "decay.0" : tensor<100xf32> -> tensor<128xf32>
    graph.yield %r : tensor<128xf32>
  } {gradient_of = [@decay.0]} : tensor<128xf32>
}

// -----

// Gradients that are reduced once a step are added up as whole units, each in a home of its own.
// CHECK-DAG:   flow.home @decay.0.gradient.0.u0 bytes(4096) class(gradient) tier(unplaced) {bucket = @decay.0, element = f32, role = #graph<role gradient>, unit = 0 : i64}
// CHECK-DAG:   flow.home @decay.0.gradient.0 bytes(4096) class(gradient) tier(unplaced) {bucket = @decay.0, element = f32, role = #graph<role gradient>}
// CHECK-LABEL: flow.section @first
// CHECK-DAG:     %[[U:.*]] = flow.use @decay.0.gradient.0.u0
// CHECK:         flow.launch @{{.*}}[0, 1024) (%{{.*}}) -> (%[[U]]) {origin = #flow.origin<"", "store gradient", forward>}
// CHECK-NOT:     flow.reduce_scatter
// CHECK-LABEL: flow.section @last
// CHECK-DAG:     %[[V:.*]] = flow.use @decay.0.gradient.0.u0
// CHECK-DAG:     %[[R:.*]] = flow.use @decay.0.gradient.0 :
// CHECK:         flow.launch @{{.*}}[0, 1024) (%[[V]], %{{.*}}) -> (%[[V]]) {origin = #flow.origin<"", "accumulate gradient", forward>}
// CHECK:         %[[PADDED:.*]] = flow.view %[[V]][0] : <4096, unplaced> -> <512, unplaced>
// CHECK:         flow.reduce_scatter %[[PADDED]] -> %[[R]] piece_bytes [256] of f32
#id = affine_map<(d0) -> (d0)>
dist.mesh @mesh dp(2)
dist.bucket @decay.0 zero(1) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 100 in pieces of 64, [<"w", [100] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
func.func private @scale(%x: tensor<100xf32>) -> tensor<100xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x : tensor<100xf32>) maps [#id] -> tensor<100xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %y : tensor<100xf32>
}
graph.step @train {
  %g = graph.micro_batches count(2) {
    %w = dist.read @decay.0 parameter : tensor<100xf32>
    %d = dist.launch @scale(%w) : (tensor<100xf32>) -> tensor<100xf32>
    graph.yield %d : tensor<100xf32>
  } {gradient_of = [@decay.0], gradient_unit = array<i64: 0>} : tensor<100xf32>
  %r = dist.reduce_scatter %g pieces [64] of "decay.0" : tensor<100xf32> -> tensor<64xf32>
}
