// RUN: windlass-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'flow.schedule' op 'last' is not a section of this module}}
flow.schedule train [@only, @last] times [1, 1]
flow.section @only {
}

// -----

// expected-error@+1 {{'flow.schedule' op has 1 sections, but says how often 2 run}}
flow.schedule evaluate [@only] times [1, 1]
flow.section @only {
}

// -----

// expected-error@+1 {{'flow.schedule' op runs a section 0 times}}
flow.schedule sample [@only] times [0]
flow.section @only {
}

// -----

flow.section @only {
  // expected-error@+1 {{a buffer holds at least one byte, found 0}}
  %x = flow.alloc "x" class(feed) : <0, host>
}

// -----

flow.section @only {
  // expected-error@+1 {{'flow.use' op 'w' is not a home of this module}}
  %w = flow.use @w : <64, host>
}

// -----

flow.home @w bytes(4096) class(parameter) tier(host)
flow.section @only {
  // expected-error@+1 {{'flow.use' op home 'w' holds 4096 bytes on host, found type '!flow.buffer<64, host>'}}
  %w = flow.use @w : <64, host>
}

// -----

flow.home @w bytes(4096) class(parameter) tier(host)
flow.section @only {
  // expected-error@+1 {{'flow.use' op home 'w' holds 4096 bytes on host, found type '!flow.buffer<4096, device>'}}
  %w = flow.use @w : <4096, device>
}

// -----

flow.section @only {
  %x = flow.alloc "x" class(feed) : <64, host>
  // expected-error@+1 {{'flow.view' op bytes [32, 96) leave the source's 64}}
  %v = flow.view %x[32] : <64, host> -> <64, host>
}

// -----

flow.section @only {
  %x = flow.alloc "x" class(feed) : <64, host>
  // expected-error@+1 {{'flow.view' op a view stays in the tier of its source}}
  %v = flow.view %x[0] : <64, host> -> <64, device>
}

// -----

flow.section @only {
  %x = flow.alloc "x" class(feed) : <64, host>
  // expected-error@+1 {{'flow.update' op counts add up to 3 buffers, found 1}}
  flow.update @sgd(%x) {counts = array<i64: 1, 2>, element_bytes = array<i64: 4, 4>, num_inputs = 1 : i64, pieces = array<i64: 16>, whole = array<i1: false, true>} : !flow.buffer<64, host>
}

// -----

flow.section @only {
  %x = flow.alloc "x" class(feed) : <64, host>
  %d = flow.alloc "x" class(feed) : <128, device>
  // expected-error@+1 {{'flow.transfer' op source holds 64 bytes, target 128}}
  flow.transfer upload %x -> %d : <64, host> -> <128, device>
}

// -----

flow.section @only {
  %x = flow.alloc "x" class(feed) : <64, host>
  %d = flow.alloc "x" class(feed) : <64, device>
  // expected-error@+1 {{'flow.transfer' op offload goes from device to host, found host to device}}
  flow.transfer offload %x -> %d : <64, host> -> <64, device>
}

// -----

flow.section @only {
  %s = flow.alloc "s" class(staging) : <64, device>
  %u = flow.alloc "u" class(gathered) : <128, device>
  // expected-error@+1 {{'flow.all_gather' op expected one piece size per unit, found 2 for 1}}
  flow.all_gather %s -> %u piece_bytes [32, 32] : <64, device> -> !flow.buffer<128, device>
}

// -----

flow.section @only {
  %s = flow.alloc "s" class(staging) : <64, device>
  %u = flow.alloc "u" class(partial) : <256, device>
  // expected-error@+1 {{'flow.reduce_scatter' op the shard must hold the pieces' 128 bytes, found 64}}
  flow.reduce_scatter %u -> %s piece_bytes [128] of f32 : !flow.buffer<256, device> -> <64, device>
}

// -----

flow.section @only {
  %s = flow.alloc "s" class(staging) : <64, device>
  %u = flow.alloc "u" class(gathered) : <64, device>
  // expected-error@+1 {{'flow.broadcast' op the shard must have an owner}}
  flow.broadcast %s -> %u piece_bytes [64] : <64, device> -> !flow.buffer<64, device>
}

// -----

flow.home @b bytes(64) class(parameter) tier(host) {owner = 1 : i64}
flow.section @only {
  // expected-error@+1 {{'flow.use' op home 'b' has owner 1, found type '!flow.buffer<64, host>'}}
  %b = flow.use @b : <64, host>
}
