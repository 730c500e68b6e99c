// RUN: windlass-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<2xf32>, %b: tensor<2x3xf32>) {
  // expected-error @+1 {{'a' must have at least 2 dimensions, but is 'tensor<2xf32>'}}
  %0 = graph.matmul %a, %b : tensor<2xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<4x2x3xf32>, %b: tensor<5x3x6xf32>) {
  // expected-error @+1 {{its operands must have equal batch dimensions, but are 'tensor<4x2x3xf32>' and 'tensor<5x3x6xf32>'}}
  %0 = graph.matmul %a, %b : tensor<4x2x3xf32>, tensor<5x3x6xf32> -> tensor<4x2x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xbf16>, %b: tensor<3x5xbf16>, %c: tensor<2x5xbf16>) {
  // expected-error @+1 {{'onto' must have the result's type 'tensor<2x5xf32>', but is 'tensor<2x5xbf16>'}}
  %0 = graph.matmul %a, %b onto(%c : tensor<2x5xbf16>) : tensor<2x3xbf16>, tensor<3x5xbf16> -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%t: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{begins at a row of its table, not at -1}}
  %0 = graph.embedding %t from -1, %i : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error @+1 {{sums over k, which is 3 in a but 4 in b}}
  %0 = graph.matmul %a, %b : tensor<2x3xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error @+1 {{'result' must have shape [2, 5], but is 'tensor<5x2xf32>'}}
  %0 = graph.matmul %a, %b : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<5x2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf64>, %b: tensor<3x5xf64>) {
  // expected-error @+1 {{'a' must have float elements of at most 32 bits, but is 'tensor<2x3xf64>'}}
  %0 = graph.matmul %a, %b : tensor<2x3xf64>, tensor<3x5xf64> -> tensor<2x5xf64>
  return
}

// -----

func.func @f(%t: tensor<9xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{'table' must have 2 dimensions, but is 'tensor<9xf32>'}}
  %0 = graph.embedding %t, %i : tensor<9xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%t: tensor<9x4xf32>, %i: tensor<3xf32>) {
  // expected-error @+1 {{'indices' must have integer elements, but is 'tensor<3xf32>'}}
  %0 = graph.embedding %t, %i : tensor<9x4xf32>, tensor<3xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%t: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{'graph.padding' must be a row of the table, but is 9 : i64}}
  %0 = graph.embedding %t, %i {graph.padding = 9 : i64} : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%g: tensor<3x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{'result' must have shape [9, 4], but is 'tensor<9x5xf32>'}}
  %0 = graph.embedding_grad %g, %i : tensor<3x4xf32>, tensor<3xi64> -> tensor<9x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{epsilon must be positive, but is 0}}
  %r, %m, %d = graph.layer_norm %x, %s, %s epsilon(0.0) : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>, %s: tensor<5xf32>) {
  // expected-error @+1 {{'scale' must have shape [4], but is 'tensor<5xf32>'}}
  %r, %m, %d = graph.layer_norm %x, %s, %s epsilon(1.0e-5) : tensor<2x4xf32>, tensor<5xf32>, tensor<5xf32> -> tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'mean' must have f32 elements, but is 'tensor<2xbf16>'}}
  %r, %m, %d = graph.layer_norm %x, %s, %s epsilon(1.0e-5) : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x4xf32>, tensor<2xbf16>, tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'input' must have at least 2 dimensions, but is 'tensor<4xf32>'}}
  %r, %l = graph.softmax %x causal : tensor<4xf32> -> tensor<4xf32>, tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{'base' must have numbers that bodies compute in and extents of [2] or 1, but is 'tensor<4xf32>'}}
  %r, %l = graph.softmax %x base(%b : tensor<4xf32>) : tensor<2x4xf32> -> tensor<2x4xf32>, tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'lse' must have shape [2], but is 'tensor<4xf32>'}}
  %r, %l = graph.softmax %x : tensor<2x4xf32> -> tensor<2x4xf32>, tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>, %l: tensor<4xi64>) {
  // expected-error @+1 {{'labels' must have shape [2], but is 'tensor<4xi64>'}}
  %r, %e = graph.cross_entropy %x, %l : tensor<2x4xf32>, tensor<4xi64> -> tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<6x24xf32>) {
  // expected-error @+1 {{batch must divide the 6 rows of 'qkv', but is 4}}
  %r, %l = graph.attention %x batch(4) heads(2) : tensor<6x24xf32> -> tensor<6x8xf32>, tensor<2x2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<6x24xf32>) {
  // expected-error @+1 {{three times heads must divide the 24 columns of 'qkv', but heads is 3}}
  %r, %l = graph.attention %x batch(2) heads(3) : tensor<6x24xf32> -> tensor<6x8xf32>, tensor<2x2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<6x24xf32>) {
  // expected-error @+1 {{'output' must have shape [6, 8], but is 'tensor<6x24xf32>'}}
  %r, %l = graph.attention %x batch(2) heads(2) : tensor<6x24xf32> -> tensor<6x24xf32>, tensor<2x2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<6x24xf32>) {
  // expected-error @+1 {{'lse' must have shape [2, 2, 3], but is 'tensor<2x3x2xf32>'}}
  %r, %l = graph.attention %x batch(2) heads(2) : tensor<6x24xf32> -> tensor<6x8xf32>, tensor<2x3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<6x24xf32>, %d: tensor<6x8xf32>, %l: tensor<2x2x3xf32>) {
  // expected-error @+1 {{gives a gradient for each of its 1 inputs, and for its mask where it has one, but has 2 results}}
  %g:2 = graph.attention_grad %d, %d, %l of %x batch(2) heads(2) : tensor<6x8xf32>, tensor<6x8xf32>, tensor<2x2x3xf32>
      of tensor<6x24xf32> -> tensor<6x24xf32>, tensor<2x2x3x3xf32>
  return
}

// -----

func.func @f(%x: tensor<6x24xf32>, %d: tensor<6x8xf32>, %l: tensor<2x2x3xf32>, %m: tensor<1x2x3x3xf32>) {
  // expected-error @+1 {{'result' must have shape [1, 2, 3, 3], but is 'tensor<2x2x3x3xf32>'}}
  %g:2 = graph.attention_grad %d, %d, %l of %x mask(%m : tensor<1x2x3x3xf32>) batch(2) heads(2)
      : tensor<6x8xf32>, tensor<6x8xf32>, tensor<2x2x3xf32> of tensor<6x24xf32> -> tensor<6x24xf32>, tensor<2x2x3x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{'norm' must have shape [], but is 'tensor<1xf32>'}}
  %n = graph.grad_norm %x : tensor<2xf32> -> tensor<1xf32>
  return
}

// -----

func.func @f(%x: tensor<6x24xf32>) {
  // expected-error @+1 {{drops a share of at least 0 and less than 1, but of 1.0}}
  %d = graph.dropout %x rate(1.0) : tensor<6x24xf32>
  return
}

// -----

func.func @f(%x: tensor<6x24xi32>) {
  // expected-error @+1 {{'input' must be a tensor of floats, but is 'tensor<6x24xi32>'}}
  %d = graph.dropout %x rate(0.1) : tensor<6x24xi32>
  return
}

// -----

func.func @f(%x: tensor<6x24xf32>, %k: tensor<1x2xi32>) {
  // expected-error @+1 {{takes the keys and the block of its dropout, or nothing, but takes 1 operands}}
  %r, %l = graph.attention %x batch(2) heads(2) dropout(0.1) random(%k : tensor<1x2xi32>) : tensor<6x24xf32> -> tensor<6x8xf32>, tensor<2x2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<6x24xf32>, %k: tensor<1x2xi32>, %b: tensor<i32>) {
  // expected-error @+1 {{takes the keys and the block of its dropout, or nothing, but takes 2 operands for none}}
  %r, %l = graph.attention %x batch(2) heads(2) random(%k, %b : tensor<1x2xi32>, tensor<i32>) : tensor<6x24xf32> -> tensor<6x8xf32>, tensor<2x2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<6x24xf32>, %k: tensor<2xi32>, %b: tensor<i32>) {
  // expected-error @+1 {{its keys must be pairs of i32, but are 'tensor<2xi32>'}}
  %r, %l = graph.attention %x batch(2) heads(2) dropout(0.1) random(%k, %b : tensor<2xi32>, tensor<i32>) : tensor<6x24xf32> -> tensor<6x8xf32>, tensor<2x2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<6x24xf32>, %k: tensor<2x2xi32>, %b: tensor<i32>) {
  // expected-error @+1 {{site must be below its 2 keys, but is 2}}
  %r, %l = graph.attention %x batch(2) heads(2) dropout(0.1) random(%k, %b : tensor<2x2xi32>, tensor<i32>) {site = 2 : i64} : tensor<6x24xf32> -> tensor<6x8xf32>, tensor<2x2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<6x24xf32>, %k: tensor<2x2xi32>, %b: tensor<1xi32>) {
  // expected-error @+1 {{its block must be one i32, but is 'tensor<1xi32>'}}
  %r, %l = graph.attention %x batch(2) heads(2) dropout(0.1) random(%k, %b : tensor<2x2xi32>, tensor<1xi32>) : tensor<6x24xf32> -> tensor<6x8xf32>, tensor<2x2x3xf32>
  return
}

// -----

func.func @batch_norm_without_channels(%x: tensor<4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'input' must have batch and channels, but is 'tensor<4xf32>'}}
  %r, %m, %v = graph.batch_norm %x, %s, %s running(%s, %s) epsilon(1.0e-5) momentum(0.1) : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @batch_norm_epsilon(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{epsilon must be positive, but is 0}}
  %r, %m, %v = graph.batch_norm %x, %s, %s running(%s, %s) epsilon(0.0) momentum(0.1) : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @batch_norm_momentum(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{momentum must be from 0 to 1, but is 1.5}}
  %r, %m, %v = graph.batch_norm %x, %s, %s running(%s, %s) epsilon(1.0e-5) momentum(1.5) : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @batch_norm_of_one_element(%x: tensor<1x4xf32>, %s: tensor<4xf32>, %h: tensor<f32>) {
  // expected-error @+1 {{a channel must have two elements or more to be normalised in training, has 1}}
  %r, %m, %v = graph.batch_norm %x, %s, %s running(%s, %s) epsilon(1.0e-5) momentum(0.1) training(%h : tensor<f32>) : tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @batch_norm_share(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'share' must be one f32, but is 'tensor<4xf32>'}}
  %r, %m, %v = graph.batch_norm %x, %s, %s running(%s, %s) epsilon(1.0e-5) momentum(0.1) training(%s : tensor<4xf32>) : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @batch_norm_channels(%x: tensor<2x5xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'scale' must have shape [5] and float elements of at most 32 bits, but is 'tensor<4xf32>'}}
  %r, %m, %v = graph.batch_norm %x, %s, %s running(%s, %s) epsilon(1.0e-5) momentum(0.1) : tensor<2x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x5xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @batch_norm_result(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'result' must have shape [2, 4] and float elements of at most 32 bits, but is 'tensor<2x3xf32>'}}
  %r, %m, %v = graph.batch_norm %x, %s, %s running(%s, %s) epsilon(1.0e-5) momentum(0.1) : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x3xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @batch_norm_statistic(%x: tensor<2x4xf32>, %s: tensor<4xf32>, %m: tensor<4xbf16>) {
  // expected-error @+1 {{'mean' must have shape [4] and f32 elements, but is 'tensor<4xbf16>'}}
  %r, %um, %v = graph.batch_norm %x, %s, %s running(%m, %s) epsilon(1.0e-5) momentum(0.1) : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<4xf32> -> tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}
