// RUN: windlass-opt %s --split-input-file --verify-splits --verify-diagnostics

// What goes around the elements of a part goes around those of each; what goes along the parts, between them.
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w1 : tensor<8x16xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w1") group("decay") {graph.split = array<i64: 32, 16, 8, 32>}
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<4x8xf32>
    %w1 = graph.read @w1 : tensor<8x16xf32>
    %v = graph.vary %x over "tp"(2) : tensor<4x8xf32>
    %h = graph.matmul %v, %w1 : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
    %r = graph.reshape %h : tensor<4x16xf32> -> tensor<4x4x4xf32>
    %inside = graph.pad %r before [0, 0, 1] steps [1, 1, 1] : tensor<4x4x4xf32> -> tensor<4x4x6xf32>
    // expected-error @+1 {{cannot be run in parts: no loop walks through what is split of operand 0}}
    %along = graph.pad %inside before [0, 1, 0] steps [1, 1, 1] : tensor<4x4x6xf32> -> tensor<4x6x6xf32>
  }
}

// -----

// A rank has one of every two channels, and all rows. The elements alone could be one run of rows, too, which
// must not get padding on its own; the pad says what is shared out.
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w : tensor<2x6x6xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w") group("decay") {graph.split = array<i64: 72, 36, 4, 6, 6>}
  graph.step @evaluate {
    %w = graph.read @w : tensor<2x6x6xf32>
    %channels = graph.pad %w before [0, 1, 1] steps [1, 1, 1] {graph.split_dimension = 0 : i64} : tensor<2x6x6xf32> -> tensor<2x8x8xf32>
    // expected-error @+1 {{no loop walks through what is split of operand 0}}
    %rows = graph.pad %w before [0, 1, 1] steps [1, 1, 1] {graph.split_dimension = 1 : i64} : tensor<2x6x6xf32> -> tensor<2x8x8xf32>
  }
}

// -----

// No index of the last dimension is a whole run.
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w : tensor<2x6x6xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w") group("decay") {graph.split = array<i64: 72, 36, 4, 6, 6>}
  graph.step @evaluate {
    %w = graph.read @w : tensor<2x6x6xf32>
    // expected-error @+1 {{no loop walks through what is split of operand 0}}
    %columns = graph.pad %w before [0, 1, 1] steps [1, 1, 1] {graph.split_dimension = 2 : i64} : tensor<2x6x6xf32> -> tensor<2x8x8xf32>
  }
}
