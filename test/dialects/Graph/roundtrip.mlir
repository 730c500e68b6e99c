// RUN: windlass-opt %s --verify-roundtrip | windlass-opt | FileCheck %s

#identity = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK: graph.state @w : tensor<4x8xf32> role(parameter) init(<normal = true, mean = 0.000000e+00 : f64, std = 2.000000e-02 : f64>) original("w") group("decay") {layer = "h.0"}
graph.state @w : tensor<4x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.02 : f64>)
    original("w") group("decay") {layer = "h.0"}
// CHECK: graph.state @w.m {{.*}} of @w
graph.state @w.m : tensor<4x8xf32> role(momentum) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay") of @w

// CHECK: graph.state @f {{.*}} init(<normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64, source = <"/m.safetensors", "wte", "BF16" at 808, transposed = true>>)
graph.state @f : tensor<4x8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64,
    source = <"/m.safetensors", "wte", "BF16" at 808, transposed = true>>) original("f") group("decay")

// CHECK-LABEL: func.func private @map
func.func private @map(%x: tensor<2x8xf32>, %b: tensor<8xbf16>) -> tensor<2x8xbf16> {
  // CHECK: graph.map ins(%{{.*}}, %{{.*}} : tensor<2x8xf32>, tensor<8xbf16>) maps [#{{.*}}, #{{.*}}] -> tensor<2x8xbf16> {
  %0 = graph.map ins(%x, %b : tensor<2x8xf32>, tensor<8xbf16>) maps [#identity, #column] -> tensor<2x8xbf16> {
  ^bb0(%a: f32, %c: bf16):
    // CHECK: graph.index 1 : index
    %i = graph.index 1 : index
    %n = arith.truncf %a : f32 to bf16
    // CHECK: graph.yield %{{.*}} : bf16
    graph.yield %n : bf16
  }
  return %0 : tensor<2x8xbf16>
}

// CHECK-LABEL: func.func private @map_without_inputs
func.func private @map_without_inputs() -> tensor<3xf32> {
  // CHECK: graph.map ins() maps [] -> tensor<3xf32>
  %0 = graph.map ins() maps [] -> tensor<3xf32> {
    %one = arith.constant 1.0 : f32
    graph.yield %one : f32
  }
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func private @reduce
func.func private @reduce(%x: tensor<2x8xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>) {
  // CHECK: graph.reduce max over [1] ins(%{{.*}}, %{{.*}} : tensor<2x8xf32>, tensor<2xf32>) maps {{.*}} -> tensor<2xf32>
  %0 = graph.reduce max over [1] ins(%x, %y : tensor<2x8xf32>, tensor<2xf32>) maps [#identity, #row] -> tensor<2xf32> {
  ^bb0(%a: f32, %b: f32):
    graph.yield %a : f32
  }
  // CHECK: graph.reduce sum over [0, 1]
  %1 = graph.reduce sum over [0, 1] ins(%x : tensor<2x8xf32>) maps [#identity] -> tensor<f32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %0, %1 : tensor<2xf32>, tensor<f32>
}

// CHECK-LABEL: func.func private @shapes
func.func private @shapes(%x: tensor<2x8xf32>) -> tensor<2x2x8xf32> {
  // CHECK: graph.reshape %{{.*}} : tensor<2x8xf32> -> tensor<16xf32>
  %0 = graph.reshape %x : tensor<2x8xf32> -> tensor<16xf32>
  // CHECK: graph.stack axis 0 ins(%{{.*}}, %{{.*}} : tensor<2x8xf32>, tensor<2x8xf32>) map #{{.*}} -> tensor<2x2x8xf32>
  %1 = graph.stack axis 0 ins(%x, %x : tensor<2x8xf32>, tensor<2x8xf32>)
      map affine_map<(d0, d1, d2) -> (d1, d2)> -> tensor<2x2x8xf32>
  return %1 : tensor<2x2x8xf32>
}

// CHECK-LABEL: func.func private @matmul
func.func private @matmul(%a: tensor<3x4x2xf32>, %b: tensor<3x5x4xf32>) -> tensor<3x2x5xf32> {
  // CHECK: graph.matmul %{{.*}} transposed, %{{.*}} transposed : tensor<3x4x2xf32>, tensor<3x5x4xf32> -> tensor<3x2x5xf32>
  %0 = graph.matmul %a transposed, %b transposed : tensor<3x4x2xf32>, tensor<3x5x4xf32> -> tensor<3x2x5xf32>
  return %0 : tensor<3x2x5xf32>
}

// CHECK-LABEL: func.func private @matmul_onto
func.func private @matmul_onto(%a: tensor<2x4xbf16>, %b: tensor<4x5xbf16>, %c: tensor<2x5xf32>) -> tensor<2x5xf32> {
  // CHECK: graph.matmul %{{.*}}, %{{.*}} onto(%{{.*}} : tensor<2x5xf32>) : tensor<2x4xbf16>, tensor<4x5xbf16> -> tensor<2x5xf32>
  %0 = graph.matmul %a, %b onto(%c : tensor<2x5xf32>) : tensor<2x4xbf16>, tensor<4x5xbf16> -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// CHECK-LABEL: func.func private @embedding_of_a_part
func.func private @embedding_of_a_part(%t: tensor<9x4xf32>, %i: tensor<3xi64>, %g: tensor<3x4xf32>) {
  // CHECK: graph.embedding %{{.*}} from 18, %{{.*}} onto(%{{.*}} : tensor<3x4xf32>) : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  %0 = graph.embedding %t from 18, %i onto(%g : tensor<3x4xf32>) : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  // CHECK: graph.embedding_grad %{{.*}}, %{{.*}} from 18 : tensor<3x4xf32>, tensor<3xi64> -> tensor<9x4xf32>
  %1 = graph.embedding_grad %g, %i from 18 : tensor<3x4xf32>, tensor<3xi64> -> tensor<9x4xf32>
  return
}

// CHECK-LABEL: func.func private @embedding
func.func private @embedding(%t: tensor<9x4xf32>, %i: tensor<2x3xi64>, %g: tensor<2x3x4xf32>) {
  // CHECK: graph.embedding %{{.*}}, %{{.*}} : tensor<9x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  %0 = graph.embedding %t, %i : tensor<9x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  // CHECK: graph.embedding %{{.*}}, %{{.*}} {graph.padding = 8 : i64} : tensor<9x4xf32>, tensor<2x3xi64>
  %2 = graph.embedding %t, %i {graph.padding = 8 : i64} : tensor<9x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  // CHECK: graph.embedding_grad %{{.*}}, %{{.*}} : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<9x4xf32>
  %1 = graph.embedding_grad %g, %i : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<9x4xf32>
  return
}

// CHECK-LABEL: func.func private @rows
func.func private @rows(%x: tensor<2x8xf32>, %s: tensor<8xf32>, %l: tensor<2xi64>, %share: tensor<f32>) {
  // CHECK: graph.layer_norm %{{.*}}, %{{.*}}, %{{.*}} epsilon(1.000000e-05) : tensor<2x8xf32>
  %n, %mean, %rstd = graph.layer_norm %x, %s, %s epsilon(1.0e-5) : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>
      -> tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>
  // CHECK: graph.batch_norm %{{.*}}, %{{.*}}, %{{.*}} running(%{{.*}}, %{{.*}}) epsilon(1.000000e-05) momentum(1.000000e-01) unbiased training(%{{.*}} : tensor<f32>) : tensor<2x8xf32>
  %bn, %bm, %bv = graph.batch_norm %x, %s, %s running(%s, %s) epsilon(1.0e-5) momentum(0.1) unbiased training(%share : tensor<f32>)
      : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
      -> tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>
  // CHECK: graph.layer_norm_grad
  %d = graph.layer_norm_grad %x, %x, %s, %mean, %rstd : tensor<2x8xf32>, tensor<2x8xf32>, tensor<8xf32>, tensor<2xf32>,
      tensor<2xf32> -> tensor<2x8xf32>
  // CHECK: graph.softmax %{{.*}} causal {scale = 5.000000e-01 : f64} : tensor<2x8xf32> -> tensor<2x8xf32>, tensor<2xf32>
  %p, %e = graph.softmax %x causal {scale = 0.5} : tensor<2x8xf32> -> tensor<2x8xf32>, tensor<2xf32>
  // CHECK: graph.cross_entropy %{{.*}}, %{{.*}} : tensor<2x8xf32>, tensor<2xi64> -> tensor<2xf32>, tensor<2xf32>
  %loss, %lse = graph.cross_entropy %x, %l : tensor<2x8xf32>, tensor<2xi64> -> tensor<2xf32>, tensor<2xf32>
  // CHECK: graph.cross_entropy_grad {{.*}} {ignore_index = 7 : i64}
  %g = graph.cross_entropy_grad %loss, %x, %l, %lse {ignore_index = 7} : tensor<2xf32>, tensor<2x8xf32>, tensor<2xi64>,
      tensor<2xf32> -> tensor<2x8xf32>
  return
}

// CHECK-LABEL: func.func private @attention
func.func private @attention(%qkv: tensor<6x24xf32>) {
  // CHECK: graph.attention %{{.*}} batch(2) heads(4) causal : tensor<6x24xf32> -> tensor<6x8xf32>, tensor<2x4x3xf32>
  %r, %lse = graph.attention %qkv batch(2) heads(4) causal : tensor<6x24xf32> -> tensor<6x8xf32>, tensor<2x4x3xf32>
  // CHECK: graph.attention_grad %{{.*}}, %{{.*}}, %{{.*}} of %{{.*}} batch(2) heads(4) :
  %g = graph.attention_grad %r, %r, %lse of %qkv batch(2) heads(4) : tensor<6x8xf32>, tensor<6x8xf32>,
      tensor<2x4x3xf32> of tensor<6x24xf32> -> tensor<6x24xf32>
  return
}

// CHECK-LABEL: func.func private @attention_of_a_learned_mask
func.func private @attention_of_a_learned_mask(%qkv: tensor<6x24xf32>, %m: tensor<1x4x3x3xf32>, %d: tensor<6x8xf32>,
                                               %lse: tensor<2x4x3xf32>) {
  // CHECK: graph.attention_grad {{.*}} mask(%{{.*}} : tensor<1x4x3x3xf32>) {{.*}} -> tensor<6x24xf32>, tensor<1x4x3x3xf32>
  %g:2 = graph.attention_grad %d, %d, %lse of %qkv mask(%m : tensor<1x4x3x3xf32>) batch(2) heads(4)
      : tensor<6x8xf32>, tensor<6x8xf32>, tensor<2x4x3xf32> of tensor<6x24xf32> -> tensor<6x24xf32>, tensor<1x4x3x3xf32>
  return
}

// CHECK-LABEL: @grouped
func.func @grouped(%q: tensor<6x8xf32>, %k: tensor<10x4xf32>, %m: tensor<2x1x3x5xf32>) {
  // CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} mask(%{{.*}} : tensor<2x1x3x5xf32>) batch(2) heads(4) kv_heads(2) causal window(2) scale(
  %r, %lse = graph.attention %q, %k, %k mask(%m : tensor<2x1x3x5xf32>) batch(2) heads(4) kv_heads(2) causal window(2)
      scale(0.5) : tensor<6x8xf32>, tensor<10x4xf32>, tensor<10x4xf32> -> tensor<6x8xf32>, tensor<2x4x3xf32>
  %s = graph.map ins() maps [] -> tensor<8xf32> {
    %i = graph.index 0 : index
    // CHECK: graph.lookup dense<[1.000000e+00, 2.000000e+00, {{.*}}]> : tensor<8xf32>[%{{.*}}] : f32
    %v = graph.lookup dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32> [%i] : f32
    graph.yield %v : f32
  }
  // CHECK: graph.rms_norm %{{.*}}, %{{.*}} epsilon(1.000000e-05)
  %n, %d = graph.rms_norm %r, %s epsilon(1.0e-5) : tensor<6x8xf32>, tensor<8xf32> -> tensor<6x8xf32>, tensor<6xf32>
  // CHECK: graph.softmax %{{.*}} mask(%{{.*}} : tensor<1x8xf32>) window(3)
  %o = graph.reshape %s : tensor<8xf32> -> tensor<1x8xf32>
  %p, %l = graph.softmax %n mask(%o : tensor<1x8xf32>) window(3) : tensor<6x8xf32> -> tensor<6x8xf32>, tensor<6xf32>
  // CHECK: graph.softmax %{{.*}} mask(%{{.*}} : tensor<1x8xf32>) base(%{{.*}} : tensor<6xf32>) causal
  %t, %u = graph.softmax %n mask(%o : tensor<1x8xf32>) base(%d : tensor<6xf32>) causal : tensor<6x8xf32> -> tensor<6x8xf32>, tensor<6xf32>
  return
}

// CHECK-LABEL: @parts
func.func @parts(%x: tensor<6x8xf32>) {
  // CHECK: graph.map ins(%{{.*}} : tensor<6x8xf32>) maps [#{{.*}}] -> tensor<2x5xf32>
  %a = graph.map ins(%x : tensor<6x8xf32>) maps [affine_map<(d0, d1) -> (d0 * 2 + 1, d1 + 3)>] -> tensor<2x5xf32> {
  ^bb0(%e: f32):
    graph.yield %e : f32
  }
  // CHECK: graph.reduce max over [1, 3] of [3, 2, 7, 2] ins
  %b = graph.reduce max over [1, 3] of [3, 2, 7, 2] ins(%x : tensor<6x8xf32>)
      maps [affine_map<(d0, d1, d2, d3) -> (d0 * 2 + d1, d2 + d3)>] -> tensor<3x7xf32> {
  ^bb0(%e: f32):
    graph.yield %e : f32
  }
  // CHECK: graph.pad %{{.*}} before [0, 1] steps [3, 1] {value = 1.0{{.*}}} : tensor<2x5xf32> -> tensor<4x7xf32>
  %c = graph.pad %a before [0, 1] steps [3, 1] {value = 1.0} : tensor<2x5xf32> -> tensor<4x7xf32>
  // CHECK: graph.stack axis 0 ins(%{{.*}}, %{{.*}} : tensor<3x7xf32>, tensor<4x7xf32>) map #{{.*}} -> tensor<7x7xf32>
  %d = graph.stack axis 0 ins(%b, %c : tensor<3x7xf32>, tensor<4x7xf32>) map affine_map<(d0, d1) -> (d0, d1)>
      -> tensor<7x7xf32>
  return
}

// CHECK-LABEL: func.func private @dropout
func.func private @dropout(%x: tensor<6x24xf32>, %keys: tensor<3x2xi32>, %block: tensor<i32>) {
  // CHECK: graph.dropout %{{.*}} rate(1.000000e-01) : tensor<6x24xf32>
  %d = graph.dropout %x rate(0.1) : tensor<6x24xf32>
  // CHECK: graph.attention %{{.*}} batch(2) heads(2) dropout(2.500000e-01) : tensor<6x24xf32> ->
  %a, %l = graph.attention %d batch(2) heads(2) dropout(0.25) : tensor<6x24xf32> -> tensor<6x8xf32>, tensor<2x2x3xf32>
  // CHECK: graph.attention %{{.*}} batch(2) heads(2) dropout(2.500000e-01) random(%{{.*}}, %{{.*}} : tensor<3x2xi32>, tensor<i32>) {site = 2 : i64} : tensor<6x24xf32> ->
  %b, %m = graph.attention %d batch(2) heads(2) dropout(0.25) random(%keys, %block : tensor<3x2xi32>, tensor<i32>) {site = 2 : i64}
      : tensor<6x24xf32> -> tensor<6x8xf32>, tensor<2x2x3xf32>
  // CHECK: graph.attention_grad {{.*}} heads(2) causal dropout(2.500000e-01) random(%{{.*}}, %{{.*}} : tensor<3x2xi32>, tensor<i32>) :
  %g = graph.attention_grad %b, %b, %m of %x batch(2) heads(2) causal dropout(0.25) random(%keys, %block : tensor<3x2xi32>, tensor<i32>)
      : tensor<6x8xf32>, tensor<6x8xf32>, tensor<2x2x3xf32> of tensor<6x24xf32> -> tensor<6x24xf32>
  %r = graph.map ins(%keys : tensor<3x2xi32>) maps [affine_map<(d0, d1) -> (0, 0)>] -> tensor<6x8xf32> {
  ^bb0(%k: i32):
    %i = graph.index 0 : index
    %j = graph.index 1 : index
    // CHECK: graph.random %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : f32
    %u = graph.random %k, %k [%i, %j] : f32
    graph.yield %u : f32
  }
  return
}

// CHECK-LABEL: graph.step @train
graph.step @train {
  // CHECK: graph.read @w : tensor<4x8xf32>
  %w = graph.read @w : tensor<4x8xf32>
  // CHECK: graph.micro_batches count(2) {
  %sum = graph.micro_batches count(2) {
    // CHECK: graph.feed "tokens" {bound = 256 : i64} : tensor<2xi64>
    %t = graph.feed "tokens" {bound = 256} : tensor<2xi64>
    graph.yield %w : tensor<4x8xf32>
  } : tensor<4x8xf32>
  // CHECK: graph.grad_norm %{{.*}} : tensor<4x8xf32> -> tensor<f32>
  %norm = graph.grad_norm %sum : tensor<4x8xf32> -> tensor<f32>
  // CHECK: graph.report "norm", %{{.*}} : tensor<f32>
  graph.report "norm", %norm : tensor<f32>
  // CHECK: graph.write %{{.*}}, @w : tensor<4x8xf32>
  graph.write %sum, @w : tensor<4x8xf32>
}
