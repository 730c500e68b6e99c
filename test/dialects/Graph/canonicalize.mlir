// RUN: windlass-opt %s --canonicalize --split-input-file | FileCheck %s

#identity = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>
!t = tensor<2x2xf32>

// CHECK-LABEL: func.func @reshape_to_the_same_shape_is_its_input
// CHECK-SAME: %[[X:.*]]: tensor
func.func @reshape_to_the_same_shape_is_its_input(%x: !t) -> !t {
  %0 = graph.reshape %x : !t -> !t
  // CHECK: return %[[X]]
  return %0 : !t
}

// CHECK-LABEL: func.func @reshape_of_reshape_is_one
func.func @reshape_of_reshape_is_one(%x: !t) -> tensor<1x4xf32> {
  // CHECK-NOT: tensor<4xf32>
  // CHECK: graph.reshape %{{.*}} : tensor<2x2xf32> -> tensor<1x4xf32>
  %0 = graph.reshape %x : !t -> tensor<4xf32>
  %1 = graph.reshape %0 : tensor<4xf32> -> tensor<1x4xf32>
  // CHECK: return
  return %1 : tensor<1x4xf32>
}

// CHECK-LABEL: graph.step @a_feed_that_nothing_uses_is_dropped
// CHECK-NOT: "unused"
// CHECK: graph.feed "used"
graph.step @a_feed_that_nothing_uses_is_dropped {
  %0 = graph.feed "unused" : !t
  %1 = graph.feed "used" : !t
  graph.report "r", %1 : !t
}

// CHECK-LABEL: func.func @unused_input_is_dropped
// CHECK-SAME: %[[X:.*]]: tensor<2x2xf32>, %{{.*}}: tensor<2x2xf32>
func.func @unused_input_is_dropped(%x: !t, %y: !t) -> !t {
  // CHECK: graph.map ins(%[[X]] : tensor<2x2xf32>)
  %0 = graph.map ins(%y, %x : !t, !t) maps [#identity, #identity] -> !t {
  ^bb0(%a: f32, %b: f32):
    %unused = arith.negf %a : f32
    %e = math.exp %b : f32
    graph.yield %e : f32
  }
  return %0 : !t
}

// CHECK-LABEL: func.func @duplicate_input_is_merged
func.func @duplicate_input_is_merged(%x: !t) -> !t {
  // CHECK: graph.map ins(%{{.*}} : tensor<2x2xf32>)
  // CHECK: %[[P:.*]] = arith.mulf %[[A:.*]], %[[A]] : f32
  %0 = graph.map ins(%x, %x : !t, !t) maps [#identity, #identity] -> !t {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    graph.yield %p : f32
  }
  return %0 : !t
}

// CHECK-LABEL: func.func @input_read_at_two_indices_is_kept
func.func @input_read_at_two_indices_is_kept(%x: !t) -> !t {
  // CHECK: graph.map ins(%{{.*}}, %{{.*}} : tensor<2x2xf32>, tensor<2x2xf32>)
  %0 = graph.map ins(%x, %x : !t, !t) maps [#identity, #transposed] -> !t {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    graph.yield %p : f32
  }
  return %0 : !t
}

// CHECK-LABEL: func.func @forwarded_input_is_the_result
// CHECK-SAME: %[[X:.*]]: tensor
func.func @forwarded_input_is_the_result(%x: !t) -> !t {
  // CHECK-NOT: graph.map
  %0 = graph.map ins(%x : !t) maps [#identity] -> !t {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  // CHECK: return %[[X]]
  return %0 : !t
}

// CHECK-LABEL: func.func @transposition_is_kept
func.func @transposition_is_kept(%x: !t) -> !t {
  // CHECK: graph.map
  %0 = graph.map ins(%x : !t) maps [#transposed] -> !t {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %0 : !t
}

// CHECK-LABEL: func.func @unused_result_is_not_computed
func.func @unused_result_is_not_computed(%x: !t) -> !t {
  // CHECK: graph.map {{.*}} -> tensor<2x2xf32> {
  // CHECK-NOT: math.log
  // CHECK: graph.yield %{{.*}} : f32
  %0:2 = graph.map ins(%x : !t) maps [#identity] -> !t, !t {
  ^bb0(%a: f32):
    %l = math.log %a : f32
    %e = math.exp %a : f32
    graph.yield %l, %e : f32, f32
  }
  // CHECK: return
  return %0#1 : !t
}

// CHECK-LABEL: func.func @used_results_are_kept
func.func @used_results_are_kept(%x: !t) -> (!t, !t) {
  // CHECK: graph.map {{.*}} -> tensor<2x2xf32>, tensor<2x2xf32>
  %0:2 = graph.map ins(%x : !t) maps [#identity] -> !t, !t {
  ^bb0(%a: f32):
    %l = math.log %a : f32
    %e = math.exp %a : f32
    graph.yield %l, %e : f32, f32
  }
  return %0#0, %0#1 : !t, !t
}
