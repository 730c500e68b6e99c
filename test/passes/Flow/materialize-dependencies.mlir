// RUN: windlass-opt %s --materialize-dependencies --split-input-file | FileCheck %s

// The example of the pass: what a lane reads after another wrote it, and writes after another read or wrote it.
// CHECK-LABEL: flow.section @only
// CHECK:         flow.feed "x" -> %{{.*}} {origin = {{.*}}, waits = []}
// Read after write.
// CHECK:         flow.transfer upload %{{.*}} {origin = {{.*}}, waits = [#flow.wait<host_compute : 1>]}
// Write after read: the next feed into the same bytes waits for the upload. On its own lane nothing is said.
// CHECK:         flow.feed "y" -> %{{.*}} {origin = {{.*}}, waits = [#flow.wait<cg_in : 1>]}
// CHECK:         flow.launch @a{{.*}} {origin = {{.*}}, waits = [#flow.wait<cg_in : 1>]}
// CHECK:         flow.launch @a{{.*}} {origin = {{.*}}, waits = []}
// Write after write, by the later of two: ordinals count the instructions of a lane.
// CHECK:         flow.transfer upload %{{.*}} {origin = {{.*}}, waits = [#flow.wait<compute : 2>, #flow.wait<host_compute : 2>]}
flow.section @only {
  %x = flow.alloc "x" class(feed) {offset = 0 : i64} : <64, host>
  %d = flow.alloc "d" class(feed) {offset = 0 : i64} : <64, device>
  flow.feed "x" -> %x {origin = #flow.origin<"", "feed x", forward>} : <64, host>
  flow.transfer upload %x -> %d {origin = #flow.origin<"", "upload x", forward>} : <64, host> -> <64, device>
  flow.feed "y" -> %x {origin = #flow.origin<"", "feed y", forward>} : <64, host>
  flow.launch @a[0, 1) (%d) -> (%d) {origin = #flow.origin<"", "a", forward>} : (!flow.buffer<64, device>) -> !flow.buffer<64, device>
  flow.launch @a[0, 1) (%d) -> (%d) {origin = #flow.origin<"", "a", forward>} : (!flow.buffer<64, device>) -> !flow.buffer<64, device>
  flow.transfer upload %x -> %d {origin = #flow.origin<"", "upload y", forward>} : <64, host> -> <64, device>
}

// -----

// Two buffers that share bytes have a guard; two that do not have none, even where one begins where the other ends.
// CHECK-LABEL: flow.section @only
// CHECK:         flow.launch @a{{.*}} -> (%{{.*}}) {origin = {{.*}}, waits = []}
// CHECK:         flow.transfer upload {{.*}} {origin = #flow.origin<"", "shares bytes", forward>, waits = [#flow.wait<compute : 1>]}
// CHECK:         flow.transfer upload {{.*}} {origin = #flow.origin<"", "is a neighbour", forward>, waits = []}
flow.section @only {
  %x = flow.alloc "x" class(feed) {offset = 0 : i64} : <64, host>
  %a = flow.alloc "a" class(activation) {offset = 0 : i64} : <128, device>
  %b = flow.alloc "b" class(activation) {offset = 64 : i64} : <64, device>
  %c = flow.alloc "c" class(activation) {offset = 128 : i64} : <64, device>
  flow.launch @a[0, 1) () -> (%a) {origin = #flow.origin<"", "a", forward>} : () -> !flow.buffer<128, device>
  flow.transfer upload %x -> %b {origin = #flow.origin<"", "shares bytes", forward>} : <64, host> -> <64, device>
  flow.transfer upload %x -> %c {origin = #flow.origin<"", "is a neighbour", forward>} : <64, host> -> <64, device>
}

// -----

// Views are judged by their bytes; one that differs by rank is all bytes it may be: here [0, 128).
// CHECK-LABEL: flow.section @only
// CHECK:         flow.transfer upload {{.*}} "second half"{{.*}} waits = []}
// CHECK:         flow.transfer upload {{.*}} "of another rank"{{.*}} waits = [#flow.wait<compute : 1>]}
// CHECK:         flow.transfer upload {{.*}} "behind all ranks"{{.*}} waits = []}
dist.mesh @mesh dp(2)
flow.section @only {
  %x = flow.alloc "x" class(feed) {offset = 0 : i64} : <64, host>
  %a = flow.alloc "a" class(activation) {offset = 0 : i64} : <256, device>
  %mine = flow.view %a[0] strides [64] : <256, device> -> <64, device>
  %half = flow.view %a[128] : <256, device> -> <64, device>
  %other = flow.view %a[64] : <256, device> -> <64, device>
  %behind = flow.view %a[192] : <256, device> -> <64, device>
  flow.transfer upload %x -> %half {origin = #flow.origin<"", "second half", forward>} : <64, host> -> <64, device>
  flow.launch @a[0, 1) () -> (%mine) {origin = #flow.origin<"", "a", forward>} : () -> !flow.buffer<64, device>
  flow.transfer upload %x -> %other {origin = #flow.origin<"", "of another rank", forward>} : <64, host> -> <64, device>
  flow.transfer upload %x -> %behind {origin = #flow.origin<"", "behind all ranks", forward>} : <64, host> -> <64, device>
}

// -----

// Bytes of the section before: one ordinal for each section that may be it. The first section follows a drained step.
// CHECK-LABEL: flow.section @first
// CHECK:         flow.reduce_scatter {{.*}} waits = []}
// CHECK-LABEL: flow.section @middle
// CHECK:         flow.launch @add{{.*}} waits = [#flow.wait<gg : 0 previous {first = 1 : i64, middle = 0 : i64}>]}
// CHECK-LABEL: flow.section @last
// CHECK:         flow.transfer offload {{.*}} waits = [#flow.wait<compute : 0 previous {middle = 1 : i64}>]}
// A wait in this section stands behind all of the section before, so that one is not said.
// CHECK:         flow.launch @add{{.*}} waits = []}
// CHECK:         flow.transfer offload {{.*}} waits = [#flow.wait<compute : 1>]}
flow.home @g bytes(4096) class(gradient) tier(device) {offset = 0 : i64}
flow.schedule train [@first, @middle, @last] times [1, 2, 1]
flow.section @first {
  %g = flow.use @g : <4096, device>
  %u = flow.alloc "u" class(partial) {offset = 4096 : i64} : <4096, device>
  flow.reduce_scatter %u -> %g piece_bytes [4096] of f32 {origin = #flow.origin<"", "reduce", backward>} : !flow.buffer<4096, device> -> <4096, device>
}
flow.section @middle {
  %g = flow.use @g : <4096, device>
  flow.launch @add[0, 1) (%g) -> (%g) {origin = #flow.origin<"", "add", backward>} : (!flow.buffer<4096, device>) -> !flow.buffer<4096, device>
}
flow.section @last {
  %g = flow.use @g : <4096, device>
  %h = flow.alloc "h" class(staging) {offset = 0 : i64} : <4096, host>
  flow.transfer offload %g -> %h {origin = #flow.origin<"", "offload", backward>} : <4096, device> -> <4096, host>
  %n = flow.alloc "n" class(staging) {offset = 8192 : i64} : <4096, device>
  flow.launch @add[0, 1) () -> (%n) {origin = #flow.origin<"", "add", backward>} : () -> !flow.buffer<4096, device>
  flow.transfer offload %n -> %h {origin = #flow.origin<"", "offload", backward>} : <4096, device> -> <4096, host>
}
