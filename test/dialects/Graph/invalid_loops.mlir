// RUN: windlass-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{must have one map per input, 1, but has 2}}
  %0 = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>] -> tensor<2x3xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{input 0: its map must be over the 2 loops, but is affine_map<(d0) -> (d0, 0)>}}
  %0 = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0) -> (d0, 0)>] -> tensor<2x3xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{input 0: its map must give 2 indices, but gives 1}}
  %0 = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0)>] -> tensor<2x3xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{input 0: fixed index 3 is outside its dimension of extent 3}}
  %0 = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, 3)>] -> tensor<2x3xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{input 0: index d1 + 1 runs from 1 to 3, outside its dimension of extent 3}}
  %0 = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1 + 1)>] -> tensor<2x3xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{input 0: an index must be a sum of loops times constants plus a constant, but is d1 floordiv 2}}
  %0 = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1 floordiv 2)>] -> tensor<2x3xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{input 0: loop d1 has extent 3, but indexes a dimension of extent 2}}
  %0 = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d1, d0)>] -> tensor<2x3xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{its results must have one shape, but are 'tensor<2x3xf32>' and 'tensor<3x2xf32>'}}
  %0:2 = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2x3xf32>, tensor<3x2xf32> {
  ^bb0(%a: f32):
    graph.yield %a, %a : f32, f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{argument 0 of its body must have the input's element type 'f32', but has 'bf16'}}
  %0 = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2x3xf32> {
  ^bb0(%a: bf16):
    graph.yield %a : bf16
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{its body must have one argument per input, 1, but has 2}}
  %0 = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2x3xf32> {
  ^bb0(%a: f32, %b: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{its body must yield one scalar per result, 1, but yields 2}}
  %0 = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2x3xf32> {
  ^bb0(%a: f32):
    graph.yield %a, %a : f32, f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{result 0 has elements of type 'bf16', but its body yields 'f32'}}
  %0 = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2x3xbf16> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  %0 = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2x3xf32> {
  ^bb0(%a: f32):
    // expected-error @+1 {{there are 2 loops, but this is loop 2}}
    %i = graph.index 2 : index
    graph.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  %0 = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2x3xf32> {
  ^bb0(%a: f32):
    // expected-error @+1 {{a body is made of arith, math, graph.index, graph.lookup and graph.random only}}
    %t = graph.feed "x" : tensor<f32>
    graph.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{loop d2 is the plain index of no input}}
  %0 = graph.reduce sum over [1] ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1, d2) -> (d0, d1)>] -> tensor<2xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the reduced loops must ascend within the 2 loops, but there is 2 after -1}}
  %0 = graph.reduce sum over [2] ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the reduced loops must ascend within the 2 loops, but there is 0 after 1}}
  %0 = graph.reduce sum over [1, 0] ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{its results must have the shape of the loops that are left, 'tensor<2xf32>', but there is 'tensor<3xf32>'}}
  %0 = graph.reduce sum over [1] ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<3xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{must keep elements and their type, but turns 'tensor<2x3xf32>' into 'tensor<5xf32>'}}
  %0 = graph.reshape %x : tensor<2x3xf32> -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{axis must be a dimension of 'tensor<2x3xf32>', but is 2}}
  %0 = graph.stack axis 2 ins(%x, %x : tensor<3xf32>, tensor<3xf32>) map affine_map<(d0, d1) -> (d1)> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{dimension 0 of its result must have the 2 indices that its inputs take, but has 3}}
  %0 = graph.stack axis 0 ins(%x, %x : tensor<3xf32>, tensor<3xf32>) map affine_map<(d0, d1) -> (d1)> -> tensor<3x3xf32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{dimension 0 of its result must have the 6 indices that its inputs take, but has 2}}
  %0 = graph.stack axis 0 ins(%x, %x : tensor<3xf32>, tensor<3xf32>) map affine_map<(d0, d1) -> (d0)> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{its inputs must have the result's elements and the map's rank, but there is 'tensor<3xf32>'}}
  %0 = graph.stack axis 0 ins(%x, %x : tensor<3xf32>, tensor<3xf32>) map affine_map<(d0, d1) -> (d1, 0)> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{places dimension 1 at 1, then every 2, up to 5, outside of extent 5}}
  %0 = graph.pad %x before [0, 1] steps [1, 2] : tensor<2x3xf32> -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<3xi32>) {
  %0 = graph.pad %x before [1] steps [1] {value = -7.0} : tensor<3xi32> -> tensor<4xi32>
  // expected-error @+1 {{fills with a number of 'i32', not with 1.500000e+00}}
  %1 = graph.pad %x before [1] steps [1] {value = 1.5} : tensor<3xi32> -> tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<3xi32>) {
  // expected-error @+1 {{fills with a number of 'i32', not with 1.000000e+300}}
  %0 = graph.pad %x before [1] steps [1] {value = 1.0e300} : tensor<3xi32> -> tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  %0 = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2x3xf32> {
  ^bb0(%a: f32):
    %i = graph.index 0 : index
    // expected-error @+1 {{must have an index per dimension of its table and give an element of it, but has 1 of 'tensor<2x1xf32>' and gives 'f32'}}
    %t = graph.lookup dense<1.0> : tensor<2x1xf32> [%i] : f32
    graph.yield %t : f32
  }
  return
}
