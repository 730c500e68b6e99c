// RUN: windlass-opt %s --plan-memory="hardware=%S/Inputs/machine.json" --split-input-file --verify-diagnostics

// A buffer of the step itself cannot leave the device.
// expected-error@+1 {{the device arena of a rank is short by 65536 bytes (64.0 KiB): it needs 128 KiB, the machine has 64.0 KiB (largest: activation 128 KiB)}}
module {
  func.func private @k() -> tensor<1024xf32> attributes {dist.kernel} {
    %y = graph.map ins() maps [] -> tensor<1024xf32> {
      %zero = arith.constant 0.0 : f32
      graph.yield %zero : f32
    }
    return %y : tensor<1024xf32>
  }
  flow.schedule train [@only] times [1]
  flow.section @only {
    %a = flow.alloc "a" class(activation) : <131072, device>
    flow.launch @k[0, 1) () -> (%a) {origin = #flow.origin<"", "a", forward>} : () -> !flow.buffer<131072, device>
  }
}

// -----

// A module made by hand may lack what lower-to-flow always writes; it is told, and no pass falls over it.
flow.schedule train [@only] times [1]
flow.section @only {
  %x = flow.alloc "x" class(activation) : <4096, device>
  // expected-error@+1 {{'flow.launch' op 'k' is not a kernel of this module}}
  flow.launch @k[0, 1024) () -> (%x) {origin = #flow.origin<"", "x", forward>} : () -> !flow.buffer<4096, device>
}

// -----

func.func private @declared(tensor<1024xf32>) attributes {dist.kernel}
func.func private @no_kernel() -> tensor<1024xf32> {
  %y = graph.map ins() maps [] -> tensor<1024xf32> {
    %zero = arith.constant 0.0 : f32
    graph.yield %zero : f32
  }
  return %y : tensor<1024xf32>
}
flow.home @w bytes(4096) class(parameter) tier(unplaced) {bucket = @b, role = #graph<role parameter>}
flow.schedule train [@only] times [1]
flow.section @only {
  %w = flow.use @w : <4096, unplaced>
  %x = flow.alloc "x" class(activation) : <4096, device>
  // expected-error@+1 {{'flow.launch' op 'no_kernel' is not a kernel of this module}}
  flow.launch @no_kernel[0, 1024) () -> (%x) {origin = #flow.origin<"", "x", forward>} : () -> !flow.buffer<4096, device>
  // expected-error@+1 {{'flow.update' op 'declared' is not a kernel of this module}}
  flow.update @declared(%w) {counts = array<i64: 1>, element_bytes = array<i64: 4>, num_inputs = 1 : i64, pieces = array<i64: 1024>, whole = array<i1: false>, origin = #flow.origin<"update", "u", update>} : !flow.buffer<4096, unplaced>
}

// -----

flow.schedule train [@only] times [1]
flow.section @only {
  // expected-error@+1 {{'flow.alloc' op allocates a buffer without a tier}}
  %x = flow.alloc "x" class(feed) : <64, unplaced>
  %h = flow.alloc "h" class(feed) : <64, host>
  // expected-error@+1 {{'flow.feed' op has no origin}}
  flow.feed "x" -> %h : <64, host>
}
