// RUN: windlass-opt %s --split-input-file --verify-splits --verify-diagnostics

// Several ways may explain what a rank has; exchanges behind it tell which.

// Two examples of the only head that a rank has, in one dimension. Rows of both end where the part does, and would be
// summed; that the product is one for each example only the gather tells.
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.step @evaluate {
    %p = graph.feed "p" : tensor<2x2x64xf32>
    %d = graph.feed "d" : tensor<2x2x64xf32>
    %ownP = graph.own_part %p over "tp"(2) : tensor<2x2x64xf32> -> tensor<1x2x64xf32>
    %ownD = graph.own_part %d over "tp"(2) : tensor<2x2x64xf32> -> tensor<1x2x64xf32>
    %weights = graph.reshape %ownP : tensor<1x2x64xf32> -> tensor<2x8x8xf32>
    %gradient = graph.reshape %ownD : tensor<1x2x64xf32> -> tensor<2x8x8xf32>
    %values = graph.matmul %weights transposed, %gradient : tensor<2x8x8xf32>, tensor<2x8x8xf32> -> tensor<2x8x8xf32>
    %own = graph.reshape %values : tensor<2x8x8xf32> -> tensor<1x2x64xf32>
    %all = graph.all_gather %own over "tp"(2) : tensor<1x2x64xf32> -> tensor<2x2x64xf32>
    graph.report "values", %all : tensor<2x2x64xf32>
  }
}

// -----

// A sum for each channel over a rank's one image: terms, though they get another shape before they are added up.
#element = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<2x8x2x2xf32>
    %own = graph.own_part %x over "tp"(2) : tensor<2x8x2x2xf32> -> tensor<1x8x2x2xf32>
    %t = graph.reduce sum over [0, 2, 3] ins(%own : tensor<1x8x2x2xf32>) maps [#element] -> tensor<8xf32> {
    ^bb0(%a: f32):
      graph.yield %a : f32
    }
    %scale = graph.reshape %t : tensor<8xf32> -> tensor<8x1x1xf32>
    %s = graph.all_reduce %scale over "tp"(2) : tensor<8x1x1xf32>
    graph.report "sum", %s : tensor<8x1x1xf32>
    // Of other channels a rank has no terms.
    %r = graph.reduce sum over [2, 3] ins(%own : tensor<1x8x2x2xf32>) maps [#element] -> tensor<1x8xf32> {
    ^bb0(%a: f32):
      graph.yield %a : f32
    }
    // expected-error @+1 {{takes terms, but its operand is split(8 of 16)}}
    %wrong = graph.all_reduce %r over "tp"(2) : tensor<1x8xf32>
  }
}

// -----

// The gradient of the first of three gates that are packed in one row: of a single row what is put behind a rank's part
// might stand in every row as well. That it is a run for each gate the other gates tell.
#row = affine_map<(d0, d1) -> (d0, d1)>
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<2x1x6xf32>
    %y = graph.feed "y" : tensor<2x3x6xf32>
    %ownX = graph.own_part %x over "tp"(2) : tensor<2x1x6xf32> -> tensor<1x1x6xf32>
    %ownY = graph.own_part %y over "tp"(2) : tensor<2x3x6xf32> -> tensor<1x3x6xf32>
    %gate = graph.reshape %ownX : tensor<1x1x6xf32> -> tensor<1x6xf32>
    %gates = graph.reshape %ownY : tensor<1x3x6xf32> -> tensor<1x18xf32>
    %padded = graph.pad %gate before [0, 0] steps [1, 1] : tensor<1x6xf32> -> tensor<1x18xf32>
    %sum = graph.map ins(%gates, %padded : tensor<1x18xf32>, tensor<1x18xf32>) maps [#row, #row] -> tensor<1x18xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      graph.yield %c : f32
    }
    %rows = graph.reshape %sum : tensor<1x18xf32> -> tensor<1x3x6xf32>
    %all = graph.all_gather %rows over "tp"(2) : tensor<1x3x6xf32> -> tensor<2x3x6xf32>
    graph.report "y", %all : tensor<2x3x6xf32>
    // Half a run before a rank's own is no part of anything.
    // expected-error @+1 {{no loop walks through what is split of operand 0}}
    %wrong = graph.pad %gates before [0, 3] steps [1, 1] : tensor<1x18xf32> -> tensor<1x24xf32>
  }
}

// -----

// A matrix for all channels, of which ranks share out two of every four: one number over and over along them. Of one
// channel a rank's rows may be what is split as well. The product would then be terms, which only an exchange of terms
// takes.
#spread = affine_map<(d0, d1, d2) -> (d1, d2)>
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.step @evaluate {
    %x = graph.feed "x" : tensor<2x2x50xf32>
    %table = graph.feed "table" : tensor<9x5xf32>
    %own = graph.own_part %x over "tp"(2) : tensor<2x2x50xf32> -> tensor<1x2x50xf32>
    %images = graph.reshape %own : tensor<1x2x50xf32> -> tensor<4x5x5xf32>
    %each = graph.map ins(%table : tensor<9x5xf32>) maps [#spread] -> tensor<4x9x5xf32> {
    ^bb0(%a: f32):
      graph.yield %a : f32
    }
    %resized = graph.matmul %each, %images : tensor<4x9x5xf32>, tensor<4x5x5xf32> -> tensor<4x9x5xf32>
    %rows = graph.reshape %resized : tensor<4x9x5xf32> -> tensor<1x2x90xf32>
    %all = graph.all_gather %rows over "tp"(2) : tensor<1x2x90xf32> -> tensor<2x2x90xf32>
    graph.report "y", %all : tensor<2x2x90xf32>
    %z = graph.feed "z" : tensor<2x2x25xf32>
    %one = graph.own_part %z over "tp"(2) : tensor<2x2x25xf32> -> tensor<1x2x25xf32>
    %image = graph.reshape %one : tensor<1x2x25xf32> -> tensor<2x5x5xf32>
    %both = graph.map ins(%table : tensor<9x5xf32>) maps [#spread] -> tensor<2x9x5xf32> {
    ^bb0(%a: f32):
      graph.yield %a : f32
    }
    %alone = graph.matmul %both, %image : tensor<2x9x5xf32>, tensor<2x5x5xf32> -> tensor<2x9x5xf32>
    %row = graph.reshape %alone : tensor<2x9x5xf32> -> tensor<1x2x45xf32>
    %everyones = graph.all_gather %row over "tp"(2) : tensor<1x2x45xf32> -> tensor<2x2x45xf32>
    graph.report "z", %everyones : tensor<2x2x45xf32>
    // A matrix that differs from channel to channel is read in parts.
    %matrices = graph.feed "matrices" : tensor<2x9x5xf32>
    // expected-error @+1 {{operand 0 is free, but read in parts}}
    %open = graph.matmul %matrices, %image : tensor<2x9x5xf32>, tensor<2x5x5xf32> -> tensor<2x9x5xf32>
  }
}

// -----

// The same, taken for a sum over a rank's rows.
#spread = affine_map<(d0, d1, d2) -> (d1, d2)>
module attributes {windlass.tensor_ranks = 2 : i64} {
  graph.step @evaluate {
    %z = graph.feed "z" : tensor<2x2x25xf32>
    %table = graph.feed "table" : tensor<9x5xf32>
    %one = graph.own_part %z over "tp"(2) : tensor<2x2x25xf32> -> tensor<1x2x25xf32>
    %image = graph.reshape %one : tensor<1x2x25xf32> -> tensor<2x5x5xf32>
    %both = graph.map ins(%table : tensor<9x5xf32>) maps [#spread] -> tensor<2x9x5xf32> {
    ^bb0(%a: f32):
      graph.yield %a : f32
    }
    %alone = graph.matmul %both, %image : tensor<2x9x5xf32>, tensor<2x5x5xf32> -> tensor<2x9x5xf32>
    // expected-error @+1 {{takes terms, but its operand is split(45 of 90)}}
    %sum = graph.all_reduce %alone over "tp"(2) : tensor<2x9x5xf32>
    graph.report "z", %sum : tensor<2x9x5xf32>
  }
}

// -----

// The gradient of a result on which the loss does not depend: zeros are the rows of zeros of each rank.
#element = affine_map<(d0, d1) -> (d0, d1)>
module attributes {windlass.tensor_ranks = 2 : i64} {
  func.func private @layer.fwd(%x: tensor<2x8xf32>) -> tensor<2x8xf32> attributes {graph.form = #graph.layer_form<forward of "layer">} {
    return %x : tensor<2x8xf32>
  }
  func.func private @layer.bwd(%dy: tensor<2x8xf32> {windlass.result_gradient = 0 : i64}) -> tensor<8xf32> attributes {graph.form = #graph.layer_form<backward of "layer">} {
    %t = graph.reduce sum over [0] ins(%dy : tensor<2x8xf32>) maps [#element] -> tensor<8xf32> {
    ^bb0(%a: f32):
      graph.yield %a : f32
    }
    %s = graph.all_reduce %t over "tp"(2) : tensor<8xf32>
    return %s : tensor<8xf32>
  }
  graph.step @train {
    %x = graph.feed "x" : tensor<4x8xf32>
    %own = graph.own_part %x over "tp"(2) : tensor<4x8xf32> -> tensor<2x8xf32>
    %y = func.call @layer.fwd(%own) {layer = "h.0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %zeros = graph.map ins() maps [] -> tensor<2x8xf32> {
      %c = arith.constant 0.0 : f32
      graph.yield %c : f32
    }
    %s = func.call @layer.bwd(%zeros) {layer = "h.0"} : (tensor<2x8xf32>) -> tensor<8xf32>
    graph.report "sum", %s : tensor<8xf32>
  }
}

// -----

// Ones are not: a rank's rows of them have another sum.
#element = affine_map<(d0, d1) -> (d0, d1)>
module attributes {windlass.tensor_ranks = 2 : i64} {
  func.func private @layer.fwd(%x: tensor<2x8xf32>) -> tensor<2x8xf32> attributes {graph.form = #graph.layer_form<forward of "layer">} {
    return %x : tensor<2x8xf32>
  }
  func.func private @layer.bwd(%dy: tensor<2x8xf32> {windlass.result_gradient = 0 : i64}) -> tensor<8xf32> attributes {graph.form = #graph.layer_form<backward of "layer">} {
    %t = graph.reduce sum over [0] ins(%dy : tensor<2x8xf32>) maps [#element] -> tensor<8xf32> {
    ^bb0(%a: f32):
      graph.yield %a : f32
    }
    // expected-error @+1 {{takes terms, but its operand is free}}
    %s = graph.all_reduce %t over "tp"(2) : tensor<8xf32>
    return %s : tensor<8xf32>
  }
  graph.step @train {
    %x = graph.feed "x" : tensor<4x8xf32>
    %own = graph.own_part %x over "tp"(2) : tensor<4x8xf32> -> tensor<2x8xf32>
    %y = func.call @layer.fwd(%own) {layer = "h.0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %ones = graph.map ins() maps [] -> tensor<2x8xf32> {
      %c = arith.constant 1.0 : f32
      graph.yield %c : f32
    }
    %s = func.call @layer.bwd(%ones) {layer = "h.0"} : (tensor<2x8xf32>) -> tensor<8xf32>
    graph.report "sum", %s : tensor<8xf32>
  }
}
