// RUN: windlass-opt %s --canonicalize | FileCheck %s

flow.home @w bytes(4096) class(parameter) tier(device) {offset = 0 : i64}
flow.home @owned bytes(4096) class(parameter) tier(device) {offset = 4096 : i64, owner = 1 : i64}

flow.section @only {
  // CHECK: %[[W:.*]] = flow.use @w
  %w = flow.use @w : <4096, device>
  %x = flow.alloc "x" class(activation) {offset = 8192 : i64} : <64, device>

  // A view of a view is one of the buffer: offsets and strides add up.
  // CHECK: %[[ONE:.*]] = flow.view %[[W]][192] strides [96] : <4096, device> -> <64, device>
  // CHECK-NEXT: flow.launch @k[0, 8) (%[[ONE]])
  %outer = flow.view %w[128] strides [64] : <4096, device> -> <1024, device>
  %inner = flow.view %outer[64] strides [32] : <1024, device> -> <64, device>
  flow.launch @k[0, 8) (%inner) -> (%x) {origin = #flow.origin<"", "map", forward>} : (!flow.buffer<64, device>) -> !flow.buffer<64, device>

  // All of a buffer is the buffer.
  // CHECK-NEXT: flow.launch @k[0, 8) (%[[W]])
  %all = flow.view %w[0] : <4096, device> -> <4096, device>
  flow.launch @k[0, 8) (%all) -> (%x) {origin = #flow.origin<"", "map", forward>} : (!flow.buffer<4096, device>) -> !flow.buffer<64, device>

  // Its first bytes are not, nor what lies elsewhere on another rank.
  // CHECK: %[[FIRST:.*]] = flow.view %[[W]][0] : <4096, device> -> <2048, device>
  // CHECK-NEXT: %[[MOVES:.*]] = flow.view %[[W]][0] strides [4096] : <4096, device> -> <4096, device>
  // CHECK-NEXT: flow.launch @k[0, 8) (%[[FIRST]], %[[MOVES]])
  %first = flow.view %w[0] : <4096, device> -> <2048, device>
  %moves = flow.view %w[0] strides [4096] : <4096, device> -> <4096, device>
  flow.launch @k[0, 8) (%first, %moves) -> (%x) {origin = #flow.origin<"", "map", forward>} : (!flow.buffer<2048, device>, !flow.buffer<4096, device>) -> !flow.buffer<64, device>

  // The type of an owner's buffer says whose it is, that of a view does not.
  // CHECK: %[[OWNED:.*]] = flow.use @owned
  // CHECK-NEXT: %[[ALL:.*]] = flow.view %[[OWNED]][0]
  // CHECK-NEXT: flow.launch @k[0, 8) (%[[ALL]])
  %owned = flow.use @owned : <4096, device, owner 1>
  %theirs = flow.view %owned[0] : <4096, device, owner 1> -> <4096, device>
  flow.launch @k[0, 8) (%theirs) -> (%x) {origin = #flow.origin<"", "map", forward>} : (!flow.buffer<4096, device>) -> !flow.buffer<64, device>

  flow.release %x : <64, device>
}
