// RUN: windlass-opt %s --fuse-maps --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
!t = tensor<4x8xf32>

// CHECK-LABEL: func.func private @chain_becomes_one_map(
// CHECK-SAME:      %[[X:.*]]: tensor<4x8xf32>, %[[C:.*]]: tensor<8xf32>)
// CHECK-NEXT:    %[[Y:.*]] = graph.map ins(%[[X]], %[[C]] :
// CHECK:           %[[SQUARE:.*]] = arith.mulf
// CHECK-NEXT:      arith.addf %[[SQUARE]],
// CHECK-NOT:     graph.map
// CHECK:         return %[[Y]]
func.func private @chain_becomes_one_map(%x: !t, %c: tensor<8xf32>) -> !t {
  %a = graph.map ins(%x : !t) maps [#id] -> !t {
  ^bb0(%v: f32):
    %s = arith.mulf %v, %v : f32
    graph.yield %s : f32
  }
  %b = graph.map ins(%a, %c : !t, tensor<8xf32>) maps [#id, #columns] -> !t {
  ^bb0(%v: f32, %w: f32):
    %s = arith.addf %v, %w : f32
    graph.yield %s : f32
  }
  return %b : !t
}

// Loops and indices follow the map at which the producer is read; a tensor read twice at one place is one input.
// Each sum stands where it can be made, so that what it adds need not live until the last.
// CHECK-LABEL: func.func private @sums_of_a_sequence_are_kept(
// CHECK-COUNT-2: arith.addf
// CHECK:         windlass.accumulates
// CHECK:         graph.matmul
// CHECK:         arith.mulf
// CHECK-NEXT:    arith.addf
// CHECK-NOT:     arith.addf
// CHECK:         windlass.accumulates
func.func private @sums_of_a_sequence_are_kept(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = graph.matmul %a, %b : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %t = graph.map ins(%a : tensor<4x4xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x4xf32> {
  ^bb0(%x: f32):
    %s = arith.addf %x, %x : f32
    graph.yield %s : f32
  }
  %first = graph.map ins(%t, %p : tensor<4x4xf32>, tensor<4x4xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x4xf32> {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    graph.yield %s : f32
  } {windlass.accumulates}
  %q = graph.matmul %b, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %u = graph.map ins(%q : tensor<4x4xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x4xf32> {
  ^bb0(%x: f32):
    %s = arith.mulf %x, %x : f32
    graph.yield %s : f32
  }
  %second = graph.map ins(%first, %u : tensor<4x4xf32>, tensor<4x4xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] -> tensor<4x4xf32> {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    graph.yield %s : f32
  } {windlass.accumulates}
  return %second : tensor<4x4xf32>
}

// CHECK-LABEL: func.func private @transposed_reading_is_composed(
// CHECK-SAME:      %[[X:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK-NEXT:    graph.map ins(%[[X]], %[[B]] : tensor<8x4xf32>, tensor<4xf32>) maps [#[[SWAP:.*]], #[[ROWS:.*]]]
// CHECK:           graph.index 1
// CHECK-NOT:     graph.map
func.func private @transposed_reading_is_composed(%x: tensor<8x4xf32>, %b: tensor<4xf32>) -> !t {
  %a = graph.map ins(%x, %b : tensor<8x4xf32>, tensor<4xf32>) maps [#id, #columns] -> tensor<8x4xf32> {
  ^bb0(%v: f32, %w: f32):
    %i = graph.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %s = arith.addf %v, %w : f32
    %r = arith.addf %s, %f : f32
    graph.yield %r : f32
  }
  %y = graph.map ins(%a, %x : tensor<8x4xf32>, tensor<8x4xf32>) maps [#swap, #swap] -> !t {
  ^bb0(%v: f32, %w: f32):
    %s = arith.mulf %v, %w : f32
    graph.yield %s : f32
  }
  return %y : !t
}

// CHECK-LABEL: func.func private @map_is_spliced_into_reduction(
// CHECK-NEXT:    graph.reduce
// CHECK:           math.exp
func.func private @map_is_spliced_into_reduction(%x: !t) -> tensor<4xf32> {
  %a = graph.map ins(%x : !t) maps [#id] -> !t {
  ^bb0(%v: f32):
    %s = math.exp %v : f32
    graph.yield %s : f32
  }
  %r = graph.reduce sum over [1] ins(%a : !t) maps [#id] -> tensor<4xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// Without the producer nothing would say how often the second loop runs.
// CHECK-LABEL: func.func private @extent_of_reduction_is_kept(
// CHECK-NEXT:    graph.map
// CHECK:         graph.reduce
func.func private @extent_of_reduction_is_kept(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.map ins(%x : tensor<4xf32>) maps [affine_map<(d0, d1) -> (d0)>] -> !t {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  %r = graph.reduce sum over [1] ins(%a : !t) maps [#id] -> tensor<4xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func private @returned_map_is_joined(
// CHECK-NEXT:    %[[BOTH:.*]]:2 = graph.map
// CHECK:           graph.yield %[[SUM:.*]], %[[EXP:.*]] : f32, f32
// CHECK:         return %[[BOTH]]#1, %[[BOTH]]#0
func.func private @returned_map_is_joined(%x: !t, %y: !t) -> (!t, !t) {
  %a = graph.map ins(%x, %y : !t, !t) maps [#id, #id] -> !t {
  ^bb0(%v: f32, %w: f32):
    %s = arith.addf %v, %w : f32
    graph.yield %s : f32
  }
  %b = graph.map ins(%a : !t) maps [#id] -> !t {
  ^bb0(%v: f32):
    %s = math.exp %v : f32
    graph.yield %s : f32
  }
  return %b, %a : !t, !t
}

// Its first reader is no map: joined, it would come too late.
// CHECK-LABEL: func.func private @map_read_by_a_matmul_first_is_kept(
// CHECK:         graph.map
// CHECK:         graph.matmul
// CHECK:         graph.map
// CHECK:         return
func.func private @map_read_by_a_matmul_first_is_kept(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = graph.map ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%v: f32, %w: f32):
    %s = arith.addf %v, %w : f32
    graph.yield %s : f32
  }
  %m = graph.matmul %a, %y : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %b = graph.map ins(%a, %m : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%v: f32, %w: f32):
    %s = arith.addf %v, %w : f32
    graph.yield %s : f32
  }
  return %b : tensor<4x4xf32>
}

// CHECK-LABEL: func.func private @cheap_broadcast_is_repeated(
// CHECK-NEXT:    graph.map
// CHECK-NOT:     graph.map
// CHECK:         return
func.func private @cheap_broadcast_is_repeated(%x: !t, %c: tensor<8xf32>) -> !t {
  %a = graph.map ins(%c : tensor<8xf32>) maps [affine_map<(d0) -> (d0)>] -> tensor<8xf32> {
  ^bb0(%v: f32):
    %s = arith.mulf %v, %v : f32
    graph.yield %s : f32
  }
  %b = graph.map ins(%x, %a : !t, tensor<8xf32>) maps [#id, #columns] -> !t {
  ^bb0(%v: f32, %w: f32):
    %s = arith.addf %v, %w : f32
    graph.yield %s : f32
  }
  return %b : !t
}

// CHECK-LABEL: func.func private @dear_broadcast_is_kept(
// CHECK:         math.exp
// CHECK:         graph.map
// CHECK-NOT:     math.exp
// CHECK:         return
func.func private @dear_broadcast_is_kept(%x: !t, %c: tensor<8xf32>) -> !t {
  %a = graph.map ins(%c : tensor<8xf32>) maps [affine_map<(d0) -> (d0)>] -> tensor<8xf32> {
  ^bb0(%v: f32):
    %s = math.exp %v : f32
    graph.yield %s : f32
  }
  %b = graph.map ins(%x, %a : !t, tensor<8xf32>) maps [#id, #columns] -> !t {
  ^bb0(%v: f32, %w: f32):
    %s = arith.addf %v, %w : f32
    graph.yield %s : f32
  }
  return %b : !t
}

// The value in between was rounded, and still is.
// CHECK-LABEL: func.func private @cast_pair_is_kept(
// CHECK:         %[[ROUND:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT:    arith.extf %[[ROUND]] : bf16 to f32
func.func private @cast_pair_is_kept(%x: !t) -> !t {
  %a = graph.map ins(%x : !t) maps [#id] -> tensor<4x8xbf16> {
  ^bb0(%v: f32):
    %s = arith.truncf %v : f32 to bf16
    graph.yield %s : bf16
  }
  %b = graph.map ins(%a : tensor<4x8xbf16>) maps [#id] -> !t {
  ^bb0(%v: bf16):
    %s = arith.extf %v : bf16 to f32
    graph.yield %s : f32
  }
  return %b : !t
}

// CHECK-LABEL: func.func private @constant_is_spliced_into_every_reader(
// CHECK-NEXT:    graph.map
// CHECK-NOT:     ins()
// CHECK:         return
func.func private @constant_is_spliced_into_every_reader(%x: !t) -> (!t, tensor<8xf32>) {
  %one = graph.map ins() maps [] -> !t {
    %c = arith.constant 1.0 : f32
    graph.yield %c : f32
  }
  %b = graph.map ins(%x, %one : !t, !t) maps [#id, #id] -> !t {
  ^bb0(%v: f32, %w: f32):
    %s = arith.addf %v, %w : f32
    graph.yield %s : f32
  }
  %r = graph.reduce sum over [0] ins(%x, %one : !t, !t) maps [#id, #id] -> tensor<8xf32> {
  ^bb0(%v: f32, %w: f32):
    %s = arith.mulf %v, %w : f32
    graph.yield %s : f32
  }
  return %b, %r : !t, tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: graph.step @forward_op_is_not_pulled_into_the_backward_pass
// CHECK:         graph.map
// CHECK:         graph.map
graph.step @forward_op_is_not_pulled_into_the_backward_pass {
  %x = graph.feed "x" : tensor<4xf32>
  %a = graph.map ins(%x : tensor<4xf32>) maps [#id] -> tensor<4xf32> {
  ^bb0(%v: f32):
    %s = arith.addf %v, %v : f32
    graph.yield %s : f32
  }
  %b = graph.map ins(%a : tensor<4xf32>) maps [#id] -> tensor<4xf32> {
  ^bb0(%v: f32):
    %s = arith.addf %v, %v : f32
    graph.yield %s : f32
  } {windlass.phase = #graph<phase backward>}
  graph.report "b", %b : tensor<4xf32>
}
