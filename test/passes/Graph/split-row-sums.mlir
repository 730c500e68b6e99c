// RUN: windlass-opt %S/Inputs/two-layers.mlir --parallelise=ranks=2 --split-rows=keep-whole --differentiate=micro-batches=1 --split-row-sums --verify-splits | FileCheck %s
// RUN: windlass-opt %S/Inputs/two-layers.mlir --parallelise=ranks=2 --split-rows --differentiate=micro-batches=1 --split-row-sums --verify-splits | FileCheck %s --check-prefix=ROWS
// RUN: not windlass-opt %S/Inputs/two-layers.mlir --parallelise=ranks=2 --split-rows=keep-whole --differentiate=micro-batches=1 --verify-splits 2>&1 | FileCheck %s --check-prefix=FORGOTTEN

// What forgets it has t times the gradient, and is refused.
// FORGOTTEN: 'graph.all_reduce' op takes terms, but its operand is whole

// A norm's two gradients are one sum, of 6 of the 12 rows that every rank has.
// CHECK-LABEL: func.func private @block.bwd
// CHECK: graph.own_part %{{.*}} over "tp"(2) {windlass.phase = #graph<phase backward>} : tensor<12x8xf32> -> tensor<6x8xf32>
// CHECK: %[[SUMS:.*]]:2 = graph.reduce sum over [0] ins(%{{.*}} : tensor<6x8xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<6xf32>)
// CHECK-DAG: graph.all_reduce %[[SUMS]]#0 over "tp"(2) {windlass.phase = #graph<phase backward>} : tensor<8xf32>
// CHECK-DAG: graph.all_reduce %[[SUMS]]#1 over "tp"(2) {windlass.phase = #graph<phase backward>} : tensor<8xf32>
// The gradient of a bias whose columns are split is of all rows, as before.
// CHECK: return

// Own rows need not be cut out: the sums are the same.
// ROWS-LABEL: func.func private @block.bwd
// ROWS-NOT: graph.own_part
// ROWS: %[[SUMS:.*]]:2 = graph.reduce sum over [0] ins(%{{.*}} : tensor<6x8xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<6xf32>)
// ROWS: graph.all_reduce %[[SUMS]]
// ROWS: return
