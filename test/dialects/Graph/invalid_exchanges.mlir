// RUN: windlass-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{is between at least one rank, but ranks is 0}}
  %0 = graph.vary %x over "tp"(0) : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error @+1 {{adds floats, but its input is 'tensor<4xi32>'}}
  %0 = graph.all_reduce %x over "tp"(2) : tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{joins the rows of 2 ranks, but a rank's are 'tensor<4x2xf32>' and all are 'tensor<4x4xf32>'}}
  %0 = graph.all_gather %x over "tp"(2) : tensor<4x2xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{joins the rows of 3 ranks, but a rank's are 'tensor<2x2xf32>' and all are 'tensor<4x2xf32>'}}
  %0 = graph.reduce_scatter %x over "tp"(3) : tensor<4x2xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{joins the rows of 2 ranks, but a rank's are 'tensor<2xbf16>' and all are 'tensor<4xf32>'}}
  %0 = graph.own_part %x over "tp"(2) : tensor<4xf32> -> tensor<2xbf16>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{joins the rows of 1 ranks, but a rank's are 'tensor<f32>' and all are 'tensor<f32>'}}
  %0 = graph.all_gather %x over "tp"(1) : tensor<f32> -> tensor<f32>
  return
}
