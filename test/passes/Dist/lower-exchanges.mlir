// RUN: windlass-opt %s --lower-exchanges --split-input-file | FileCheck %s

// The example of the pass: a sum in two halves, of a value that only the sum reads.
#each = affine_map<(d0, d1) -> (d0, d1)>
dist.mesh @mesh dp(2), tp(2) tensor

// CHECK-LABEL: func.func private @a_sum_is_its_two_halves(
// CHECK:         %[[TERMS:.*]] = graph.matmul
// CHECK-NEXT:    %[[PART:.*]] = dist.reduce_scatter %[[TERMS]] pieces [16] of "exchange" over ["tp"]{{.*}} -> tensor<16xf32>
// CHECK-NEXT:    %[[SUM:.*]] = dist.all_gather %[[PART]] pieces [16] of "exchange" over ["tp"]{{.*}} -> tensor<4x8xf32>
// CHECK-NEXT:    return %[[SUM]]
func.func private @a_sum_is_its_two_halves(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %terms = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %sum = graph.all_reduce %terms over "tp"(2) : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// What does not divide lies in its padded buffer between two copies.
// CHECK-LABEL: func.func private @five_elements_are_padded(
// CHECK:         %[[COPY:.*]] = graph.map
// CHECK:         %[[PART:.*]] = dist.reduce_scatter %[[COPY]] pieces [3] {{.*}} -> tensor<3xf32>
// CHECK-NEXT:    %[[SUM:.*]] = dist.all_gather %[[PART]] pieces [3] {{.*}} -> tensor<5xf32>
// CHECK-NEXT:    %[[BACK:.*]] = graph.map ins(%[[SUM]]
// CHECK:         return %[[BACK]]
func.func private @five_elements_are_padded(%terms: tensor<5xf32>) -> tensor<5xf32> {
  %sum = graph.all_reduce %terms over "tp"(2) : tensor<5xf32>
  return %sum : tensor<5xf32>
}

// CHECK-LABEL: func.func private @vary_moves_nothing(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>)
// CHECK-NEXT:    return %[[X]]
func.func private @vary_moves_nothing(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %varied = graph.vary %x over "tp"(2) : tensor<4x8xf32>
  return %varied : tensor<4x8xf32>
}

// An argument may lie beside others, so that a gather takes a copy.
// CHECK-LABEL: func.func private @rows_are_gathered_and_taken_apart(
// CHECK:         %[[PLACE:.*]] = graph.feed "coordinate.tp" : tensor<i32>
// CHECK:         %[[COPY:.*]] = graph.map
// CHECK:         %[[ALL:.*]] = dist.all_gather %[[COPY]] pieces [16] {{.*}} -> tensor<4x8xf32>
// CHECK-NEXT:    graph.map ins(%[[PLACE]]{{.*}}, %[[ALL]]{{.*}}, %[[ALL]]
// CHECK:           arith.select
func.func private @rows_are_gathered_and_taken_apart(%rows: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %all = graph.all_gather %rows over "tp"(2) : tensor<2x8xf32> -> tensor<4x8xf32>
  %own = graph.own_part %all over "tp"(2) : tensor<4x8xf32> -> tensor<2x8xf32>
  return %own : tensor<2x8xf32>
}
