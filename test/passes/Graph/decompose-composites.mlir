// RUN: windlass-opt %s --decompose-composites | FileCheck %s
// RUN: windlass-opt %s --decompose-composites=whole=graph.attention | FileCheck %s --check-prefix=WHOLE

// CHECK-LABEL: func.func private @attention_is_decomposed_in_its_phase(
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul {{.*}} transposed {windlass.phase = #graph<phase recompute>}
// CHECK:         graph.softmax {{.*}} causal {{{.*}}windlass.phase = #graph<phase recompute>}
// CHECK-NOT:     graph.attention
// CHECK:         return
// WHOLE-LABEL: func.func private @attention_is_decomposed_in_its_phase(
// WHOLE-NEXT:    graph.attention
// WHOLE-NEXT:    return
func.func private @attention_is_decomposed_in_its_phase(%qkv: tensor<12x24xf32>) -> tensor<12x8xf32> {
  %y, %lse = graph.attention %qkv batch(2) heads(2) causal {windlass.phase = #graph<phase recompute>} : tensor<12x24xf32> -> tensor<12x8xf32>, tensor<2x2x6xf32>
  return %y : tensor<12x8xf32>
}

// The gradient computes the scores again, which are the first product; the other four are its own.
// CHECK-LABEL: func.func private @scores_of_the_gradient_are_repeated(
// CHECK:         graph.matmul {{.*}} transposed {windlass.phase = #graph<phase recompute>}
// CHECK-NOT:     phase recompute
// CHECK-COUNT-4: graph.matmul {{.*}}{windlass.phase = #graph<phase backward>}
// CHECK-NOT:     phase recompute
// CHECK:         return
func.func private @scores_of_the_gradient_are_repeated(%d: tensor<12x8xf32>, %y: tensor<12x8xf32>, %lse: tensor<2x2x6xf32>, %qkv: tensor<12x24xf32>) -> tensor<12x24xf32> {
  %g = graph.attention_grad %d, %y, %lse of %qkv batch(2) heads(2) causal {windlass.phase = #graph<phase backward>} : tensor<12x8xf32>, tensor<12x8xf32>, tensor<2x2x6xf32> of tensor<12x24xf32> -> tensor<12x24xf32>
  return %g : tensor<12x24xf32>
}

// CHECK-LABEL: func.func private @one_kernel_is_kept(
// CHECK-NEXT:    graph.softmax
// CHECK-NEXT:    return
func.func private @one_kernel_is_kept(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s, %lse = graph.softmax %x : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf32>
  return %s : tensor<4x8xf32>
}
