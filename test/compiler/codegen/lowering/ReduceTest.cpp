// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of one graph.reduce.

#include "test/compiler/codegen/KernelRunner.h"

#include <algorithm>

using namespace windlass::codegen::test;

namespace {

TEST(Reduce, rowsHaveTheirLargest) {
  for (const std::string &cpu : runnableCpus())
    for (int64_t columns : {1, 15, 16, 17, 63, 255, 4113, 9000}) {
      std::string x = "tensor<3x" + std::to_string(columns) + "xf32>";
      auto kernels = compile("func.func @k(%x: " + x +
                                 ") -> tensor<3xf32> {\n %r = graph.reduce max over [1] ins(%x : " + x +
                                 R"() maps [affine_map<(i, j) -> (i, j)>] -> tensor<3xf32> {
        ^bb0(%a: f32):
          graph.yield %a : f32
        }
        return %r : tensor<3xf32>
      })",
                             cpu);
      ASSERT_TRUE(kernels);
      Buffer<float> in(3 * columns), max(3);
      in.fill(columns, -2, -1);
      kernels->run("k", {in, max}, 0, 3);
      for (int64_t row = 0; row < 3; ++row)
        ASSERT_EQ(max[row], *std::max_element(&in[row * columns], &in[row * columns] + columns)) << cpu;
    }
}

TEST(Reduce, severalSumsOfColumnsAreOneKernelWhateverTheCut) {
  for (const std::string &cpu : runnableCpus())
    for (int64_t columns : {1, 17, 64, 255}) {
      std::string n = std::to_string(columns), x = "tensor<37x" + n + "xf32>", r = "tensor<" + n + "xf32>";
      auto kernels =
          compile("func.func @k(%x: " + x + ", %m: tensor<37xf32>) -> (" + r + ", " + r +
                      ") {\n %r:2 = graph.reduce sum over [0] ins(%x, %m : " + x + R"(, tensor<37xf32>)
        maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>] -> )" +
                      r + ", " + r + R"( {
      ^bb0(%a: f32, %b: f32):
        %c = arith.mulf %a, %b : f32
        graph.yield %a, %c : f32, f32
      }
      return %r#0, %r#1 : )" +
                      r + ", " + r + "\n}",
                  cpu);
      ASSERT_TRUE(kernels);
      Buffer<float> in(37 * columns), scale(37), plain(columns), scaled(columns);
      in.fill(1), scale.fill(2);
      for (int64_t from = 0; from < columns; from += 64)
        kernels->run("k", {in, scale, plain, scaled}, from, std::min(columns, from + 64));
      for (int64_t column = 0; column < columns; ++column) {
        float a = 0, b = 0;
        for (int64_t row = 0; row < 37; ++row) {
          a += in[row * columns + column];
          b += in[row * columns + column] * scale[row];
        }
        ASSERT_EQ(plain[column], a);
        ASSERT_EQ(scaled[column], b);
      }
    }
}

TEST(Reduce, outerLoopsOfThreeDimensions) {
  auto kernels = compile(R"(
func.func @outer(%x: tensor<3x4x5x20xf32>) -> tensor<4x20xf32> {
  %r = graph.reduce sum over [0, 2] ins(%x : tensor<3x4x5x20xf32>)
      maps [affine_map<(a, b, c, d) -> (a, b, c, d)>] -> tensor<4x20xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %r : tensor<4x20xf32>
}
func.func @both(%x: tensor<3x4x5x20xf32>) -> tensor<4x5xf32> {
  %r = graph.reduce sum over [0, 3] ins(%x : tensor<3x4x5x20xf32>)
      maps [affine_map<(a, b, c, d) -> (a, b, c, d)>] -> tensor<4x5xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %r : tensor<4x5xf32>
})");
  ASSERT_TRUE(kernels);
  Buffer<float> x(3 * 4 * 5 * 20), outer(4 * 20), both(4 * 5);
  x.fill(3);
  kernels->run("outer", {x, outer}, 0, 3);
  kernels->run("outer", {x, outer}, 3, 4);
  kernels->run("both", {x, both}, 0, 4);
  for (int b = 0; b < 4; ++b) {
    for (int d = 0; d < 20; ++d) {
      float sum = 0;
      for (int a = 0; a < 3; ++a)
        for (int c = 0; c < 5; ++c)
          sum += x[((a * 4 + b) * 5 + c) * 20 + d];
      ASSERT_EQ(outer[b * 20 + d], sum);
    }
    for (int c = 0; c < 5; ++c) {
      double sum = 0;
      for (int a = 0; a < 3; ++a)
        for (int d = 0; d < 20; ++d)
          sum += x[((a * 4 + b) * 5 + c) * 20 + d];
      ASSERT_NEAR(both[b * 5 + c], sum, 1e-5);
    }
  }
}

TEST(Reduce, bf16GradientsAreSummedInF32AndRoundedOnce) {
  auto kernels = compile(R"(
func.func @k(%x: tensor<300x70xbf16>) -> tensor<70xbf16> {
  %r = graph.reduce sum over [0] ins(%x : tensor<300x70xbf16>) maps [affine_map<(i, j) -> (i, j)>] -> tensor<70xbf16> {
  ^bb0(%a: bf16):
    graph.yield %a : bf16
  }
  return %r : tensor<70xbf16>
})");
  ASSERT_TRUE(kernels);
  Buffer<uint16_t> x(300 * 70), sum(70);
  x.set(0x3f80); // 1.0: a sum in bf16 would stop at 256
  kernels->run("k", {x, sum}, 0, 64);
  kernels->run("k", {x, sum}, 64, 70);
  for (int64_t i = 0; i < 70; ++i)
    ASSERT_EQ(sum[i], 0x4396); // 300
}

TEST(Reduce, f16GradientsAreSummedInF32AndRoundedOnce) {
  auto kernels = compile(R"(
func.func @k(%x: tensor<3000x70xf16>) -> tensor<70xf16> {
  %r = graph.reduce sum over [0] ins(%x : tensor<3000x70xf16>) maps [affine_map<(i, j) -> (i, j)>] -> tensor<70xf16> {
  ^bb0(%a: f16):
    graph.yield %a : f16
  }
  return %r : tensor<70xf16>
})");
  ASSERT_TRUE(kernels);
  Buffer<uint16_t> x(3000 * 70), sum(70);
  x.set(0x3c00); // 1.0: a sum in f16 would stop at 2048
  kernels->run("k", {x, sum}, 0, 64);
  kernels->run("k", {x, sum}, 64, 70);
  for (int64_t i = 0; i < 70; ++i)
    ASSERT_EQ(sum[i], 0x69dc); // 3000
}

} // namespace
