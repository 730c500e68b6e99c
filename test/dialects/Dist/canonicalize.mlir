// RUN: windlass-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @unpack_of_a_pack_is_its_members
// CHECK-SAME: %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<2x4xf32>
func.func @unpack_of_a_pack_is_its_members(%a: tensor<8xf32>, %b: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<8xf32>) {
  %unit = dist.pack %a, %b at [0, 64] : tensor<8xf32>, tensor<2x4xf32> -> tensor<72xf32>
  %members:2 = dist.unpack %unit at [0, 64] : tensor<72xf32> -> tensor<8xf32>, tensor<2x4xf32>
  // CHECK-NEXT: return %[[B]], %[[A]]
  return %members#1, %members#0 : tensor<2x4xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @unpack_elsewhere_is_kept
func.func @unpack_elsewhere_is_kept(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %unit = dist.pack %a, %b at [0, 64] : tensor<8xf32>, tensor<8xf32> -> tensor<72xf32>
  // CHECK: %[[MEMBER:.*]] = dist.unpack
  %member = dist.unpack %unit at [4] : tensor<72xf32> -> tensor<8xf32>
  // CHECK: return %[[MEMBER]]
  return %member : tensor<8xf32>
}

// CHECK-LABEL: func.func @unpack_under_another_shape_is_kept
func.func @unpack_under_another_shape_is_kept(%a: tensor<8xf32>) -> tensor<2x4xf32> {
  %unit = dist.pack %a at [0] : tensor<8xf32> -> tensor<64xf32>
  // CHECK: %[[MEMBER:.*]] = dist.unpack
  %member = dist.unpack %unit at [0] : tensor<64xf32> -> tensor<2x4xf32>
  // CHECK: return %[[MEMBER]]
  return %member : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @pack_of_a_whole_unit_is_the_unit
// CHECK-SAME: %[[UNIT:.*]]: tensor<128xf32>
func.func @pack_of_a_whole_unit_is_the_unit(%unit: tensor<128xf32>) -> tensor<128xf32> {
  %members:2 = dist.unpack %unit at [0, 64] : tensor<128xf32> -> tensor<64xf32>, tensor<64xf32>
  %again = dist.pack %members#0, %members#1 at [0, 64] : tensor<64xf32>, tensor<64xf32> -> tensor<128xf32>
  // CHECK-NEXT: return %[[UNIT]]
  return %again : tensor<128xf32>
}

// Between members a pack is zero, whatever the unit has there.
// CHECK-LABEL: func.func @pack_with_gaps_is_kept
func.func @pack_with_gaps_is_kept(%unit: tensor<128xf32>) -> tensor<128xf32> {
  %members:2 = dist.unpack %unit at [0, 64] : tensor<128xf32> -> tensor<60xf32>, tensor<64xf32>
  // CHECK: %[[AGAIN:.*]] = dist.pack
  %again = dist.pack %members#0, %members#1 at [0, 64] : tensor<60xf32>, tensor<64xf32> -> tensor<128xf32>
  // CHECK: return %[[AGAIN]]
  return %again : tensor<128xf32>
}

// CHECK-LABEL: func.func @pack_in_another_order_is_kept
func.func @pack_in_another_order_is_kept(%unit: tensor<128xf32>) -> tensor<128xf32> {
  %members:2 = dist.unpack %unit at [0, 64] : tensor<128xf32> -> tensor<64xf32>, tensor<64xf32>
  // CHECK: %[[AGAIN:.*]] = dist.pack
  %again = dist.pack %members#1, %members#0 at [0, 64] : tensor<64xf32>, tensor<64xf32> -> tensor<128xf32>
  // CHECK: return %[[AGAIN]]
  return %again : tensor<128xf32>
}
