// RUN: windlass-opt %s --plan-memory="hardware=%S/Inputs/machine.json" --split-input-file --verify-diagnostics

// A buffer of the step itself cannot leave the device.
// expected-error@+1 {{the device arena of a rank is short by 65536 bytes (64.0 KiB): it needs 128 KiB, the machine has 64.0 KiB (largest: activation 128 KiB); what would fit: 64.0 KiB more of device on each rank}}
module {
  func.func private @k() -> tensor<1024xf32> attributes {dist.kernel} {
    %y = graph.map ins() maps [] -> tensor<1024xf32> {
      %zero = arith.constant 0.0 : f32
      graph.yield %zero : f32
    }
    return %y : tensor<1024xf32>
  }
  flow.section @only {
    %a = flow.alloc "a" class("activation") : <131072, device>
    flow.launch @k[0, 1) () -> (%a) {origin = #flow.origin<"", "a", forward>} : () -> !flow.buffer<131072, device>
  }
}
