// RUN: windlass-opt %s --form-kernels | FileCheck %s

// The example of the pass: compute becomes launches, one kernel for equal computations.
#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func private @equal_computations_share_a_kernel(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x8xf32>)
// CHECK-NEXT:    %[[Y:.*]] = dist.launch @[[$MATMUL:matmul_[0-9a-f]+]](%[[X]], %[[W]])
// CHECK-NEXT:    %[[Z:.*]] = dist.launch @[[$MATMUL]](%[[Y]], %[[W]])
// CHECK-NEXT:    return %[[Z]]
func.func private @equal_computations_share_a_kernel(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %y = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %z = graph.matmul %y, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}

// Another attribute, body or type is another kernel.
// CHECK-LABEL: func.func private @other_computations_do_not(
// CHECK:         dist.launch @[[PLAIN:matmul_[0-9a-f]+]](
// CHECK-NOT:     dist.launch @[[PLAIN]](
// CHECK:         dist.launch @matmul_
// CHECK-NEXT:    dist.launch @[[ADD:map_[0-9a-f]+]](
// CHECK-NOT:     dist.launch @[[ADD]](
// CHECK:         dist.launch @map_
// CHECK:         return
func.func private @other_computations_do_not(%x: tensor<8x8xf32>, %v: tensor<8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %y = graph.matmul %x, %x : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %z = graph.matmul %y, %x transposed : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %a = graph.map ins(%v : tensor<8xf32>) maps [#id] -> tensor<8xf32> {
  ^bb0(%e: f32):
    %s = arith.addf %e, %e : f32
    graph.yield %s : f32
  }
  %b = graph.map ins(%a : tensor<8xf32>) maps [#id] -> tensor<8xf32> {
  ^bb0(%e: f32):
    %s = arith.mulf %e, %e : f32
    graph.yield %s : f32
  }
  return %z, %b : tensor<8x8xf32>, tensor<8xf32>
}

// Other literals are another kernel.
// CHECK-LABEL: func.func private @other_literals_do_not(
// CHECK:         dist.launch @[[TABLE:map_[0-9a-f]+]](
// CHECK-NOT:     dist.launch @[[TABLE]](
// CHECK:         dist.launch @map_
// CHECK:         return
func.func private @other_literals_do_not() -> (tensor<3xf32>, tensor<3xf32>) {
  %a = graph.map ins() maps [] -> tensor<3xf32> {
    %i = graph.index 0 : index
    %v = graph.lookup dense<[1.0, 2.0, 3.0]> : tensor<3xf32> [%i] : f32
    graph.yield %v : f32
  }
  %b = graph.map ins() maps [] -> tensor<3xf32> {
    %i = graph.index 0 : index
    %v = graph.lookup dense<[1.0, 2.0, 4.0]> : tensor<3xf32> [%i] : f32
    graph.yield %v : f32
  }
  return %a, %b : tensor<3xf32>, tensor<3xf32>
}

// Where an op comes from is the launch's to say: a forward and a backward matmul are one kernel.
// CHECK-LABEL: func.func private @phase_stays_with_the_launch(
// CHECK:         dist.launch @[[KERNEL:matmul_[0-9a-f]+]](
// CHECK-NEXT:    dist.launch @[[KERNEL]]({{.*}}) {windlass.phase = #graph<phase backward>}
func.func private @phase_stays_with_the_launch(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %z = graph.matmul %y, %y {windlass.phase = #graph<phase backward>} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// What only moves or names bytes is kept.
// CHECK-LABEL: func.func private @what_does_not_compute_is_kept(
// CHECK-NEXT:    dist.all_gather
// CHECK-NEXT:    graph.reshape
// CHECK-NEXT:    dist.unpack
// CHECK-NEXT:    return
func.func private @what_does_not_compute_is_kept(%x: tensor<64xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %w = dist.all_gather %x pieces [64] : tensor<64xf32> -> tensor<8x16xf32>
  %v = graph.reshape %w : tensor<8x16xf32> -> tensor<128xf32>
  %u:2 = dist.unpack %v at [0, 64] : tensor<128xf32> -> tensor<16xf32>, tensor<16xf32>
  return %u#0, %u#1 : tensor<16xf32>, tensor<16xf32>
}

// CHECK:       func.func private @[[$MATMUL]](%[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x8xf32>) -> tensor<4x8xf32> attributes {dist.kernel}
// CHECK-NEXT:    %[[C:.*]] = graph.matmul %[[A]], %[[B]]
// CHECK-NEXT:    return %[[C]]
