// The kernels that KernelBench.cpp times.
#id1 = affine_map<(i) -> (i)>
#all = affine_map<(i) -> ()>
#id2 = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
!matrix = tensor<512x1024xf32>
!columns = tensor<1024xf32>
!rows = tensor<512xf32>
!piece = tensor<16777216xf32>

func.func @bias_gelu(%x: !matrix, %b: !columns) -> !matrix {
  %r = graph.map ins(%x, %b : !matrix, !columns) maps [#id2, #column] -> !matrix {
  ^bb0(%p: f32, %q: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %c = arith.constant 0.044715 : f32
    %s = arith.constant 0.7978845608028654 : f32
    %v = arith.addf %p, %q : f32
    %v2 = arith.mulf %v, %v : f32
    %v3 = arith.mulf %v2, %v : f32
    %i0 = arith.mulf %c, %v3 : f32
    %i1 = arith.addf %v, %i0 : f32
    %i2 = arith.mulf %s, %i1 : f32
    %t = math.tanh %i2 : f32
    %u = arith.addf %one, %t : f32
    %w = arith.mulf %half, %v : f32
    %y = arith.mulf %w, %u : f32
    graph.yield %y : f32
  }
  return %r : !matrix
}

func.func @adamw(%p: !piece, %g: !piece, %m: !piece, %v: !piece, %lr: tensor<f32>, %c2: tensor<f32>)
    -> (!piece, !piece, !piece) {
  %r:3 = graph.map ins(%p, %g, %m, %v, %lr, %c2 : !piece, !piece, !piece, !piece, tensor<f32>, tensor<f32>)
      maps [#id1, #id1, #id1, #id1, #all, #all] -> !piece, !piece, !piece {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %rate: f32, %correction: f32):
    %b1 = arith.constant 0.9 : f32
    %n1 = arith.constant 0.1 : f32
    %b2 = arith.constant 0.999 : f32
    %n2 = arith.constant 0.001 : f32
    %eps = arith.constant 1.0e-8 : f32
    %m0 = arith.mulf %c, %b1 : f32
    %m1 = arith.mulf %b, %n1 : f32
    %mn = arith.addf %m0, %m1 : f32
    %v0 = arith.mulf %d, %b2 : f32
    %v1 = arith.mulf %b, %b : f32
    %v2 = arith.mulf %v1, %n2 : f32
    %vn = arith.addf %v0, %v2 : f32
    %vc = arith.divf %vn, %correction : f32
    %sq = math.sqrt %vc : f32
    %den = arith.addf %sq, %eps : f32
    %q = arith.divf %mn, %den : f32
    %u = arith.mulf %rate, %q : f32
    %pn = arith.subf %a, %u : f32
    graph.yield %pn, %mn, %vn : f32, f32, f32
  }
  return %r#0, %r#1, %r#2 : !piece, !piece, !piece
}

func.func @layer_norm(%x: !matrix, %s: !columns, %b: !columns) -> (!matrix, !rows, !rows) {
  %y, %m, %d = graph.layer_norm %x, %s, %b epsilon(1.0e-5) : !matrix, !columns, !columns -> !matrix, !rows, !rows
  return %y, %m, %d : !matrix, !rows, !rows
}

func.func @softmax(%x: tensor<4x512x512xf32>) -> (tensor<4x512x512xf32>, tensor<4x512xf32>) {
  %y, %l = graph.softmax %x causal {scale = 0.125 : f64} : tensor<4x512x512xf32> -> tensor<4x512x512xf32>, tensor<4x512xf32>
  return %y, %l : tensor<4x512x512xf32>, tensor<4x512xf32>
}

func.func @bias_gradient(%x: !matrix) -> !columns {
  %r = graph.reduce sum over [0] ins(%x : !matrix) maps [#id2] -> !columns {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : !columns
}

func.func @norm_slot(%x: tensor<524288xf32>) -> tensor<f64> {
  %r = graph.reduce sum over [0] ins(%x : tensor<524288xf32>) maps [#id1] -> tensor<f64> {
  ^bb0(%a: f32):
    %w = arith.extf %a : f32 to f64
    %s = arith.mulf %w, %w : f64
    graph.yield %s : f64
  }
  return %r : tensor<f64>
}

func.func @to_bf16(%x: tensor<524288xf32>) -> tensor<524288xbf16> {
  %r = graph.map ins(%x : tensor<524288xf32>) maps [#id1] -> tensor<524288xbf16> {
  ^bb0(%a: f32):
    %t = arith.truncf %a : f32 to bf16
    graph.yield %t : bf16
  }
  return %r : tensor<524288xbf16>
}

func.func @dropout(%x: !matrix, %keys: tensor<1x2xi32>, %block: tensor<i32>) -> !matrix {
  %r = graph.map ins(%x, %keys, %keys, %block : !matrix, tensor<1x2xi32>, tensor<1x2xi32>, tensor<i32>)
      maps [#id2, affine_map<(d0, d1) -> (0, 0)>, affine_map<(d0, d1) -> (0, 1)>, affine_map<(d0, d1) -> ()>] -> !matrix {
  ^bb0(%a: f32, %k0: i32, %k1: i32, %b: i32):
    %before = arith.index_cast %b : i32 to index
    %rows = arith.constant 512 : index
    %first = arith.muli %before, %rows : index
    %i = graph.index 0 : index
    %j = graph.index 1 : index
    %row = arith.addi %first, %i : index
    %u = graph.random %k0, %k1 [%row, %j] : f32
    %rate = arith.constant 0.1 : f32
    %scale = arith.constant 1.111111164 : f32
    %zero = arith.constant 0.0 : f32
    %stays = arith.cmpf oge, %u, %rate : f32
    %scaled = arith.mulf %a, %scale : f32
    %y = arith.select %stays, %scaled, %zero : f32
    graph.yield %y : f32
  }
  return %r : !matrix
}

// Across the rows of the tensor that is dropped: every lane draws a block of its own.
func.func @dropout_across(%x: !matrix, %keys: tensor<1x2xi32>, %block: tensor<i32>) -> !matrix {
  %r = graph.map ins(%x, %keys, %keys, %block : !matrix, tensor<1x2xi32>, tensor<1x2xi32>, tensor<i32>)
      maps [#id2, affine_map<(d0, d1) -> (0, 0)>, affine_map<(d0, d1) -> (0, 1)>, affine_map<(d0, d1) -> ()>] -> !matrix {
  ^bb0(%a: f32, %k0: i32, %k1: i32, %b: i32):
    %before = arith.index_cast %b : i32 to index
    %rows = arith.constant 512 : index
    %first = arith.muli %before, %rows : index
    %i = graph.index 0 : index
    %j = graph.index 1 : index
    %row = arith.addi %first, %i : index
    %u = graph.random %k0, %k1 [%j, %row] : f32
    %rate = arith.constant 0.1 : f32
    %scale = arith.constant 1.111111164 : f32
    %zero = arith.constant 0.0 : f32
    %stays = arith.cmpf oge, %u, %rate : f32
    %scaled = arith.mulf %a, %scale : f32
    %y = arith.select %stays, %scaled, %zero : f32
    graph.yield %y : f32
  }
  return %r : !matrix
}
