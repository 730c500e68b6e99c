// RUN: windlass-opt %s --block-attention=limit=1024 --split-input-file | FileCheck %s
// RUN: windlass-opt %s --block-attention=limit=1024 --split-input-file | FileCheck %s --check-prefix=REPEATED
// RUN: windlass-opt %s --block-attention --split-input-file | FileCheck %s --check-prefix=NONE
// NONE-COUNT-4: graph.attention
// NONE-NOT: windlass.accumulates

// Two blocks of 16 queries and 16 keys on the diagonal, one below it; the one above is not there.
// CHECK-LABEL: func.func @causal
// CHECK-NOT:     graph.attention
// CHECK-NOT:     tensor<1x32x32xf32>
// CHECK:         graph.softmax %{{.*}} causal {{.*}} : tensor<1x16x16xf32>
// CHECK:         %[[FIRST:.*]], %[[LSE0:.*]] = graph.softmax %{{[0-9]+}} {scale
// CHECK:         graph.matmul {{.*}} tensor<1x16x16xf32>, tensor<1x16x4xf32> -> tensor<1x16x4xf32>
// CHECK:         graph.softmax %{{.*}} causal {{.*}} : tensor<1x16x16xf32>
// CHECK:         graph.map {{.*}} -> tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>
// CHECK:           math.log
// CHECK:         } {windlass.accumulates}
// CHECK-NOT:     graph.softmax
// CHECK:         graph.stack axis 1 {{.*}} -> tensor<1x32x1x4xf32>
// CHECK:         graph.stack axis 2 {{.*}} -> tensor<1x1x32xf32>
func.func @causal(%x: tensor<32x12xf32>) -> (tensor<32x4xf32>, tensor<1x1x32xf32>) {
  %y, %l = graph.attention %x batch(1) heads(1) causal : tensor<32x12xf32> -> tensor<32x4xf32>, tensor<1x1x32xf32>
  return %y, %l : tensor<32x4xf32>, tensor<1x1x32xf32>
}

// -----

// Three blocks, each of five products; the sums of gradients carry the phase of the op, the scores that are computed
// again that of what is repeated.
// CHECK-LABEL: func.func @gradient
// CHECK-NOT:     graph.attention_grad
// CHECK-COUNT-15: graph.matmul
// CHECK-NOT:     graph.matmul
// CHECK:         windlass.phase = #graph<phase backward>
// REPEATED-LABEL: func.func @gradient
// REPEATED-COUNT-3: graph.matmul {{.*}} transposed {windlass.phase = #graph<phase recompute>}
// REPEATED-NOT:  phase recompute
// REPEATED:      return
func.func @gradient(%d: tensor<32x4xf32>, %y: tensor<32x4xf32>, %l: tensor<1x1x32xf32>, %x: tensor<32x12xf32>) -> tensor<32x12xf32> {
  %g = graph.attention_grad %d, %y, %l of %x batch(1) heads(1) causal {windlass.phase = #graph<phase backward>} : tensor<32x4xf32>, tensor<32x4xf32>, tensor<1x1x32xf32> of tensor<32x12xf32> -> tensor<32x12xf32>
  return %g : tensor<32x12xf32>
}

// -----

// Off the diagonal a window hides what a map of indices says; the mask of the model is cut and joined with it. All
// blocks of a query count its scores from one base: the largest of the mask among the keys that it sees.
// CHECK-DAG: #[[$LEFT:.*]] = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, d3)>
// CHECK-DAG: #[[$RIGHT:.*]] = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, d3 + 16)>
// CHECK-LABEL: func.func @window_and_mask
// CHECK:         %[[MOST:.*]] = graph.reduce max over [3] of [1, 1, 32, 32] ins(%arg1 : {{.*}} -> tensor<1x1x32xf32>
// CHECK:           graph.index 2
// CHECK:         %[[ALL:.*]] = graph.map ins(%[[MOST]] : {{.*}} -> tensor<1x1x32xf32>
// CHECK:         %[[BASE:.*]] = graph.map ins(%[[ALL]] : {{.*}} -> tensor<1x1x16xf32>
// CHECK:         %[[MASK:.*]] = graph.map ins(%arg1 : {{.*}}) maps [#[[$LEFT]]] -> tensor<1x1x1x16xf32>
// CHECK:         graph.softmax %{{.*}} mask(%[[MASK]] : tensor<1x1x1x16xf32>) base(%[[BASE]] : tensor<1x1x16xf32>) causal
// CHECK:         %[[HIDES:.*]] = graph.map ins(%arg1 : {{.*}}) maps [#[[$LEFT]]] -> tensor<1x1x16x16xf32>
// CHECK:           arith.constant 0xFF800000 : f32
// CHECK:           graph.index 3
// CHECK:         graph.softmax %{{.*}} mask(%[[HIDES]] : tensor<1x1x16x16xf32>) base(%{{.*}} : tensor<1x1x16xf32>) {
// CHECK:         %[[LAST:.*]] = graph.map ins(%arg1 : {{.*}}) maps [#[[$RIGHT]]] -> tensor<1x1x1x16xf32>
// CHECK:         graph.softmax %{{.*}} mask(%[[LAST]] : tensor<1x1x1x16xf32>) base(%{{.*}} : tensor<1x1x16xf32>) causal
func.func @window_and_mask(%x: tensor<32x12xf32>, %m: tensor<1x1x1x32xf32>) -> tensor<32x4xf32> {
  %y, %l = graph.attention %x mask(%m : tensor<1x1x1x32xf32>) batch(1) heads(1) causal window(20) : tensor<32x12xf32> -> tensor<32x4xf32>, tensor<1x1x32xf32>
  return %y : tensor<32x4xf32>
}

// -----

// CHECK-LABEL: func.func @within_the_limit_is_kept
// CHECK:         graph.attention %{{.*}} batch(1) heads(1) :
func.func @within_the_limit_is_kept(%x: tensor<16x12xf32>) -> tensor<16x4xf32> {
  %y, %l = graph.attention %x batch(1) heads(1) : tensor<16x12xf32> -> tensor<16x4xf32>, tensor<1x1x16xf32>
  return %y : tensor<16x4xf32>
}
