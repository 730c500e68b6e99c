// RUN: not windlass-opt %s --block-attention=limit=-7 2>&1 | FileCheck %s
// RUN: windlass-opt %s --block-attention=limit=63 --verify-diagnostics --split-input-file

// CHECK: the limit of a block of scores is a number of bytes, not -7

func.func @the_smallest_block_has_more(%x: tensor<32x12xf32>) -> tensor<32x4xf32> {
  // expected-error @+1 {{'graph.attention' op cannot be blocked to 63 bytes: the smallest block of its scores has 64}}
  %y, %l = graph.attention %x batch(1) heads(1) : tensor<32x12xf32> -> tensor<32x4xf32>, tensor<1x1x32xf32>
  return %y : tensor<32x4xf32>
}
