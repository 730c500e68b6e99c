// RUN: windlass-opt %s --form-kernels --keep-scores-on-chip | FileCheck %s

// The example of the pass: scores, and what the softmax makes of them; not queries, keys, values and what sums up a row.
// CHECK-LABEL: func.func private @attention(
func.func private @attention(%q: tensor<6x16x8xf32>, %k: tensor<6x16x8xf32>, %v: tensor<6x16x8xf32>)
    -> (tensor<6x16x8xf32>, tensor<6x16xf32>) {
  // CHECK: dist.launch @[[SCORES:matmul_[0-9a-f]+]](
  %scores = graph.matmul %q, %k transposed : tensor<6x16x8xf32>, tensor<6x16x8xf32> -> tensor<6x16x16xf32>
  // CHECK: dist.launch @[[SOFTMAX:softmax_[0-9a-f]+]](
  %p, %lse = graph.softmax %scores causal {scale = 0.5} : tensor<6x16x16xf32> -> tensor<6x16x16xf32>, tensor<6x16xf32>
  // CHECK: dist.launch @[[MIXED:matmul_[0-9a-f]+]](
  %y = graph.matmul %p, %v : tensor<6x16x16xf32>, tensor<6x16x8xf32> -> tensor<6x16x8xf32>
  return %y, %lse : tensor<6x16x8xf32>, tensor<6x16xf32>
}

// A linear layer has no batch, and its result nothing for pairs of tokens.
// CHECK: dist.launch @[[LINEAR:matmul_[0-9a-f]+]](
func.func private @linear(%x: tensor<16x8xf32>, %w: tensor<8x8xf32>) -> tensor<16x8xf32> {
  %y = graph.matmul %x, %w transposed : tensor<16x8xf32>, tensor<8x8xf32> -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

// CHECK:     func.func private @[[SCORES]]({{.*}}windlass.on_chip = array<i64: 2>
// CHECK:     func.func private @[[SOFTMAX]]({{.*}}windlass.on_chip = array<i64: 0, 1>
// CHECK:     func.func private @[[MIXED]]({{.*}}windlass.on_chip = array<i64: 0>
// CHECK:     func.func private @[[LINEAR]](
// CHECK-NOT: windlass.on_chip
