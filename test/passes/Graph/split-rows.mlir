// RUN: windlass-opt %S/Inputs/two-layers.mlir --parallelise=ranks=2 --split-rows --verify-splits | FileCheck %s
// RUN: windlass-opt %S/Inputs/two-layers.mlir --parallelise=ranks=2 --split-rows=keep-whole --verify-splits | FileCheck %s --check-prefix=WHOLE
// RUN: windlass-opt %S/Inputs/two-layers.mlir --parallelise=ranks=2 --split-rows=keep-inputs --verify-splits | FileCheck %s --check-prefix=KEPT
// RUN: windlass-opt %S/Inputs/two-layers.mlir --parallelise=ranks=4 --split-rows | FileCheck %s --check-prefix=FOUR
// RUN: windlass-opt %S/Inputs/two-layers.mlir --split-rows | FileCheck %s --check-prefix=ONE

// One rank has all rows.
// ONE-NOT: graph.vary

// A layer is given 6 of its 12 rows, and returns 6.
// CHECK-LABEL: func.func private @block(%arg0: tensor<6x8xf32>
// CHECK-SAME: -> tensor<6x8xf32>
// The norm is one of own rows; its parameters have the sum of what all rows ask for.
// CHECK: %[[SCALE:.*]] = graph.vary %arg1 over "tp"(2)
// CHECK: %[[NORM:[a-z0-9_]+]], %{{.*}} = graph.layer_norm %arg0, %[[SCALE]]
// Products have all rows, as before, and are given them again in the backward pass.
// CHECK: %[[ALL:.*]] = graph.all_gather %[[NORM]] over "tp"(2) varied {windlass.repeat} : tensor<6x8xf32> -> tensor<12x8xf32>
// CHECK: graph.matmul %[[ALL]], %{{.*}} : tensor<12x8xf32>, tensor<8x12xf32>
// CHECK: %[[TERMS:.*]] = graph.matmul %{{.*}} : tensor<12x4xf32>, tensor<4x8xf32> -> tensor<12x8xf32>
// CHECK: %[[ROWS:.*]] = graph.reduce_scatter %[[TERMS]] over "tp"(2) : tensor<12x8xf32> -> tensor<6x8xf32>
// CHECK: graph.map ins(%arg0, %[[ROWS]] : tensor<6x8xf32>, tensor<6x8xf32>)
// CHECK-NOT: graph.all_reduce
// CHECK: return %{{.*}} : tensor<6x8xf32>

// Values stay whole; parameters of the same ops are marked.
// WHOLE-LABEL: func.func private @block(%arg0: tensor<12x8xf32>
// WHOLE: graph.vary %arg1 over "tp"(2) own_rows
// WHOLE: graph.layer_norm %arg0,
// WHOLE: graph.all_reduce
// WHOLE-NOT: graph.all_gather
// WHOLE: return %{{.*}} : tensor<12x8xf32>

// What is gathered for a product is there for its gradients.
// KEPT-LABEL: func.func private @block(%arg0: tensor<6x8xf32>
// KEPT: graph.vary %arg1 over "tp"(2)
// KEPT: %[[ALL:.*]] = graph.all_gather %{{.*}} over "tp"(2) varied : tensor<6x8xf32> -> tensor<12x8xf32>
// KEPT: graph.matmul %[[ALL]], %{{.*}} : tensor<12x8xf32>, tensor<8x12xf32>
// KEPT: graph.reduce_scatter

// FOUR-LABEL: func.func private @block(%arg0: tensor<3x8xf32>

// Embeddings are two rows of 6 x 8: one each is too few, so the sum stays whole until it is a matrix.
// CHECK-LABEL: graph.step @evaluate
// CHECK: graph.all_reduce %{{.*}} over "tp"(2) : tensor<2x6x8xf32>
// CHECK: %[[OWN:.*]] = graph.own_part %{{.*}} over "tp"(2) : tensor<12x8xf32> -> tensor<6x8xf32>
// CHECK: call @block(%[[OWN]], %{{.*}}) {layer = "h.0"} : (tensor<6x8xf32>,
// The loss is whole.
// CHECK: graph.report "loss"
