// RUN: windlass-opt %s --split-input-file --verify-splits --verify-diagnostics

// Columns, then rows: the first asks for a varied input, the second makes terms.
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w0 : tensor<8x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w0") group("decay")
  graph.state @w1 : tensor<8x16xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w1") group("decay") {graph.split = array<i64: 32, 16, 8, 32>}
  graph.state @w2 : tensor<16x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w2") group("decay") {graph.split = array<i64: 256, 128, 32, 8>}
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<4x8xf32>
    %w0 = graph.read @w0 : tensor<8x8xf32>
    %w1 = graph.read @w1 : tensor<8x16xf32>
    %w2 = graph.read @w2 : tensor<16x8xf32>
    %y = graph.matmul %x, %w0 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %v = graph.vary %y over "tp"(2) : tensor<4x8xf32>
    %h = graph.matmul %v, %w1 : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
    %t = graph.matmul %h, %w2 : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
    %s = graph.all_reduce %t over "tp"(2) : tensor<4x8xf32>
    graph.report "y", %s : tensor<4x8xf32>
  }
}

// -----

module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w0 : tensor<8x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w0") group("decay")
  graph.state @w1 : tensor<8x16xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w1") group("decay") {graph.split = array<i64: 32, 16, 8, 32>}
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<4x8xf32>
    %w0 = graph.read @w0 : tensor<8x8xf32>
    %w1 = graph.read @w1 : tensor<8x16xf32>
    %y = graph.matmul %x, %w0 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    // expected-error @+1 {{cannot be run in parts: operand 0 is whole and was not varied}}
    %h = graph.matmul %y, %w1 : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  }
}

// -----

#element = affine_map<(d0, d1) -> (d0, d1)>
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w1 : tensor<8x16xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w1") group("decay") {graph.split = array<i64: 32, 16, 8, 32>}
  graph.state @w2 : tensor<16x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w2") group("decay") {graph.split = array<i64: 256, 128, 32, 8>}
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<4x8xf32>
    %w1 = graph.read @w1 : tensor<8x16xf32>
    %w2 = graph.read @w2 : tensor<16x8xf32>
    %h = graph.matmul %x, %w1 : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
    %t = graph.matmul %h, %w2 : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
    // The tangent of a sum is no sum of tangents.
    // expected-error @+1 {{reads terms, whose sum it would need}}
    %y = graph.map ins(%t : tensor<4x8xf32>) maps [#element] -> tensor<4x8xf32> {
    ^bb0(%a: f32):
      %b = math.tanh %a : f32
      graph.yield %b : f32
    }
  }
}

// -----

module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w : tensor<8x4xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w") group("decay") {graph.split = array<i64: 8, 4, 8, 8>}
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<4x8xf32>
    %w = graph.read @w : tensor<8x4xf32>
    %h = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
    // expected-error @+1 {{takes "h" whole, but it is split(4 of 8)}}
    graph.report "h", %h : tensor<4x4xf32>
  }
}

// -----

module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<4x8xf32>
    // expected-error @+1 {{takes terms, but its operand is free}}
    %s = graph.all_reduce %x over "tp"(2) : tensor<4x8xf32>
  }
}

// -----

// A mean over all that ranks have parts of: a single row is half of a longer one, for its sum is exchanged. The gradient
// of a sum is one number over and over, and may meet parts.
#row = affine_map<(d0, d1) -> (d0, d1)>
#outer = affine_map<(d0, d1) -> (d0)>
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w1 : tensor<8x16xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w1") group("decay") {graph.split = array<i64: 32, 16, 8, 32>}
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<1x8xf32>
    %w1 = graph.read @w1 : tensor<8x16xf32>
    %h = graph.matmul %x, %w1 : tensor<1x8xf32>, tensor<8x16xf32> -> tensor<1x16xf32>
    %t = graph.reduce sum over [1] ins(%h : tensor<1x16xf32>) maps [#row] -> tensor<1xf32> {
    ^bb0(%a: f32):
      graph.yield %a : f32
    }
    %s = graph.all_reduce %t over "tp"(2) : tensor<1xf32>
    graph.report "sum", %s : tensor<1xf32>
    %seed = graph.feed "loss_seed" : tensor<1xf32>
    %b = graph.map ins(%seed : tensor<1xf32>) maps [#outer] -> tensor<1x16xf32> {
    ^bb0(%a: f32):
      graph.yield %a : f32
    }
    %r = graph.reshape %b : tensor<1x16xf32> -> tensor<1x16xf32>
    %g = graph.map ins(%h, %r : tensor<1x16xf32>, tensor<1x16xf32>) maps [#row, #row] -> tensor<1x16xf32> {
    ^bb0(%a: f32, %d: f32):
      %e = arith.mulf %a, %d : f32
      graph.yield %e : f32
    }
  }
}

// -----

// Numbers that differ along what ranks share out are no part of it.
#row = affine_map<(d0, d1) -> (d0, d1)>
#inner = affine_map<(d0, d1) -> (d1)>
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w1 : tensor<8x16xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w1") group("decay") {graph.split = array<i64: 32, 16, 8, 32>}
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<4x8xf32>
    %w1 = graph.read @w1 : tensor<8x16xf32>
    %h = graph.matmul %x, %w1 : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
    %c = graph.feed "c" : tensor<16xf32>
    %b = graph.map ins(%c : tensor<16xf32>) maps [#inner] -> tensor<4x16xf32> {
    ^bb0(%a: f32):
      graph.yield %a : f32
    }
    // expected-error @+1 {{operand 1 is free, but read in parts}}
    %g = graph.map ins(%h, %b : tensor<4x16xf32>, tensor<4x16xf32>) maps [#row, #row] -> tensor<4x16xf32> {
    ^bb0(%a: f32, %d: f32):
      %e = arith.mulf %a, %d : f32
      graph.yield %e : f32
    }
  }
}

// -----

// Rows of own are looked up in a varied table.
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w : tensor<8x4xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w") group("decay")
  graph.step @evaluate {
    %w = graph.read @w : tensor<8x4xf32>
    %i = graph.feed "i" {bound = 8 : i64} : tensor<4xi32>
    %own = graph.own_part %i over "tp"(2) : tensor<4xi32> -> tensor<2xi32>
    %v = graph.vary %w over "tp"(2) : tensor<8x4xf32>
    %r = graph.embedding %v, %own : tensor<8x4xf32>, tensor<2xi32> -> tensor<2x4xf32>
    %d = graph.dropout %r rate(0.1) {graph.within = array<i64: 4, 4>} : tensor<2x4xf32>
    %all = graph.all_gather %d over "tp"(2) : tensor<2x4xf32> -> tensor<4x4xf32>
    graph.report "y", %all : tensor<4x4xf32>
    // expected-error @+1 {{looks up a rank's indices in a table that is whole}}
    %s = graph.embedding %w, %own : tensor<8x4xf32>, tensor<2xi32> -> tensor<2x4xf32>
  }
}

// -----

// Masks would be those of the first rows on every rank.
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w : tensor<4x4xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w") group("decay")
  graph.step @evaluate {
    %w = graph.read @w : tensor<4x4xf32>
    %own = graph.own_part %w over "tp"(2) : tensor<4x4xf32> -> tensor<2x4xf32>
    // expected-error @+1 {{drops elements of a part, but does not say of which tensor}}
    %d = graph.dropout %own rate(0.1) : tensor<2x4xf32>
  }
}

// -----

// Tiles of what ranks have of a matrix: of its columns, which stand beside each other, and of its rows, whose
// products add up terms.
#identity = affine_map<(d0, d1) -> (d0, d1)>
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w1.tile0 : tensor<8x10xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w1") group("decay") slice(<[8, 16] from [0, 0]>) {graph.split = array<i64: 32, 16, 8, 32>}
  graph.state @w1.tile1 : tensor<8x6xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w1") group("decay") slice(<[8, 16] from [0, 10]>) {graph.split = array<i64: 32, 16, 8, 32>}
  graph.state @w2.tile0 : tensor<10x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w2") group("decay") slice(<[16, 8] from [0, 0]>) {graph.split = array<i64: 256, 128, 32, 8>}
  graph.state @w2.tile1 : tensor<6x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w2") group("decay") slice(<[16, 8] from [10, 0]>) {graph.split = array<i64: 256, 128, 32, 8>}
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<4x8xf32>
    %a0 = graph.read @w1.tile0 : tensor<8x10xf32>
    %a1 = graph.read @w1.tile1 : tensor<8x6xf32>
    %b0 = graph.read @w2.tile0 : tensor<10x8xf32>
    %b1 = graph.read @w2.tile1 : tensor<6x8xf32>
    %h0 = graph.matmul %x, %a0 : tensor<4x8xf32>, tensor<8x10xf32> -> tensor<4x10xf32>
    %h1 = graph.matmul %x, %a1 : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
    %h = graph.stack axis 1 ins(%h0, %h1 : tensor<4x10xf32>, tensor<4x6xf32>) map #identity -> tensor<4x16xf32>
    %t0 = graph.matmul %h0, %b0 : tensor<4x10xf32>, tensor<10x8xf32> -> tensor<4x8xf32>
    %t1 = graph.matmul %h1, %b1 onto(%t0 : tensor<4x8xf32>) : tensor<4x6xf32>, tensor<6x8xf32> -> tensor<4x8xf32>
    %s = graph.all_reduce %t1 over "tp"(2) : tensor<4x8xf32>
    graph.report "y", %s : tensor<4x8xf32>
    // expected-error @+1 {{adds terms to whole}}
    %wrong = graph.matmul %h1, %b1 onto(%s : tensor<4x8xf32>) : tensor<4x6xf32>, tensor<6x8xf32> -> tensor<4x8xf32>
  }
}

// -----

// A rank has one image of three channels. That ranks share out images, and not channels, only the product
// tells; another that reads channels in parts is not sound as well.
#element = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w : tensor<5x3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w") group("decay")
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<2x3x4xf32>
    %w = graph.read @w : tensor<5x3xf32>
    %own = graph.own_part %x over "tp"(2) : tensor<2x3x4xf32> -> tensor<1x3x4xf32>
    %patches = graph.map ins(%own : tensor<1x3x4xf32>) maps [#element] -> tensor<3x1x4xf32> {
    ^bb0(%e: f32):
      graph.yield %e : f32
    }
    %columns = graph.reshape %patches : tensor<3x1x4xf32> -> tensor<3x4xf32>
    %varied = graph.vary %w over "tp"(2) : tensor<5x3xf32>
    %y = graph.matmul %varied, %columns : tensor<5x3xf32>, tensor<3x4xf32> -> tensor<5x4xf32>
  }
  graph.step @sample {
    %x = graph.feed "x" : tensor<2x3x4xf32>
    %w = graph.read @w : tensor<5x3xf32>
    %own = graph.own_part %x over "tp"(2) : tensor<2x3x4xf32> -> tensor<1x3x4xf32>
    %patches = graph.map ins(%own : tensor<1x3x4xf32>) maps [#element] -> tensor<3x1x4xf32> {
    ^bb0(%e: f32):
      graph.yield %e : f32
    }
    %columns = graph.reshape %patches : tensor<3x1x4xf32> -> tensor<3x4xf32>
    %varied = graph.vary %w over "tp"(2) : tensor<5x3xf32>
    %y = graph.matmul %varied, %columns : tensor<5x3xf32>, tensor<3x4xf32> -> tensor<5x4xf32>
    // expected-error @+1 {{takes terms, but its operand is split(4 of 8)}}
    %sum = graph.all_reduce %y over "tp"(2) : tensor<5x4xf32>
  }
}

// -----

// Integers made of a whole value and a rank's own number: no gradient goes through them.
#whole = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> (0)>
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w0 : tensor<8x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w0") group("decay")
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<4x8xf32>
    %place = graph.feed "coordinate.tp" : tensor<1xi32>
    %w0 = graph.read @w0 : tensor<8x8xf32>
    %y = graph.matmul %x, %w0 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %rows = graph.map ins(%y, %place : tensor<4x8xf32>, tensor<1xi32>) maps [#whole, #one] -> tensor<4x8xi32> {
    ^bb0(%a: f32, %b: i32):
      %c = arith.fptosi %a : f32 to i32
      %d = arith.subi %c, %b : i32
      graph.yield %d : i32
    }
    // expected-error @+1 {{reads a whole value beside each rank's own}}
    %sum = graph.map ins(%y, %place : tensor<4x8xf32>, tensor<1xi32>) maps [#whole, #one] -> tensor<4x8xf32> {
    ^bb0(%a: f32, %b: i32):
      %c = arith.sitofp %b : i32 to f32
      %d = arith.addf %a, %c : f32
      graph.yield %d : f32
    }
  }
}

// -----

// Gradients of one parameter are added up behind the micro-batches. One that repeats along what ranks share out is each
// rank's; one that does not is read in parts.
#row = affine_map<(d0, d1) -> (d0, d1)>
#outer = affine_map<(d0, d1) -> (d0)>
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.state @w : tensor<4x2xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w") group("decay") {graph.split = array<i64: 4, 2, 4, 4>}
  graph.step @train {
    %g:3 = graph.micro_batches count(1) {
      %w = graph.read @w : tensor<4x2xf32>
      %c = graph.feed "c" : tensor<4x2xf32>
      %part = graph.reduce sum over [1] ins(%w : tensor<4x2xf32>) maps [#row] -> tensor<4xf32> {
      ^bb0(%a: f32):
        graph.yield %a : f32
      } {windlass.phase = #graph<phase backward>}
      %all = graph.all_reduce %part over "tp"(2) {windlass.phase = #graph<phase backward>} : tensor<4xf32>
      %spread = graph.map ins(%all : tensor<4xf32>) maps [#outer] -> tensor<4x2xf32> {
      ^bb0(%a: f32):
        graph.yield %a : f32
      } {windlass.phase = #graph<phase backward>}
      %own = graph.map ins(%w : tensor<4x2xf32>) maps [#row] -> tensor<4x2xf32> {
      ^bb0(%a: f32):
        graph.yield %a : f32
      } {windlass.phase = #graph<phase backward>}
      graph.yield %spread, %own, %c : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
    } {gradient_of = [@w, @w, @w]} : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
    %both = graph.map ins(%g#0, %g#1 : tensor<4x2xf32>, tensor<4x2xf32>) maps [#row, #row] -> tensor<4x2xf32> {
    ^bb0(%a: f32, %b: f32):
      %e = arith.addf %a, %b : f32
      graph.yield %e : f32
    }
    // expected-error @+1 {{operand 1 is free, but read in parts}}
    %more = graph.map ins(%both, %g#2 : tensor<4x2xf32>, tensor<4x2xf32>) maps [#row, #row] -> tensor<4x2xf32> {
    ^bb0(%a: f32, %b: f32):
      %e = arith.addf %a, %b : f32
      graph.yield %e : f32
    }
  }
}
