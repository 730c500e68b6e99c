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

// CHECK-LABEL: func.func private @one_kernel_is_kept(
// CHECK-NEXT:    graph.softmax
// CHECK-NEXT:    return
func.func private @one_kernel_is_kept(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s, %lse = graph.softmax %x : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf32>
  return %s : tensor<4x8xf32>
}
