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
// must not get padding on its own; the pad says what is shared out. No index of the last dimension is a whole run.
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<2x2x36xf32>
    %own = graph.own_part %x over "tp"(2) : tensor<2x2x36xf32> -> tensor<1x2x36xf32>
    %part = graph.reshape %own : tensor<1x2x36xf32> -> tensor<2x6x6xf32>
    %channels = graph.pad %part before [0, 1, 1] steps [1, 1, 1] {graph.split_dimensions = array<i64: 0, 0>} : tensor<2x6x6xf32> -> tensor<2x8x8xf32>
  }
  graph.step @train {
    %x = graph.feed "x" : tensor<2x2x36xf32>
    %own = graph.own_part %x over "tp"(2) : tensor<2x2x36xf32> -> tensor<1x2x36xf32>
    %part = graph.reshape %own : tensor<1x2x36xf32> -> tensor<2x6x6xf32>
    // expected-error @+1 {{no loop walks through what is split of operand 0}}
    %rows = graph.pad %part before [0, 1, 1] steps [1, 1, 1] {graph.split_dimensions = array<i64: 1, 1>} : tensor<2x6x6xf32> -> tensor<2x8x8xf32>
  }
}

// -----

module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<2x2x36xf32>
    %own = graph.own_part %x over "tp"(2) : tensor<2x2x36xf32> -> tensor<1x2x36xf32>
    %part = graph.reshape %own : tensor<1x2x36xf32> -> tensor<2x6x6xf32>
    // expected-error @+1 {{no loop walks through what is split of operand 0}}
    %columns = graph.pad %part before [0, 1, 1] steps [1, 1, 1] {graph.split_dimensions = array<i64: 2, 2>} : tensor<2x6x6xf32> -> tensor<2x8x8xf32>
  }
}

// -----

// A part without its leading dimension of one index is a part still, and not a number of each rank's own.
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @g : tensor<6x1xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("g") group("decay") {graph.split = array<i64: 12, 6, 12, 1>}
  graph.step @train {
    %g = graph.read @g : tensor<6x1xf32>
    %row = graph.reshape %g : tensor<6x1xf32> -> tensor<1x6xf32>
    %flat = graph.reshape %row : tensor<1x6xf32> -> tensor<6xf32>
    %back = graph.reshape %flat : tensor<6xf32> -> tensor<6x1xf32>
    graph.report "gradient/g", %back gradient of @g : tensor<6x1xf32>
    // expected-error @+1 {{takes "g" whole, but it is}}
    graph.report "g", %flat : tensor<6xf32>
  }
}

// -----

// Ranks share out rows of this state, and not channels, whatever a pad or a reshape before it says.
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w : tensor<2x6x6xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w") group("decay") {graph.split = array<i64: 72, 36, 2, 12, 6>}
  graph.step @evaluate {
    %w = graph.read @w : tensor<2x6x6xf32>
    // expected-error @+1 {{no loop walks through what is split of operand 0}}
    %channels = graph.pad %w before [0, 1, 1] steps [1, 1, 1] {graph.split_dimensions = array<i64: 0, 0>} : tensor<2x6x6xf32> -> tensor<2x8x8xf32>
  }
}

// -----

module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w : tensor<2x6x6xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w") group("decay") {graph.split = array<i64: 72, 36, 2, 12, 6>}
  graph.step @evaluate {
    %w = graph.read @w : tensor<2x6x6xf32>
    %same = graph.reshape %w {graph.split_dimensions = array<i64: 1, 0>} : tensor<2x6x6xf32> -> tensor<2x6x6xf32>
    // expected-error @+1 {{no loop walks through what is split of operand 0}}
    %channels = graph.pad %same before [0, 1, 1] steps [1, 1, 1] : tensor<2x6x6xf32> -> tensor<2x8x8xf32>
  }
}
