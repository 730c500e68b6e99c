// Two transformer layers with tied embeddings, as import writes them: what the tests of the level run on.
// Vocabulary 11, width 8, 2 sequences of 6 tokens, 2 heads.
graph.state @wte : tensor<11x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("wte") group("decay")
graph.state @wpe : tensor<6x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("wpe") group("decay")
graph.state @h.0.ln_1.weight : tensor<8xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("h.0.ln_1.weight") group("no_decay") {layer = "h.0"}
graph.state @h.0.ln_1.bias : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.ln_1.bias") group("no_decay") {layer = "h.0"}
graph.state @h.0.qkv.weight : tensor<8x24xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.3 : f64>) original("h.0.qkv.weight") group("decay") {layer = "h.0"}
graph.state @h.0.proj.weight : tensor<8x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.3 : f64>) original("h.0.proj.weight") group("decay") {layer = "h.0"}
graph.state @h.0.fc.weight : tensor<8x32xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.3 : f64>) original("h.0.fc.weight") group("decay") {layer = "h.0"}
graph.state @h.0.fc.bias : tensor<32xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.1 : f64>) original("h.0.fc.bias") group("no_decay") {layer = "h.0"}
graph.state @h.0.fc2.weight : tensor<32x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.3 : f64>) original("h.0.fc2.weight") group("decay") {layer = "h.0"}
graph.state @h.1.ln_1.weight : tensor<8xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("h.1.ln_1.weight") group("no_decay") {layer = "h.1"}
graph.state @h.1.ln_1.bias : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.1.ln_1.bias") group("no_decay") {layer = "h.1"}
graph.state @h.1.qkv.weight : tensor<8x24xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.3 : f64>) original("h.1.qkv.weight") group("decay") {layer = "h.1"}
graph.state @h.1.proj.weight : tensor<8x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.3 : f64>) original("h.1.proj.weight") group("decay") {layer = "h.1"}
graph.state @h.1.fc.weight : tensor<8x32xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.3 : f64>) original("h.1.fc.weight") group("decay") {layer = "h.1"}
graph.state @h.1.fc.bias : tensor<32xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.1 : f64>) original("h.1.fc.bias") group("no_decay") {layer = "h.1"}
graph.state @h.1.fc2.weight : tensor<32x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.3 : f64>) original("h.1.fc2.weight") group("decay") {layer = "h.1"}
graph.state @ln_f.weight : tensor<8xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("ln_f.weight") group("no_decay")
graph.state @ln_f.bias : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("ln_f.bias") group("no_decay")

#rows = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>

func.func private @block(%x: tensor<12x8xf32>, %ln_1_weight: tensor<8xf32>, %ln_1_bias: tensor<8xf32>, %qkv_weight: tensor<8x24xf32>, %proj_weight: tensor<8x8xf32>, %fc_weight: tensor<8x32xf32>, %fc_bias: tensor<32xf32>, %fc2_weight: tensor<32x8xf32>) -> tensor<12x8xf32> {
  %n, %mean, %rstd = graph.layer_norm %x, %ln_1_weight, %ln_1_bias epsilon(1.0e-5) : tensor<12x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<12x8xf32>, tensor<12xf32>, tensor<12xf32>
  %qkv = graph.matmul %n, %qkv_weight : tensor<12x8xf32>, tensor<8x24xf32> -> tensor<12x24xf32>
  %a, %lse = graph.attention %qkv batch(2) heads(2) causal : tensor<12x24xf32> -> tensor<12x8xf32>, tensor<2x2x6xf32>
  %p = graph.matmul %a, %proj_weight : tensor<12x8xf32>, tensor<8x8xf32> -> tensor<12x8xf32>
  %x1 = graph.map ins(%x, %p : tensor<12x8xf32>, tensor<12x8xf32>) maps [#rows, #rows] -> tensor<12x8xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    graph.yield %s : f32
  }
  %f = graph.matmul %x1, %fc_weight : tensor<12x8xf32>, tensor<8x32xf32> -> tensor<12x32xf32>
  %h = graph.map ins(%f, %fc_bias : tensor<12x32xf32>, tensor<32xf32>) maps [#rows, #columns] -> tensor<12x32xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    graph.yield %s : f32
  }
  %g = graph.map ins(%h : tensor<12x32xf32>) maps [#rows] -> tensor<12x32xf32> {
  ^bb0(%v: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %c = arith.constant 0.044715 : f32
    %k = arith.constant 0.7978845608 : f32
    %v2 = arith.mulf %v, %v : f32
    %v3 = arith.mulf %v2, %v : f32
    %cv = arith.mulf %c, %v3 : f32
    %in = arith.addf %v, %cv : f32
    %kin = arith.mulf %k, %in : f32
    %t = math.tanh %kin : f32
    %t1 = arith.addf %one, %t : f32
    %hv = arith.mulf %half, %v : f32
    %y = arith.mulf %hv, %t1 : f32
    graph.yield %y : f32
  }
  %m = graph.matmul %g, %fc2_weight : tensor<12x32xf32>, tensor<32x8xf32> -> tensor<12x8xf32>
  %y = graph.map ins(%x1, %m : tensor<12x8xf32>, tensor<12x8xf32>) maps [#rows, #rows] -> tensor<12x8xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    graph.yield %s : f32
  }
  return %y : tensor<12x8xf32>
}

graph.step @evaluate {
  %tokens = graph.feed "tokens" {bound = 11 : i64} : tensor<2x6xi32>
  %labels = graph.feed "labels" {bound = 11 : i64} : tensor<12xi32>
  %wte = graph.read @wte : tensor<11x8xf32>
  %wpe = graph.read @wpe : tensor<6x8xf32>
  %e = graph.embedding %wte, %tokens : tensor<11x8xf32>, tensor<2x6xi32> -> tensor<2x6x8xf32>
  %e1 = graph.map ins(%e, %wpe : tensor<2x6x8xf32>, tensor<6x8xf32>) maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>] -> tensor<2x6x8xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    graph.yield %s : f32
  }
  %x0 = graph.reshape %e1 : tensor<2x6x8xf32> -> tensor<12x8xf32>
  %h0_ln_1_weight = graph.read @h.0.ln_1.weight : tensor<8xf32>
  %h0_ln_1_bias = graph.read @h.0.ln_1.bias : tensor<8xf32>
  %h0_qkv_weight = graph.read @h.0.qkv.weight : tensor<8x24xf32>
  %h0_proj_weight = graph.read @h.0.proj.weight : tensor<8x8xf32>
  %h0_fc_weight = graph.read @h.0.fc.weight : tensor<8x32xf32>
  %h0_fc_bias = graph.read @h.0.fc.bias : tensor<32xf32>
  %h0_fc2_weight = graph.read @h.0.fc2.weight : tensor<32x8xf32>
  %x1 = func.call @block(%x0, %h0_ln_1_weight, %h0_ln_1_bias, %h0_qkv_weight, %h0_proj_weight, %h0_fc_weight, %h0_fc_bias, %h0_fc2_weight) {layer = "h.0"} : (tensor<12x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x24xf32>, tensor<8x8xf32>, tensor<8x32xf32>, tensor<32xf32>, tensor<32x8xf32>) -> tensor<12x8xf32>
  %h1_ln_1_weight = graph.read @h.1.ln_1.weight : tensor<8xf32>
  %h1_ln_1_bias = graph.read @h.1.ln_1.bias : tensor<8xf32>
  %h1_qkv_weight = graph.read @h.1.qkv.weight : tensor<8x24xf32>
  %h1_proj_weight = graph.read @h.1.proj.weight : tensor<8x8xf32>
  %h1_fc_weight = graph.read @h.1.fc.weight : tensor<8x32xf32>
  %h1_fc_bias = graph.read @h.1.fc.bias : tensor<32xf32>
  %h1_fc2_weight = graph.read @h.1.fc2.weight : tensor<32x8xf32>
  %x2 = func.call @block(%x1, %h1_ln_1_weight, %h1_ln_1_bias, %h1_qkv_weight, %h1_proj_weight, %h1_fc_weight, %h1_fc_bias, %h1_fc2_weight) {layer = "h.1"} : (tensor<12x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x24xf32>, tensor<8x8xf32>, tensor<8x32xf32>, tensor<32xf32>, tensor<32x8xf32>) -> tensor<12x8xf32>
  %ln_f_weight = graph.read @ln_f.weight : tensor<8xf32>
  %ln_f_bias = graph.read @ln_f.bias : tensor<8xf32>
  %n, %mean, %rstd = graph.layer_norm %x2, %ln_f_weight, %ln_f_bias epsilon(1.0e-5) : tensor<12x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<12x8xf32>, tensor<12xf32>, tensor<12xf32>
  %logits = graph.matmul %n, %wte transposed : tensor<12x8xf32>, tensor<11x8xf32> -> tensor<12x11xf32>
  %losses, %lse = graph.cross_entropy %logits, %labels : tensor<12x11xf32>, tensor<12xi32> -> tensor<12xf32>, tensor<12xf32>
  %loss = graph.reduce sum over [0] ins(%losses : tensor<12xf32>) maps [affine_map<(d0) -> (d0)>] -> tensor<f32> {
  ^bb0(%l: f32):
    graph.yield %l : f32
  }
  graph.report "loss", %loss : tensor<f32>
}
