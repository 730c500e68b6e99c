// RUN: windlass-opt %s --plan-memory="hardware=%S/Inputs/machine.json" --split-input-file | FileCheck %s

// The example of the pass. What fits stays on the device; homes lie at the bottom of an arena, buffers above them.
// "c" follows "b" on its lane and takes its bytes; "a" is being gathered meanwhile and keeps its own.
// CHECK-LABEL: module
// CHECK-SAME:    windlass.arenas = {device = array<i64: [[BYTES:[0-9]+]], [[BYTES]], 65536>
// CHECK:         flow.home @w bytes(8192) class(parameter) tier(device) {bucket = @b, offset = 0 : i64, role = #graph<role parameter>}
// CHECK:         flow.alloc "a" class(gathered) {offset = 8192 : i64} : <8192, device>
// CHECK:         flow.alloc "b" class(activation) {offset = 16384 : i64} : <4096, device>
// CHECK:         flow.alloc "c" class(activation) {offset = 16384 : i64} : <4096, device>
module {
  dist.mesh @mesh dp(2)
  func.func private @k() -> tensor<1024xf32> attributes {dist.kernel} {
    %y = graph.map ins() maps [] -> tensor<1024xf32> {
      %zero = arith.constant 0.0 : f32
      graph.yield %zero : f32
    }
    return %y : tensor<1024xf32>
  }
  flow.home @w bytes(8192) class(parameter) tier(unplaced) {bucket = @b, role = #graph<role parameter>}
  flow.schedule train [@only] times [1]
  flow.section @only {
    %w = flow.use @w : <8192, unplaced>
    %a = flow.alloc "a" class(gathered) : <8192, device>
    flow.all_gather %w -> %a piece_bytes [4096] {origin = #flow.origin<"", "a", forward>} : <8192, unplaced> -> !flow.buffer<8192, device>
    %b = flow.alloc "b" class(activation) : <4096, device>
    flow.launch @k[0, 1024) () -> (%b) {origin = #flow.origin<"", "b", forward>} : () -> !flow.buffer<4096, device>
    %c = flow.alloc "c" class(activation) : <4096, device>
    flow.launch @k[0, 1024) () -> (%c) {origin = #flow.origin<"", "c", forward>} : () -> !flow.buffer<4096, device>
  }
}

// -----

// What does not fit goes where it costs least: 60 KiB of moments that only the update touches leave; the parameters, which
// are gathered three times, stay and go there to be updated.
// CHECK-LABEL: module
// CHECK-DAG:     flow.home @w {{.*}} tier(device)
// CHECK-DAG:     flow.home @m {{.*}} tier(host)
// CHECK-LABEL: flow.section @only
// CHECK:         flow.transfer offload %[[W:.*]] -> %[[HERE:[0-9]+]]
// CHECK:         flow.launch @sgd[0, 2048) (%[[HERE]], {{.*}}) -> (%[[HERE]])
// CHECK:         flow.transfer upload %[[HERE]] -> %[[W]]
module {
  dist.mesh @mesh dp(2)
  func.func private @sgd(%w: tensor<2048xf32>, %m: tensor<2048xf32>) -> tensor<2048xf32> attributes {dist.kernel} {
    %y = graph.map ins(%w, %m : tensor<2048xf32>, tensor<2048xf32>) maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> tensor<2048xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.subf %a, %b : f32
      graph.yield %s : f32
    }
    return %y : tensor<2048xf32>
  }
  flow.home @w bytes(8192) class(parameter) tier(unplaced) {bucket = @b, role = #graph<role parameter>}
  flow.home @m bytes(61440) class(momentum) tier(unplaced) {bucket = @b, role = #graph<role momentum>}
  flow.schedule train [@only] times [1]
  flow.section @only {
    %w = flow.use @w : <8192, unplaced>
    %m = flow.use @m : <61440, unplaced>
    %g = flow.alloc "g" class(gathered) : <8192, device>
    flow.all_gather %w -> %g piece_bytes [4096] {origin = #flow.origin<"", "gather", forward>} : <8192, unplaced> -> !flow.buffer<8192, device>
    %again = flow.alloc "again" class(gathered) : <8192, device>
    flow.all_gather %w -> %again piece_bytes [4096] {origin = #flow.origin<"", "gather again", backward>} : <8192, unplaced> -> !flow.buffer<8192, device>
    %last = flow.alloc "last" class(gathered) : <8192, device>
    flow.all_gather %w -> %last piece_bytes [4096] {origin = #flow.origin<"", "gather last", backward>} : <8192, unplaced> -> !flow.buffer<8192, device>
    flow.update @sgd(%w, %m, %w) {counts = array<i64: 1, 1, 1>, element_bytes = array<i64: 4, 4, 4>, num_inputs = 2 : i64, pieces = array<i64: 2048>, whole = array<i1: false, false, false>, origin = #flow.origin<"update", "update", update>} : !flow.buffer<8192, unplaced>, !flow.buffer<61440, unplaced>, !flow.buffer<8192, unplaced>
  }
}

// -----

// Gathered once, they rest where they are updated: one upload, where an update elsewhere takes two transfers.
// CHECK-LABEL: module
// CHECK-DAG:     flow.home @w {{.*}} tier(host)
// CHECK-DAG:     flow.home @m {{.*}} tier(host)
// CHECK-LABEL: flow.section @only
// CHECK:         flow.transfer upload
// CHECK-NOT:     flow.transfer
// CHECK:         flow.launch @sgd[0, 2048)
module {
  dist.mesh @mesh dp(2)
  func.func private @sgd(%w: tensor<2048xf32>, %m: tensor<2048xf32>) -> tensor<2048xf32> attributes {dist.kernel} {
    %y = graph.map ins(%w, %m : tensor<2048xf32>, tensor<2048xf32>) maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> tensor<2048xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.subf %a, %b : f32
      graph.yield %s : f32
    }
    return %y : tensor<2048xf32>
  }
  flow.home @w bytes(8192) class(parameter) tier(unplaced) {bucket = @b, role = #graph<role parameter>}
  flow.home @m bytes(61440) class(momentum) tier(unplaced) {bucket = @b, role = #graph<role momentum>}
  flow.schedule train [@only] times [1]
  flow.section @only {
    %w = flow.use @w : <8192, unplaced>
    %m = flow.use @m : <61440, unplaced>
    %g = flow.alloc "g" class(gathered) : <8192, device>
    flow.all_gather %w -> %g piece_bytes [4096] {origin = #flow.origin<"", "gather", forward>} : <8192, unplaced> -> !flow.buffer<8192, device>
    flow.update @sgd(%w, %m, %w) {counts = array<i64: 1, 1, 1>, element_bytes = array<i64: 4, 4, 4>, num_inputs = 2 : i64, pieces = array<i64: 2048>, whole = array<i1: false, false, false>, origin = #flow.origin<"update", "update", update>} : !flow.buffer<8192, unplaced>, !flow.buffer<61440, unplaced>, !flow.buffer<8192, unplaced>
  }
}
