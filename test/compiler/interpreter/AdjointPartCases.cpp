// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that read and write parts: slices, windows, pads, tables.

#include "test/compiler/interpreter/AdjointCases.h"

namespace windlass::interpreter {

std::vector<AdjointCase> partCases() {
  return {
      {"stack_along_a_loop_of_its_inputs", R"(
        func.func @f(%x: tensor<4x3xf32>, %y: tensor<4x2xf32>) -> tensor<5x4xf32> {
          %r = graph.stack axis 0 ins(%x, %y : tensor<4x3xf32>, tensor<4x2xf32>)
              map affine_map<(d0, d1) -> (d1, d0)> -> tensor<5x4xf32>
          return %r : tensor<5x4xf32>
        })"},
      {"pad", R"(
        func.func @f(%x: tensor<2x3xf32>) -> tensor<3x6xf32> {
          %r = graph.pad %x before [1, 0] steps [1, 2] {value = 2.0} : tensor<2x3xf32> -> tensor<3x6xf32>
          return %r : tensor<3x6xf32>
        })"},
      {"map_slice_and_flip", R"(
        func.func @f(%x: tensor<5x7xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
          %r = graph.map ins(%x, %y, %y : tensor<5x7xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
              maps [affine_map<(d0, d1) -> (d0 * 3 + 1, d1 + 2)>, affine_map<(d0, d1) -> (d0, d1)>,
                    affine_map<(d0, d1) -> (1 - d0, d1)>] -> tensor<2x3xf32> {
          ^bb0(%a: f32, %b: f32, %c: f32):
            %m = arith.mulf %a, %b : f32
            %n = arith.mulf %m, %c : f32
            graph.yield %n : f32
          }
          return %r : tensor<2x3xf32>
        })"},
      {"map_first_elements_only", R"(
        func.func @f(%x: tensor<5xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
          %r = graph.map ins(%x, %y : tensor<5xf32>, tensor<3xf32>)
              maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> tensor<3xf32> {
          ^bb0(%a: f32, %b: f32):
            %m = arith.mulf %a, %b : f32
            graph.yield %m : f32
          }
          return %r : tensor<3xf32>
        })"},
      {"map_sum_over_first_elements", R"(
        func.func @f(%x: tensor<4x5xf32>, %y: tensor<2xf32>) -> tensor<2x3xf32> {
          %r = graph.map ins(%x, %y : tensor<4x5xf32>, tensor<2xf32>)
              maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>] -> tensor<2x3xf32> {
          ^bb0(%a: f32, %b: f32):
            %m = arith.mulf %a, %b : f32
            graph.yield %m : f32
          }
          return %r : tensor<2x3xf32>
        })"},
      {"map_windows", R"(
        func.func @f(%x: tensor<2x7xf32>, %w: tensor<3xf32>) -> tensor<2x3x3xf32> {
          %r = graph.map ins(%x, %w : tensor<2x7xf32>, tensor<3xf32>)
              maps [affine_map<(d0, d1, d2) -> (d0, d1 * 2 + d2)>, affine_map<(d0, d1, d2) -> (d2)>]
              -> tensor<2x3x3xf32> {
          ^bb0(%a: f32, %b: f32):
            %m = arith.mulf %a, %b : f32
            graph.yield %m : f32
          }
          return %r : tensor<2x3x3xf32>
        })"},
      {"reduce_windows", R"(
        func.func @f(%x: tensor<2x6x6xf32>) -> tensor<2x2x5xf32> {
          %r = graph.reduce sum over [2, 3] of [2, 2, 3, 2, 5] ins(%x : tensor<2x6x6xf32>)
              maps [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 3 + d2, d4 + d3)>] -> tensor<2x2x5xf32> {
          ^bb0(%a: f32):
            %m = arith.mulf %a, %a : f32
            graph.yield %m : f32
          }
          return %r : tensor<2x2x5xf32>
        })"},
      {"lookup", R"(
        func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
          %r = graph.map ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<2x3xf32> {
          ^bb0(%a: f32):
            %i = graph.index 1 : index
            %v = graph.lookup dense<[2.0, 3.0, 5.0]> : tensor<3xf32> [%i] : f32
            %m = arith.mulf %a, %v : f32
            graph.yield %m : f32
          }
          return %r : tensor<2x3xf32>
        })"},
  };
}

} // namespace windlass::interpreter
