// RUN: windlass-opt %s --verify-flow --split-input-file --verify-diagnostics

// What the level leaves is accepted.
flow.home @w bytes(4096) class(parameter) tier(host) {offset = 0 : i64}
flow.section @only {
  %w = flow.use @w : <4096, host>
  %d = flow.alloc "w" class(staging) {offset = 0 : i64} : <4096, device>
  flow.transfer upload %w -> %d {origin = #flow.origin<"", "upload w", forward>} : <4096, host> -> <4096, device>
  flow.release %d : <4096, device>
}

// -----

// expected-error@+1 {{verify-flow: home 'w' has no tier}}
flow.home @w bytes(4096) class(parameter) tier(unplaced)

// -----

// expected-error@+1 {{verify-flow: home 'w' has no offset}}
flow.home @w bytes(4096) class(parameter) tier(host)

// -----

flow.section @only {
  // expected-error@+1 {{verify-flow: buffer 'x' has no offset}}
  %x = flow.alloc "x" class(feed) : <64, host>
  flow.feed "x" -> %x {origin = #flow.origin<"", "feed x", forward>} : <64, host>
  flow.release %x : <64, host>
}

// -----

flow.section @only {
  %x = flow.alloc "x" class(feed) {offset = 0 : i64} : <64, host>
  flow.release %x : <64, host>
  // expected-error@+1 {{verify-flow: releases a buffer that is not live}}
  flow.release %x : <64, host>
}

// -----

flow.section @only {
  %x = flow.alloc "x" class(feed) {offset = 0 : i64} : <64, host>
  %y = flow.alloc "y" class(activation) {offset = 0 : i64} : <64, device>
  // expected-error@+1 {{verify-flow: has no lane: its operands lie in tiers that no lane can touch together}}
  flow.launch @kernel[0, 16) (%x) -> (%y) {origin = #flow.origin<"", "map", forward>} : (!flow.buffer<64, host>) -> !flow.buffer<64, device>
  flow.release %x : <64, host>
  flow.release %y : <64, device>
}

// -----

flow.section @only {
  %x = flow.alloc "x" class(feed) {offset = 0 : i64} : <64, host>
  // expected-error@+1 {{verify-flow: has no origin}}
  flow.feed "x" -> %x : <64, host>
  flow.release %x : <64, host>
}

// -----

flow.section @only {
  %x = flow.alloc "x" class(feed) {offset = 0 : i64} : <64, host>
  flow.release %x : <64, host>
  %v = flow.view %x[0] : <64, host> -> <32, host>
  // expected-error@+1 {{verify-flow: uses buffer 'x' outside its lifetime}}
  flow.feed "x" -> %v {origin = #flow.origin<"", "feed x", forward>} : <32, host>
}

// -----

flow.section @only {
  // expected-error@+1 {{verify-flow: buffer 'x' is never released}}
  %x = flow.alloc "x" class(feed) {offset = 0 : i64} : <64, host>
}

// -----

flow.home @w bytes(4096) class(parameter) tier(device) {offset = 0 : i64}
flow.section @only {
  %w = flow.use @w : <4096, device>
  // expected-error@+1 {{verify-flow: has no lane: its operands lie in tiers that no lane can touch together}}
  flow.update @sgd(%w, %w) {counts = array<i64: 1, 1>, element_bytes = array<i64: 4, 4>, num_inputs = 1 : i64, pieces = array<i64: 64>, whole = array<i1: false, false>, origin = #flow.origin<"update", "update", update>} : !flow.buffer<4096, device>, !flow.buffer<4096, device>
}
