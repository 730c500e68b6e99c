// RUN: windlass-opt %s | windlass-opt | FileCheck %s
// RUN: windlass-opt %s --mlir-print-op-generic | windlass-opt | FileCheck %s

// CHECK: flow.home @scratch bytes(4096) class(workspace) tier(device)
flow.home @scratch bytes(4096) class(workspace) tier(device)
// CHECK: flow.home @b.parameter.u1 bytes(512) class(parameter) tier(unplaced) {bucket = @b, role = #graph<role parameter>, unit = 1 : i64}
flow.home @b.parameter.u1 bytes(512) class(parameter) tier(unplaced) {bucket = @b, role = #graph<role parameter>, unit = 1 : i64}
// CHECK: flow.home @b.momentum bytes(8192) class(momentum) tier(nvme) {bucket = @b, offset = 4096 : i64, role = #graph<role momentum>}
flow.home @b.momentum bytes(8192) class(momentum) tier(nvme) {bucket = @b, offset = 4096 : i64, role = #graph<role momentum>}

// CHECK: flow.home @owned bytes(4096) class(parameter) tier(host) {bucket = @o, owner = 1 : i64, role = #graph<role parameter>}
flow.home @owned bytes(4096) class(parameter) tier(host) {bucket = @o, owner = 1 : i64, role = #graph<role parameter>}

// CHECK: flow.schedule train [@first, @turns] times [1, 3]
flow.schedule train [@first, @turns] times [1, 3]
// CHECK: flow.section @turns attributes {advance = 2 : i64}
flow.section @turns attributes {advance = 2 : i64} {
}
// CHECK-LABEL: flow.section @first
flow.section @first {
  // CHECK: %[[OWNED:.*]] = flow.use @owned : <4096, host, owner 1>
  %owned = flow.use @owned : <4096, host, owner 1>
  // CHECK: %[[STAGING:.*]] = flow.alloc "owned" class(staging) : <4096, device, owner 1>
  %staging = flow.alloc "owned" class(staging) : <4096, device, owner 1>
  // CHECK: flow.transfer upload %[[OWNED]] -> %[[STAGING]] : <4096, host, owner 1> -> <4096, device, owner 1>
  flow.transfer upload %owned -> %staging : <4096, host, owner 1> -> <4096, device, owner 1>
  // CHECK: %[[UNIT:.*]] = flow.alloc "gather o" class(gathered) : <4096, device>
  %unit = flow.alloc "gather o" class(gathered) : <4096, device>
  // CHECK: flow.broadcast %[[STAGING]] -> %[[UNIT]] piece_bytes [4096] : <4096, device, owner 1> -> !flow.buffer<4096, device>
  flow.broadcast %staging -> %unit piece_bytes [4096] : <4096, device, owner 1> -> !flow.buffer<4096, device>
  // CHECK: flow.reduce %[[UNIT]] -> %[[STAGING]] piece_bytes [4096] of f32 : !flow.buffer<4096, device> -> <4096, device, owner 1>
  flow.reduce %unit -> %staging piece_bytes [4096] of f32 : !flow.buffer<4096, device> -> <4096, device, owner 1>
}

// CHECK-LABEL: flow.section @only
flow.section @only {
  // CHECK-DAG: %[[SCRATCH:.*]] = flow.use @scratch : <4096, device>
  // CHECK-DAG: %[[HOME:.*]] = flow.use @b.momentum : <8192, nvme>
  %scratch = flow.use @scratch : <4096, device>
  %home = flow.use @b.momentum : <8192, nvme>
  // CHECK: %[[HOST:.*]] = flow.alloc "x" class(feed) : <4096, host>
  %host = flow.alloc "x" class(feed) : <4096, host>
  // CHECK: %[[DEVICE:.*]] = flow.alloc "x" class(feed) {offset = 64 : i64} : <4096, device>
  %device = flow.alloc "x" class(feed) {offset = 64 : i64} : <4096, device>
  // CHECK: flow.feed "x" -> %[[HOST]] {origin = #flow.origin<"", "feed x", forward>, waits = []} : <4096, host>
  flow.feed "x" -> %host {origin = #flow.origin<"", "feed x", forward>, waits = []} : <4096, host>
  // CHECK: flow.transfer upload %[[HOST]] -> %[[DEVICE]] {waits = [#flow.wait<host_compute : 1>]} : <4096, host> -> <4096, device>
  flow.transfer upload %host -> %device {waits = [#flow.wait<host_compute : 1>]} : <4096, host> -> <4096, device>
  // CHECK: %[[PIECE:.*]] = flow.view %[[DEVICE]][1024] strides [256] : <4096, device> -> <256, device>
  %piece = flow.view %device[1024] strides [256] : <4096, device> -> <256, device>
  // CHECK: flow.launch @kernel[0, 64) (%[[DEVICE]], %[[PIECE]]) -> (%[[PIECE]]) scratch(%[[SCRATCH]] : !flow.buffer<4096, device>) {{.*}}: (!flow.buffer<4096, device>, !flow.buffer<256, device>) -> !flow.buffer<256, device>
  flow.launch @kernel[0, 64) (%device, %piece) -> (%piece) scratch(%scratch : !flow.buffer<4096, device>) {origin = #flow.origin<"h.0", "map", recompute>, waits = [#flow.wait<cg_in : 0 previous {first = 1 : i64, middle = 0 : i64}>]} : (!flow.buffer<4096, device>, !flow.buffer<256, device>) -> !flow.buffer<256, device>
  // CHECK: flow.launch @zero[0, 64) () -> (%[[PIECE]]) : () -> !flow.buffer<256, device>
  flow.launch @zero[0, 64) () -> (%piece) : () -> !flow.buffer<256, device>
  // CHECK: flow.all_gather %[[PIECE]] -> %[[DEVICE]] piece_bytes [256] : <256, device> -> !flow.buffer<4096, device>
  flow.all_gather %piece -> %device piece_bytes [256] : <256, device> -> !flow.buffer<4096, device>
  // CHECK: flow.reduce_scatter %[[DEVICE]] -> %[[PIECE]] piece_bytes [256] of bf16 : !flow.buffer<4096, device> -> <256, device>
  flow.reduce_scatter %device -> %piece piece_bytes [256] of bf16 : !flow.buffer<4096, device> -> <256, device>
  // CHECK: flow.update @sgd(%[[DEVICE]], %[[HOST]])
  flow.update @sgd(%device, %host) {counts = array<i64: 1, 1>, element_bytes = array<i64: 4, 0>, num_inputs = 1 : i64, pieces = array<i64: 64>, whole = array<i1: false, false>} : !flow.buffer<4096, device>, !flow.buffer<4096, host>
  // CHECK: flow.release %[[DEVICE]] : <4096, device>
  flow.release %device : <4096, device>
  // CHECK: flow.report "x", %[[HOST]] {origin = #flow.origin<"", "report x", forward, micro_batch 3>} : <4096, host>
  flow.report "x", %host {origin = #flow.origin<"", "report x", forward, micro_batch 3>} : <4096, host>
}
