// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of one graph.reduce.

#include "test/compiler/codegen/KernelRunner.h"

#include <algorithm>
#include <cmath>

using namespace windlass::codegen::test;

namespace {

std::string rowSums(int64_t rows, int64_t columns) {
  std::string x = "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
  std::string r = "tensor<" + std::to_string(rows) + "xf32>";
  return "func.func @sum(%x: " + x + ") -> " + r + " {\n %r = graph.reduce sum over [1] ins(%x : " + x +
         ") maps [affine_map<(i, j) -> (i, j)>] -> " + r + R"( {
    ^bb0(%a: f32):
      %y = arith.mulf %a, %a : f32
      graph.yield %y : f32
    }
    return %r : )" +
         r + "\n}\nfunc.func @max(%x: " + x + ") -> " + r +
         " {\n %r = graph.reduce max over [1] ins(%x : " + x + ") maps [affine_map<(i, j) -> (i, j)>] -> " +
         r + R"( {
    ^bb0(%a: f32):
      graph.yield %a : f32
    }
    return %r : )" +
         r + "\n}\n";
}

/// The order of evaluation that docs/codegen.md promises, of one block.
float blockSum(const float *x, int64_t n) {
  float lanes[16] = {};
  int64_t full = n / 16 * 16;
  for (int64_t i = 0; i < full; ++i)
    lanes[i % 16] += x[i] * x[i];
  for (int half = 8; half > 0; half /= 2)
    for (int l = 0; l < half; ++l)
      lanes[l] += lanes[l + half];
  for (int64_t i = full; i < n; ++i)
    lanes[0] += x[i] * x[i];
  return lanes[0];
}

TEST(Reduce, rowsAreSummedInTheDocumentedOrder) {
  for (const std::string &cpu : runnableCpus())
    for (int64_t columns : {1, 15, 16, 17, 63, 65, 255, 4096, 4113, 9000}) {
      auto kernels = compile(rowSums(3, columns), cpu);
      ASSERT_TRUE(kernels);
      Buffer<float> x(3 * columns), sum(3), max(3);
      x.fill(columns);
      kernels->run("sum", {x, sum}, 0, 1);
      kernels->run("sum", {x, sum}, 1, 3);
      kernels->run("max", {x, max}, 0, 3);
      for (int64_t row = 0; row < 3; ++row) {
        float total = 0;
        for (int64_t from = 0; from < columns; from += 4096)
          total += blockSum(&x[row * columns + from], std::min<int64_t>(4096, columns - from));
        ASSERT_EQ(sum[row], total) << cpu << " " << columns;
        ASSERT_EQ(max[row], *std::max_element(&x[row * columns], &x[row * columns] + columns));
      }
    }
}

TEST(Reduce, columnsAreSummedInIndexOrderWhateverTheCut) {
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

/// A norm slot: squares of f32 summed in f64, by blocks of 4,096.
double slot(const float *x, int64_t n) {
  double total = 0;
  for (int64_t from = 0; from < n; from += 4096) {
    int64_t size = std::min<int64_t>(4096, n - from), full = size / 16 * 16;
    double lanes[16] = {};
    for (int64_t i = 0; i < full; ++i)
      lanes[i % 16] += double(x[from + i]) * double(x[from + i]);
    for (int half = 8; half > 0; half /= 2)
      for (int l = 0; l < half; ++l)
        lanes[l] += lanes[l + half];
    for (int64_t i = full; i < size; ++i)
      lanes[0] += double(x[from + i]) * double(x[from + i]);
    total += lanes[0];
  }
  return total;
}

TEST(Reduce, normSlotsAreFilledByBlocks) {
  for (const std::string &cpu : runnableCpus())
    for (int64_t length : {64, 4096, 4160, 12309}) {
      std::string x = "tensor<" + std::to_string(length) + "xf32>";
      auto kernels = compile("func.func @k(%x: " + x +
                                 ") -> tensor<f64> {\n %r = graph.reduce sum over [0] ins(%x : " + x +
                                 R"() maps [affine_map<(i) -> (i)>] -> tensor<f64> {
        ^bb0(%a: f32):
          %w = arith.extf %a : f32 to f64
          %s = arith.mulf %w, %w : f64
          graph.yield %s : f64
        }
        return %r : tensor<f64>
      })",
                             cpu);
      ASSERT_TRUE(kernels);
      Buffer<float> in(length);
      Buffer<double> out(1);
      in.fill(9), out.set(-1);
      kernels->run("k", {in, out}, 0, 0);
      EXPECT_EQ(out[0], -1) << "an empty range does nothing";
      kernels->run("k", {in, out}, 0, 1);
      EXPECT_EQ(out[0], slot(&in[0], length)) << cpu << " " << length;
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
  x.set(0x3f80); // 1.0: adding up in bf16 would stop at 256
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
  x.set(0x3c00); // 1.0: adding up in f16 would stop at 2048
  kernels->run("k", {x, sum}, 0, 64);
  kernels->run("k", {x, sum}, 64, 70);
  for (int64_t i = 0; i < 70; ++i)
    ASSERT_EQ(sum[i], 0x69dc); // 3000
}

TEST(Reduce, gatheredSlotsAreSummedTensorByTensorRankByRank) {
  auto kernels = compile(R"(
func.func @k(%x: tensor<3x20x8xf64>) -> tensor<f64> {
  %r = graph.reduce sum over [0, 1] ins(%x : tensor<3x20x8xf64>)
      maps [affine_map<(slot, rank) -> (rank, slot, 0)>] -> tensor<f64> {
  ^bb0(%v: f64):
    graph.yield %v : f64
  }
  return %r : tensor<f64>
})");
  ASSERT_TRUE(kernels);
  Buffer<double> x(3 * 20 * 8), sum(1);
  x.fill(4, 0, 1);
  kernels->run("k", {x, sum}, 0, 1);
  double expected = 0;
  for (int slot = 0; slot < 20; ++slot)
    expected += (x[slot * 8] + x[(20 + slot) * 8]) + x[(40 + slot) * 8];
  EXPECT_EQ(sum[0], expected);
}

} // namespace
