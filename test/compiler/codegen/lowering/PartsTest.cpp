// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that read and write parts of tensors: slices, windows, tables, stacks, pads.

#include "test/compiler/codegen/KernelRunner.h"

#include <algorithm>
#include <cmath>

using namespace windlass::codegen::test;

namespace {

/// Runs `name` on the whole range, then in ranges of one and two. The bits must be equal.
void runInPieces(const Kernels &kernels, const char *name, std::vector<void *> inputs, Buffer<float> &result,
                 int64_t extent) {
  Buffer<float> again(result.size());
  std::vector<void *> whole = inputs, parts = inputs;
  whole.push_back(result);
  parts.push_back(again);
  kernels.run(name, whole, 0, extent);
  for (int64_t from = 0, size = 1; from < extent; from += size, size = 3 - size)
    kernels.run(name, parts, from, std::min(extent, from + size));
  EXPECT_TRUE(result.sameBits(again)) << name;
}

TEST(Parts, mapsReadSlicesAndBackwards) {
  auto kernels = compile(R"(
func.func @slice(%x: tensor<9x50xf32>) -> tensor<4x40xf32> {
  %r = graph.map ins(%x, %x : tensor<9x50xf32>, tensor<9x50xf32>)
      maps [affine_map<(i, j) -> (i * 2 + 1, j + 7)>, affine_map<(i, j) -> (8 - i, j)>] -> tensor<4x40xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    graph.yield %s : f32
  }
  return %r : tensor<4x40xf32>
}
func.func @flip(%x: tensor<5x21x2xf32>) -> tensor<5x21x2xf32> {
  %r = graph.map ins(%x : tensor<5x21x2xf32>) maps [affine_map<(i, j, k) -> (i, j, 1 - k)>] -> tensor<5x21x2xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<5x21x2xf32>
}
func.func @every_third(%x: tensor<100xf32>) -> tensor<33xf32> {
  %r = graph.map ins(%x : tensor<100xf32>) maps [affine_map<(i) -> (i * 3 + 1)>] -> tensor<33xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<33xf32>
})");
  ASSERT_TRUE(kernels);
  Buffer<float> x(450), slice(160), pairs(210), flipped(210), line(100), third(33);
  x.fill(1), pairs.fill(2), line.fill(3);
  runInPieces(*kernels, "slice", {x}, slice, 4);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 40; ++j)
      ASSERT_EQ(slice[i * 40 + j], x[(i * 2 + 1) * 50 + j + 7] - x[(8 - i) * 50 + j]);
  runInPieces(*kernels, "flip", {pairs}, flipped, 5);
  for (int i = 0; i < 210; ++i)
    ASSERT_EQ(flipped[i], pairs[i ^ 1]);
  runInPieces(*kernels, "every_third", {line}, third, 33);
  for (int i = 0; i < 33; ++i)
    ASSERT_EQ(third[i], line[i * 3 + 1]);
}

TEST(Parts, windowsAreReadAndReduced) {
  auto kernels = compile(R"(
func.func @columns(%x: tensor<2x9x20xf32>) -> tensor<2x4x3x18x3xf32> {
  %r = graph.map ins(%x : tensor<2x9x20xf32>)
      maps [affine_map<(n, i, k, j, l) -> (n, i * 2 + k, j + l)>] -> tensor<2x4x3x18x3xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<2x4x3x18x3xf32>
}
func.func @largest(%x: tensor<2x9x20xf32>) -> tensor<2x4x18xf32> {
  %r = graph.reduce max over [2, 3] of [2, 4, 3, 3, 18] ins(%x : tensor<2x9x20xf32>)
      maps [affine_map<(n, i, k, l, j) -> (n, i * 2 + k, j + l)>] -> tensor<2x4x18xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<2x4x18xf32>
})");
  ASSERT_TRUE(kernels);
  Buffer<float> x(360), columns(2 * 4 * 3 * 18 * 3), largest(144);
  x.fill(1);
  runInPieces(*kernels, "columns", {x}, columns, 2);
  runInPieces(*kernels, "largest", {x}, largest, 2);
  for (int n = 0, at = 0; n < 2; ++n)
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 18; ++j)
          for (int l = 0; l < 3; ++l)
            ASSERT_EQ(columns[at++], x[(n * 9 + i * 2 + k) * 20 + j + l]);
      for (int j = 0; j < 18; ++j) {
        float most = -INFINITY;
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l)
            most = std::max(most, x[(n * 9 + i * 2 + k) * 20 + j + l]);
        ASSERT_EQ(largest[(n * 4 + i) * 18 + j], most);
      }
    }
}

/// The elements in a window of one element with a stride of two, and the gradient of the image.
TEST(Parts, dimensionsOfOneStandBesideStrides) {
  auto kernels = compile(R"(
func.func @columns(%x: tensor<2x1x3x8x6xf32>) -> tensor<1x3x1x1x2x4x3xf32> {
  %r = graph.map ins(%x : tensor<2x1x3x8x6xf32>)
      maps [affine_map<(g, c, k, l, n, i, j) -> (n, g, c, i * 2 + k, j * 2 + l)>] -> tensor<1x3x1x1x2x4x3xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<1x3x1x1x2x4x3xf32>
}
func.func @image(%g: tensor<2x1x3x4x3xf32>) -> tensor<2x1x3x8x6xf32> {
  %r = graph.pad %g before [0, 0, 0, 0, 0] steps [1, 1, 1, 2, 2]
      : tensor<2x1x3x4x3xf32> -> tensor<2x1x3x8x6xf32>
  return %r : tensor<2x1x3x8x6xf32>
})");
  ASSERT_TRUE(kernels);
  Buffer<float> x(2 * 3 * 8 * 6), columns(3 * 2 * 4 * 3), gradient(2 * 3 * 4 * 3), image(2 * 3 * 8 * 6);
  x.fill(1), gradient.fill(2);
  kernels->run("columns", {x, columns}, 0, 1);
  for (int c = 0; c < 3; ++c)
    for (int n = 0; n < 2; ++n)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 3; ++j)
          ASSERT_EQ(columns[((c * 2 + n) * 4 + i) * 3 + j], x[((n * 3 + c) * 8 + 2 * i) * 6 + 2 * j]);
  runInPieces(*kernels, "image", {gradient}, image, 2);
  for (int at = 0; at < 2 * 3 * 8 * 6; ++at) {
    const int i = at / 6 % 8, j = at % 6;
    const float expected = i % 2 == 0 && j % 2 == 0 ? gradient[(at / 48 * 4 + i / 2) * 3 + j / 2] : 0;
    ASSERT_EQ(image[at], expected) << at;
  }
}

TEST(Parts, tablesAreLookedUpAlongAndAcrossTheInnermostLoop) {
  std::string row, column;
  for (int i = 0; i < 36; ++i) {
    row += (i ? ", " : "") + std::to_string(i * i) + ".0";
    column += (i ? ", [" : "[") + std::to_string(3 * i) + ".0, " + std::to_string(i) + ".5]";
  }
  auto kernels = compile(R"(
func.func @table(%x: tensor<2x35xf32>) -> tensor<2x35xf32> {
  %r = graph.map ins(%x : tensor<2x35xf32>) maps [affine_map<(i, j) -> (i, j)>] -> tensor<2x35xf32> {
  ^bb0(%a: f32):
    %i = graph.index 0 : index
    %j = graph.index 1 : index
    %one = arith.constant 1 : index
    %next = arith.addi %j, %one : index
    %v = graph.lookup dense<[)" +
                         row + R"(]> : tensor<36xf32> [%next] : f32
    %w = graph.lookup dense<[)" +
                         column + R"(]> : tensor<36x2xf32> [%j, %i] : f32
    %s = arith.mulf %a, %v : f32
    %t = arith.addf %s, %w : f32
    graph.yield %t : f32
  }
  return %r : tensor<2x35xf32>
})");
  ASSERT_TRUE(kernels);
  Buffer<float> x(70), y(70);
  x.fill(1);
  runInPieces(*kernels, "table", {x}, y, 2);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 35; ++j) {
      float column = i == 0 ? 3.0F * static_cast<float>(j) : static_cast<float>(j) + 0.5F;
      ASSERT_EQ(y[i * 35 + j], x[i * 35 + j] * static_cast<float>((j + 1) * (j + 1)) + column);
    }
}

TEST(Parts, stacksAndPadsPlaceTheirInputs) {
  auto kernels = compile(R"(
func.func @rows(%x: tensor<2x20xf32>, %y: tensor<3x20xf32>) -> tensor<5x20xf32> {
  %r = graph.stack axis 0 ins(%x, %y : tensor<2x20xf32>, tensor<3x20xf32>) map affine_map<(i, j) -> (i, j)>
      -> tensor<5x20xf32>
  return %r : tensor<5x20xf32>
}
func.func @columns(%x: tensor<4x17xf32>, %y: tensor<4x1xf32>, %z: tensor<4x3xf32>) -> tensor<4x21xf32> {
  %r = graph.stack axis 1 ins(%x, %y, %z : tensor<4x17xf32>, tensor<4x1xf32>, tensor<4x3xf32>)
      map affine_map<(i, j) -> (i, j)> -> tensor<4x21xf32>
  return %r : tensor<4x21xf32>
}
func.func @pad(%x: tensor<2x3x17xf32>) -> tensor<4x8x19xf32> {
  %r = graph.pad %x before [1, 2, 1] steps [2, 2, 1] {value = 7.0} : tensor<2x3x17xf32> -> tensor<4x8x19xf32>
  return %r : tensor<4x8x19xf32>
})");
  ASSERT_TRUE(kernels);
  Buffer<float> x(40), y(60), rows(100), a(68), b(4), c(12), columns(84), p(102), padded(608);
  x.fill(1), y.fill(2), a.fill(3), b.fill(4), c.fill(5), p.fill(6);
  runInPieces(*kernels, "rows", {x, y}, rows, 5);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(rows[i], i < 40 ? x[i] : y[i - 40]);
  runInPieces(*kernels, "columns", {a, b, c}, columns, 4);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 21; ++j)
      ASSERT_EQ(columns[i * 21 + j], j < 17 ? a[i * 17 + j] : j == 17 ? b[i] : c[i * 3 + j - 18]);
  runInPieces(*kernels, "pad", {p}, padded, 4);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < 19; ++k) {
        bool isInside = i % 2 == 1 && j % 2 == 0 && j >= 2 && j < 8 && k >= 1 && k < 18;
        float expected = isInside ? p[(i / 2 * 3 + (j - 2) / 2) * 17 + k - 1] : 7.0F;
        ASSERT_EQ(padded[(i * 8 + j) * 19 + k], expected) << i << " " << j << " " << k;
      }
}

} // namespace
