// RUN: windlass-opt %s --elide-collectives --split-input-file | FileCheck %s

// The example of the pass: two gathered units are the two pieces of their shard, and stay so to their last reader. The
// unit that a launch writes into afterwards is a buffer of its own.
// CHECK-LABEL: flow.section @only
// CHECK:         %[[W:.*]] = flow.use @w
// CHECK-DAG:     %[[U0:.*]] = flow.view %[[W]][0] : <4096, device> -> <1024, device>
// CHECK-DAG:     %[[U1:.*]] = flow.view %[[W]][1024] : <4096, device> -> <256, device>
// CHECK-DAG:     flow.view %[[U0]][512] : <1024, device> -> <512, device>
// CHECK-NOT:     flow.all_gather
// CHECK:         flow.launch @forward[0, 1) (%{{.*}}, %[[U1]]) -> (%[[Y:.*]]) {origin
// CHECK:         flow.all_gather %{{.*}} -> %[[KEPT:.*]] piece_bytes [1024]
// CHECK:         flow.launch @write[0, 1) () -> (%[[KEPT]])
dist.mesh @mesh dp(1)
flow.home @w bytes(4096) class(parameter) tier(device)
flow.home @v bytes(1024) class(parameter) tier(device)
flow.section @only {
  %w = flow.use @w : <4096, device>
  %v = flow.use @v : <1024, device>
  %u0 = flow.alloc "u0" class(gathered) : <1024, device>
  %u1 = flow.alloc "u1" class(gathered) : <256, device>
  flow.all_gather %w -> %u0, %u1 piece_bytes [1024, 256] {origin = #flow.origin<"h.0", "gather", forward>} : <4096, device> -> !flow.buffer<1024, device>, !flow.buffer<256, device>
  %half = flow.view %u0[512] : <1024, device> -> <512, device>
  %y = flow.alloc "y" class(activation) : <64, device>
  flow.launch @forward[0, 1) (%half, %u1) -> (%y) {origin = #flow.origin<"h.0", "f", forward>} : (!flow.buffer<512, device>, !flow.buffer<256, device>) -> !flow.buffer<64, device>
  %k = flow.alloc "k" class(gathered) : <1024, device>
  flow.all_gather %v -> %k piece_bytes [1024] {origin = #flow.origin<"h.1", "gather", forward>} : <1024, device> -> !flow.buffer<1024, device>
  flow.launch @write[0, 1) () -> (%k) {origin = #flow.origin<"h.1", "f", forward>} : () -> !flow.buffer<1024, device>
}

// -----

// Gradients are made where they are kept: in the home, and the padding behind them is zeroed as the sum would have; or
// in what is sent to a home elsewhere. The staging buffer of a shard from the host is the unit.
// CHECK-LABEL: flow.section @only
// CHECK-DAG:     %[[G:.*]] = flow.use @g
// CHECK-DAG:     %[[H:.*]] = flow.use @h
// CHECK:         %[[UNIT:.*]] = flow.view %[[G]][0] : <4096, device> -> <1024, device>
// CHECK:         flow.launch @make[0, 1) () -> (%[[UNIT]]) {origin
// CHECK:         %[[REST:.*]] = flow.view %[[G]][1024] : <4096, device> -> <3072, device>
// CHECK:         flow.launch @map_{{.*}}[0, 768) () -> (%[[REST]]) {origin = #flow.origin<"h.0", "zero padding", backward>}
// CHECK:         %[[DOWN:.*]] = flow.alloc "down" class(staging) : <4096, device>
// CHECK:         flow.launch @make[0, 1) () -> (%[[DOWN]]) {origin
// CHECK-NOT:     flow.reduce_scatter
// CHECK:         flow.transfer offload %[[DOWN]] -> %[[H]]
// CHECK-NEXT:    flow.release %[[DOWN]]
// CHECK:         %[[UP:.*]] = flow.alloc "up" class(staging) : <4096, device>
// CHECK:         flow.transfer upload %[[H]] -> %[[UP]]
// CHECK-NOT:     flow.all_gather
// CHECK:         flow.launch @use[0, 1) (%[[UP]])
dist.mesh @mesh dp(1)
flow.home @g bytes(4096) class(gradient) tier(device)
flow.home @h bytes(4096) class(gradient) tier(host)
flow.section @only {
  %g = flow.use @g : <4096, device>
  %h = flow.use @h : <4096, host>
  %p = flow.alloc "p" class(partial) : <1024, device>
  flow.launch @make[0, 1) () -> (%p) {origin = #flow.origin<"h.0", "f", backward>} : () -> !flow.buffer<1024, device>
  flow.reduce_scatter %p -> %g piece_bytes [1024] of f32 {origin = #flow.origin<"h.0", "reduce", backward>} : !flow.buffer<1024, device> -> <4096, device>
  %q = flow.alloc "q" class(partial) : <4096, device>
  flow.launch @make[0, 1) () -> (%q) {origin = #flow.origin<"h.0", "f", backward>} : () -> !flow.buffer<4096, device>
  %down = flow.alloc "down" class(staging) : <4096, device>
  flow.reduce_scatter %q -> %down piece_bytes [4096] of f32 {origin = #flow.origin<"h.0", "reduce", backward>} : !flow.buffer<4096, device> -> <4096, device>
  flow.transfer offload %down -> %h {origin = #flow.origin<"h.0", "offload", backward>} : <4096, device> -> <4096, host>
  %u = flow.alloc "u" class(gathered) : <4096, device>
  %up = flow.alloc "up" class(staging) : <4096, device>
  flow.transfer upload %h -> %up {origin = #flow.origin<"h.0", "upload", backward>} : <4096, host> -> <4096, device>
  flow.all_gather %up -> %u piece_bytes [4096] {origin = #flow.origin<"h.0", "gather", backward>} : <4096, device> -> !flow.buffer<4096, device>
  %y = flow.alloc "y" class(activation) : <64, device>
  flow.launch @use[0, 1) (%u) -> (%y) {origin = #flow.origin<"h.0", "f", backward>} : (!flow.buffer<4096, device>) -> !flow.buffer<64, device>
}

// -----

// What must differ is kept: a shard that changes while a unit is in use, units that are homes of their own, a sum over
// what its home still holds, and a gradient that is read after it was summed.
// CHECK-LABEL: flow.section @only
// CHECK:         flow.all_gather {{.*}} "changes"
// CHECK:         flow.all_gather {{.*}} "homes"
// CHECK:         flow.reduce_scatter {{.*}} "holds"
// CHECK:         flow.reduce_scatter {{.*}} "read"
dist.mesh @mesh dp(1)
flow.home @w bytes(1024) class(parameter) tier(device)
flow.home @g bytes(1024) class(gradient) tier(device)
flow.section @only {
  %w = flow.use @w : <1024, device>
  %g = flow.use @g : <1024, device>
  %u = flow.alloc "u" class(gathered) : <1024, device>
  flow.all_gather %w -> %u piece_bytes [1024] {origin = #flow.origin<"", "changes", forward>} : <1024, device> -> !flow.buffer<1024, device>
  flow.launch @update[0, 1) () -> (%w) {origin = #flow.origin<"", "f", forward>} : () -> !flow.buffer<1024, device>
  %y = flow.alloc "y" class(activation) : <1024, device>
  flow.launch @use[0, 1) (%u) -> (%y) {origin = #flow.origin<"", "f", forward>} : (!flow.buffer<1024, device>) -> !flow.buffer<1024, device>
  %new = flow.alloc "new" class(staging) : <1024, device>
  flow.launch @make[0, 1) () -> (%new) {origin = #flow.origin<"", "f", forward>} : () -> !flow.buffer<1024, device>
  flow.all_gather %new -> %w piece_bytes [1024] {origin = #flow.origin<"", "homes", forward>} : <1024, device> -> !flow.buffer<1024, device>
  %p = flow.alloc "p" class(partial) : <1024, device>
  flow.launch @make[0, 1) () -> (%p) {origin = #flow.origin<"", "f", backward>} : () -> !flow.buffer<1024, device>
  flow.launch @use[0, 1) (%g) -> (%y) {origin = #flow.origin<"", "f", backward>} : (!flow.buffer<1024, device>) -> !flow.buffer<1024, device>
  flow.reduce_scatter %p -> %g piece_bytes [1024] of f32 {origin = #flow.origin<"", "holds", backward>} : !flow.buffer<1024, device> -> <1024, device>
  %q = flow.alloc "q" class(partial) : <1024, device>
  flow.launch @make[0, 1) () -> (%q) {origin = #flow.origin<"", "f", backward>} : () -> !flow.buffer<1024, device>
  flow.reduce_scatter %q -> %g piece_bytes [1024] of f32 {origin = #flow.origin<"", "read", backward>} : !flow.buffer<1024, device> -> <1024, device>
  flow.launch @use[0, 1) (%q) -> (%y) {origin = #flow.origin<"", "f", backward>} : (!flow.buffer<1024, device>) -> !flow.buffer<1024, device>
}

// -----

// Two ranks need them all.
// CHECK-LABEL: flow.section @only
// CHECK:         flow.all_gather
// CHECK:         flow.reduce_scatter
dist.mesh @mesh dp(2)
flow.home @w bytes(1024) class(parameter) tier(device)
flow.home @g bytes(1024) class(gradient) tier(device)
flow.section @only {
  %w = flow.use @w : <1024, device>
  %g = flow.use @g : <1024, device>
  %u = flow.alloc "u" class(gathered) : <2048, device>
  flow.all_gather %w -> %u piece_bytes [1024] {origin = #flow.origin<"", "gather", forward>} : <1024, device> -> !flow.buffer<2048, device>
  %p = flow.alloc "p" class(partial) : <2048, device>
  flow.launch @use[0, 1) (%u) -> (%p) {origin = #flow.origin<"", "f", backward>} : (!flow.buffer<2048, device>) -> !flow.buffer<2048, device>
  flow.reduce_scatter %p -> %g piece_bytes [1024] of f32 {origin = #flow.origin<"", "reduce", backward>} : !flow.buffer<2048, device> -> <1024, device>
}
