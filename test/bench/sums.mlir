// The kernels that SumBench.cpp times: sums over rows, columns and several dimensions.
#id1 = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>
#id3 = affine_map<(i, j, k) -> (i, j, k)>
#id4 = affine_map<(i, j, k, l) -> (i, j, k, l)>

func.func @columns(%x: tensor<512x1024xf32>) -> tensor<1024xf32> {
  %r = graph.reduce sum over [0] ins(%x : tensor<512x1024xf32>) maps [#id2] -> tensor<1024xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<1024xf32>
}

// As many rows that are counted by two loops.
func.func @columns_of_two(%x: tensor<16x32x1024xf32>) -> tensor<1024xf32> {
  %r = graph.reduce sum over [0, 1] ins(%x : tensor<16x32x1024xf32>) maps [#id3] -> tensor<1024xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<1024xf32>
}

func.func @channels(%x: tensor<8x16x64x64xf32>) -> tensor<16xf32> {
  %r = graph.reduce sum over [0, 2, 3] ins(%x : tensor<8x16x64x64xf32>) maps [#id4] -> tensor<16xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<16xf32>
}

func.func @small_channels(%x: tensor<32x334x7x7xf32>) -> tensor<334xf32> {
  %r = graph.reduce sum over [0, 2, 3] ins(%x : tensor<32x334x7x7xf32>) maps [#id4] -> tensor<334xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<334xf32>
}

func.func @rows(%x: tensor<512x1024xf32>) -> tensor<512xf32> {
  %r = graph.reduce sum over [1] ins(%x : tensor<512x1024xf32>) maps [#id2] -> tensor<512xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<512xf32>
}

func.func @odd_rows(%x: tensor<5217x101xf32>) -> tensor<5217xf32> {
  %r = graph.reduce sum over [1] ins(%x : tensor<5217x101xf32>) maps [#id2] -> tensor<5217xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<5217xf32>
}

func.func @short_rows(%x: tensor<40330x13xf32>) -> tensor<40330xf32> {
  %r = graph.reduce sum over [1] ins(%x : tensor<40330x13xf32>) maps [#id2] -> tensor<40330xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<40330xf32>
}

func.func @squares(%x: tensor<524288xf32>) -> tensor<f64> {
  %r = graph.reduce sum over [0] ins(%x : tensor<524288xf32>) maps [#id1] -> tensor<f64> {
  ^bb0(%a: f32):
    %w = arith.extf %a : f32 to f64
    %s = arith.mulf %w, %w : f64
    graph.yield %s : f64
  }
  return %r : tensor<f64>
}

func.func @layer_norm(%x: tensor<512x1024xf32>, %s: tensor<1024xf32>, %b: tensor<1024xf32>)
    -> (tensor<512x1024xf32>, tensor<512xf32>, tensor<512xf32>) {
  %y, %m, %d = graph.layer_norm %x, %s, %b epsilon(1.0e-5)
      : tensor<512x1024xf32>, tensor<1024xf32>, tensor<1024xf32> -> tensor<512x1024xf32>, tensor<512xf32>, tensor<512xf32>
  return %y, %m, %d : tensor<512x1024xf32>, tensor<512xf32>, tensor<512xf32>
}

func.func @layer_norm_grad(%x: tensor<512x1024xf32>, %g: tensor<512x1024xf32>, %s: tensor<1024xf32>,
    %m: tensor<512xf32>, %d: tensor<512xf32>) -> tensor<512x1024xf32> {
  %y = graph.layer_norm_grad %g, %x, %s, %m, %d
      : tensor<512x1024xf32>, tensor<512x1024xf32>, tensor<1024xf32>, tensor<512xf32>, tensor<512xf32> -> tensor<512x1024xf32>
  return %y : tensor<512x1024xf32>
}

func.func @softmax(%x: tensor<2590x203xf32>) -> (tensor<2590x203xf32>, tensor<2590xf32>) {
  %y, %l = graph.softmax %x : tensor<2590x203xf32> -> tensor<2590x203xf32>, tensor<2590xf32>
  return %y, %l : tensor<2590x203xf32>, tensor<2590xf32>
}

func.func @cross_entropy(%x: tensor<10x50257xf32>, %l: tensor<10xi64>) -> (tensor<10xf32>, tensor<10xf32>) {
  %a, %b = graph.cross_entropy %x, %l : tensor<10x50257xf32>, tensor<10xi64> -> tensor<10xf32>, tensor<10xf32>
  return %a, %b : tensor<10xf32>, tensor<10xf32>
}
