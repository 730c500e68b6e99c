// RUN: windlass-opt %s --pad-rows | FileCheck %s
// RUN: windlass-opt %s --pad-rows=alignment=16 | FileCheck %s --check-prefix=NEAR

// The example of the pass: logits and their gradient, rows of 1,042 bytes.
// CHECK-LABEL: func.func @head(
// NEAR-LABEL:  func.func @head(
func.func @head(%x: tensor<24x48xbf16>, %w: tensor<521x48xbf16>, %labels: tensor<24xi32>, %g: tensor<24xf32>)
    -> (tensor<24xf32>, tensor<24x48xbf16>, tensor<521x48xbf16>) {
  // CHECK: graph.matmul {{.*}} -> tensor<24x521xbf16, #graph.pitch<576>>
  // NEAR:  graph.matmul {{.*}} -> tensor<24x521xbf16, #graph.pitch<528>>
  %logits = graph.matmul %x, %w transposed : tensor<24x48xbf16>, tensor<521x48xbf16> -> tensor<24x521xbf16>
  // CHECK: graph.cross_entropy {{.*}} : tensor<24x521xbf16, #graph.pitch<576>>
  %losses, %lse = graph.cross_entropy %logits, %labels : tensor<24x521xbf16>, tensor<24xi32> -> tensor<24xf32>, tensor<24xf32>
  // CHECK: graph.cross_entropy_grad {{.*}} -> tensor<24x521xbf16, #graph.pitch<576>>
  %d = graph.cross_entropy_grad %g, %logits, %labels, %lse : tensor<24xf32>, tensor<24x521xbf16>, tensor<24xi32>, tensor<24xf32> -> tensor<24x521xbf16>
  // CHECK: graph.matmul {{.*}} : tensor<24x521xbf16, #graph.pitch<576>>, tensor<521x48xbf16> -> tensor<24x48xbf16>
  %dx = graph.matmul %d, %w : tensor<24x521xbf16>, tensor<521x48xbf16> -> tensor<24x48xbf16>
  // CHECK: graph.matmul {{.*}} -> tensor<521x48xbf16>
  %dw = graph.matmul %d transposed, %x : tensor<24x521xbf16>, tensor<24x48xbf16> -> tensor<521x48xbf16>
  return %losses, %dx, %dw : tensor<24xf32>, tensor<24x48xbf16>, tensor<521x48xbf16>
}

// With a bias: the product and the gradient, which is summed for it.
// CHECK-LABEL: func.func @bias(
func.func @bias(%x: tensor<24x48xbf16>, %w: tensor<521x48xbf16>, %b: tensor<521xbf16>, %labels: tensor<24xi32>, %g: tensor<24xf32>)
    -> (tensor<24xf32>, tensor<521xf32>, tensor<521x48xbf16>) {
  // CHECK: graph.matmul {{.*}} -> tensor<24x521xbf16, #graph.pitch<576>>
  %p = graph.matmul %x, %w transposed : tensor<24x48xbf16>, tensor<521x48xbf16> -> tensor<24x521xbf16>
  // CHECK: graph.map ins({{.*}} : tensor<24x521xbf16, #graph.pitch<576>>, tensor<521xbf16>) {{.*}} -> tensor<24x521xbf16> {
  %logits = graph.map ins(%p, %b : tensor<24x521xbf16>, tensor<521xbf16>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> tensor<24x521xbf16> {
  ^bb0(%e: bf16, %f: bf16):
    %s = arith.addf %e, %f : bf16
    graph.yield %s : bf16
  }
  %losses, %lse = graph.cross_entropy %logits, %labels : tensor<24x521xbf16>, tensor<24xi32> -> tensor<24xf32>, tensor<24xf32>
  // CHECK: graph.cross_entropy_grad {{.*}} -> tensor<24x521xbf16, #graph.pitch<576>>
  %d = graph.cross_entropy_grad %g, %logits, %labels, %lse : tensor<24xf32>, tensor<24x521xbf16>, tensor<24xi32>, tensor<24xf32> -> tensor<24x521xbf16>
  // CHECK: graph.reduce sum over [0] ins({{.*}} : tensor<24x521xbf16, #graph.pitch<576>>)
  %db = graph.reduce sum over [0] ins(%d : tensor<24x521xbf16>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<521xf32> {
  ^bb0(%e: bf16):
    %f = arith.extf %e : bf16 to f32
    graph.yield %f : f32
  }
  %dw = graph.matmul %d transposed, %x : tensor<24x521xbf16>, tensor<24x48xbf16> -> tensor<521x48xbf16>
  return %losses, %db, %dw : tensor<24xf32>, tensor<521xf32>, tensor<521x48xbf16>
}

// Kept: rows of 1,024 bytes, of 1,010, of a function's result, of what is added onto, of what is stacked, of a batch.
// CHECK-LABEL: func.func @kept(
// CHECK-NOT:   graph.pitch
func.func @kept(%x: tensor<24x48xbf16>, %w: tensor<512x48xbf16>, %v: tensor<505x48xbf16>, %u: tensor<521x48xbf16>,
                %onto: tensor<24x521xbf16>, %b: tensor<2x24x48xbf16>, %c: tensor<2x521x48xbf16>, %labels: tensor<24xi32>)
    -> (tensor<24xf32>, tensor<24xf32>, tensor<24x521xbf16>, tensor<24xf32>, tensor<48x521xbf16>, tensor<2x24x48xbf16>) {
  %0 = graph.matmul %x, %w transposed : tensor<24x48xbf16>, tensor<512x48xbf16> -> tensor<24x512xbf16>
  %l0, %s0 = graph.cross_entropy %0, %labels : tensor<24x512xbf16>, tensor<24xi32> -> tensor<24xf32>, tensor<24xf32>
  %1 = graph.matmul %x, %v transposed : tensor<24x48xbf16>, tensor<505x48xbf16> -> tensor<24x505xbf16>
  %l1, %s1 = graph.cross_entropy %1, %labels : tensor<24x505xbf16>, tensor<24xi32> -> tensor<24xf32>, tensor<24xf32>
  %2 = graph.matmul %x, %u transposed : tensor<24x48xbf16>, tensor<521x48xbf16> -> tensor<24x521xbf16>
  %3 = graph.matmul %x, %u transposed onto(%onto : tensor<24x521xbf16>) : tensor<24x48xbf16>, tensor<521x48xbf16> -> tensor<24x521xbf16>
  %l3, %s3 = graph.cross_entropy %3, %labels : tensor<24x521xbf16>, tensor<24xi32> -> tensor<24xf32>, tensor<24xf32>
  %4 = graph.matmul %x, %u transposed : tensor<24x48xbf16>, tensor<521x48xbf16> -> tensor<24x521xbf16>
  %5 = graph.stack axis 0 ins(%4, %4 : tensor<24x521xbf16>, tensor<24x521xbf16>) map affine_map<(i, j) -> (i, j)> -> tensor<48x521xbf16>
  %6 = graph.matmul %b, %c transposed : tensor<2x24x48xbf16>, tensor<2x521x48xbf16> -> tensor<2x24x521xbf16>
  %7 = graph.matmul %6, %c : tensor<2x24x521xbf16>, tensor<2x521x48xbf16> -> tensor<2x24x48xbf16>
  return %l0, %l1, %2, %l3, %5, %7 : tensor<24xf32>, tensor<24xf32>, tensor<24x521xbf16>, tensor<24xf32>, tensor<48x521xbf16>, tensor<2x24x48xbf16>
}
