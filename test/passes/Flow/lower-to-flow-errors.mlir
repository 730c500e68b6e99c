// RUN: windlass-opt %s --lower-to-flow --split-input-file --verify-diagnostics

// expected-error@+1 {{lower-to-flow needs the dist.mesh that partition declares}}
module {}

// -----

module {
  dist.mesh @mesh dp(1)
  graph.step @evaluate {
    // expected-error@+1 {{has no lowering to flow}}
    %x = arith.constant dense<1.0> : tensor<4xf32>
  }
}
