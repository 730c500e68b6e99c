// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coarse ops that are one kernel over rows: their decompositions, fused.

#include "test/compiler/codegen/KernelRunner.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace windlass::codegen::test;

namespace {

/// Runs a kernel for each instruction set, on the whole range and row by row. All results must have equal
/// bits.
void runEveryWay(const std::string &mlir, int64_t rows, const std::vector<void *> &inputs,
                 const std::vector<Buffer<float> *> &results) {
  bool first = true;
  for (const std::string &cpu : runnableCpus()) {
    auto kernels = compile(mlir, cpu);
    ASSERT_TRUE(kernels);
    std::vector<std::unique_ptr<Buffer<float>>> again;
    std::vector<void *> args = inputs, cut = inputs;
    for (Buffer<float> *result : results) {
      again.push_back(std::make_unique<Buffer<float>>(result->size()));
      args.push_back(*result);
      cut.push_back(*again.back());
    }
    if (first)
      kernels->run("k", args, 0, rows);
    first = false;
    for (int64_t row = 0; row < rows; ++row)
      kernels->run("k", cut, row, row + 1);
    for (size_t i = 0; i < results.size(); ++i)
      EXPECT_TRUE(results[i]->sameBits(*again[i])) << cpu << " result " << i;
  }
}

std::string tensor(std::initializer_list<int64_t> shape, const char *element = "f32") {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + element + ">";
}

TEST(RowKernel, layerNorm) {
  for (int64_t columns : {15, 16, 64, 255}) {
    std::string x = tensor({6, columns}), c = tensor({columns}), r = tensor({6});
    std::string kernel = "func.func @k(%x: " + x + ", %s: " + c + ", %b: " + c + ") -> (" + x + ", " + r +
                         ", " + r + ") {\n %y, %m, %d = graph.layer_norm %x, %s, %b epsilon(1.0e-5) : " + x +
                         ", " + c + ", " + c + " -> " + x + ", " + r + ", " + r +
                         "\n return %y, %m, %d : " + x + ", " + r + ", " + r + "\n}";
    Buffer<float> in(6 * columns), scale(columns), shift(columns), out(6 * columns), mean(6), rstd(6);
    in.fill(1), scale.fill(2), shift.fill(3);
    runEveryWay(kernel, 6, {in, scale, shift}, {&out, &mean, &rstd});
    for (int64_t row = 0; row < 6; ++row) {
      double m = 0, v = 0;
      for (int64_t j = 0; j < columns; ++j)
        m += double(in[row * columns + j]) / columns;
      for (int64_t j = 0; j < columns; ++j)
        v += (in[row * columns + j] - m) * (in[row * columns + j] - m) / columns;
      double d = 1 / std::sqrt(v + 1e-5);
      ASSERT_NEAR(mean[row], m, 1e-6);
      ASSERT_NEAR(rstd[row], d, 1e-5);
      for (int64_t j = 0; j < columns; ++j)
        ASSERT_NEAR(out[row * columns + j], (in[row * columns + j] - m) * d * scale[j] + shift[j], 1e-5);
    }
  }
}

TEST(RowKernel, layerNormGradient) {
  const int64_t n = 50;
  std::string x = tensor({4, n}), c = tensor({n}), r = tensor({4});
  std::string types = x + ", " + x + ", " + c + ", " + r + ", " + r;
  std::string kernel = "func.func @k(%g: " + x + ", %x: " + x + ", %s: " + c + ", %m: " + r + ", %d: " + r +
                       ") -> " + x + " {\n %y = graph.layer_norm_grad %g, %x, %s, %m, %d : " + types +
                       " -> " + x + "\n return %y : " + x + "\n}";
  Buffer<float> g(4 * n), in(4 * n), s(n), mean(4), rstd(4), out(4 * n);
  g.fill(1), in.fill(2), s.fill(3), mean.fill(4), rstd.fill(5, 0.5, 1);
  runEveryWay(kernel, 4, {g, in, s, mean, rstd}, {&out});
  for (int64_t row = 0; row < 4; ++row) {
    double w = 0, wn = 0;
    auto normal = [&](int64_t j) { return (double(in[row * n + j]) - mean[row]) * rstd[row]; };
    for (int64_t j = 0; j < n; ++j) {
      w += double(g[row * n + j]) * s[j] / n;
      wn += double(g[row * n + j]) * s[j] * normal(j) / n;
    }
    for (int64_t j = 0; j < n; ++j)
      ASSERT_NEAR(out[row * n + j], rstd[row] * (double(g[row * n + j]) * s[j] - w - normal(j) * wn), 1e-5);
  }
}

TEST(RowKernel, rmsNormAndItsGradient) {
  const int64_t n = 50;
  std::string x = tensor({4, n}), c = tensor({n}), r = tensor({4});
  Buffer<float> in(4 * n), scale(n), out(4 * n), rstd(4), g(4 * n), gradient(4 * n);
  in.fill(1), scale.fill(2), g.fill(3);
  runEveryWay("func.func @k(%x: " + x + ", %s: " + c + ") -> (" + x + ", " + r +
                  ") {\n %y, %d = graph.rms_norm %x, %s epsilon(1.0e-5) : " + x + ", " + c + " -> " + x +
                  ", " + r + "\n return %y, %d : " + x + ", " + r + "\n}",
              4, {in, scale}, {&out, &rstd});
  runEveryWay("func.func @k(%g: " + x + ", %x: " + x + ", %s: " + c + ", %d: " + r + ") -> " + x +
                  " {\n %y = graph.rms_norm_grad %g, %x, %s, %d : " + x + ", " + x + ", " + c + ", " + r +
                  " -> " + x + "\n return %y : " + x + "\n}",
              4, {g, in, scale, rstd}, {&gradient});
  for (int64_t row = 0; row < 4; ++row) {
    double squares = 0, dot = 0;
    for (int64_t j = 0; j < n; ++j)
      squares += double(in[row * n + j]) * in[row * n + j] / n;
    double d = 1 / std::sqrt(squares + 1e-5);
    for (int64_t j = 0; j < n; ++j)
      dot += double(g[row * n + j]) * scale[j] * in[row * n + j] * d / n;
    ASSERT_NEAR(rstd[row], d, 1e-6);
    for (int64_t j = 0; j < n; ++j) {
      double normal = in[row * n + j] * d;
      ASSERT_NEAR(out[row * n + j], normal * scale[j], 2e-6);
      ASSERT_NEAR(gradient[row * n + j], d * (double(g[row * n + j]) * scale[j] - normal * dot), 5e-6);
    }
  }
}

TEST(RowKernel, softmaxWithMaskAndWindow) {
  const int64_t n = 37;
  std::string x = tensor({2, 3, n, n}), m = tensor({2, 1, 1, n}), r = tensor({2, 3, n});
  Buffer<float> in(6 * n * n), mask(2 * n), out(6 * n * n), lse(6 * n);
  in.fill(1, -3, 3), mask.fill(2, -2, 2);
  runEveryWay("func.func @k(%x: " + x + ", %m: " + m + ") -> (" + x + ", " + r +
                  ") {\n %y, %l = graph.softmax %x mask(%m : " + m +
                  ") causal window(9) {scale = 0.5 : f64} : " + x + " -> " + x + ", " + r +
                  "\n return %y, %l : " + x + ", " + r + "\n}",
              2, {in, mask}, {&out, &lse});
  for (int64_t row = 0; row < 6 * n; ++row) {
    int64_t i = row % n, batch = row / (3 * n);
    auto score = [&](int64_t j) { return std::exp(0.5 * in[row * n + j] + mask[batch * n + j]); };
    double sum = 0;
    for (int64_t j = std::max<int64_t>(0, i - 8); j <= i; ++j)
      sum += score(j);
    ASSERT_NEAR(lse[row], std::log(sum), 1e-5);
    for (int64_t j = 0; j < n; ++j)
      ASSERT_NEAR(out[row * n + j], j <= i && i - j < 9 ? score(j) / sum : 0, 1e-6);
  }
}

/// Rows all of whose columns the mask or the window hides are 0, and their log-sum-exp is inf.
TEST(RowKernel, softmaxOfNoColumns) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (int64_t n : {5, 37}) {
    const int64_t rows = n + 9;
    std::string x = tensor({2, rows, n}), m = tensor({2, 1, n}), r = tensor({2, rows});
    Buffer<float> in(2 * rows * n), mask(2 * n), out(2 * rows * n), lse(2 * rows);
    in.fill(1, -3, 3);
    for (int64_t j = 0; j < 2 * n; ++j)
      mask[j] = j < n || j % 2 == 0 ? -kInfinity : 0;
    runEveryWay("func.func @k(%x: " + x + ", %m: " + m + ") -> (" + x + ", " + r +
                    ") {\n %y, %l = graph.softmax %x mask(%m : " + m + ") window(4) : " + x + " -> " + x +
                    ", " + r + "\n return %y, %l : " + x + ", " + r + "\n}",
                2, {in, mask}, {&out, &lse});
    for (int64_t row = 0; row < 2 * rows; ++row) {
      double sum = 0;
      auto isSeen = [&](int64_t j) { return mask[row / rows * n + j] == 0 && row % rows - j < 4; };
      for (int64_t j = 0; j < n; ++j)
        sum += isSeen(j) ? std::exp(double(in[row * n + j])) : 0;
      if (sum == 0)
        ASSERT_EQ(lse[row], kInfinity);
      else
        ASSERT_NEAR(lse[row], std::log(sum), 1e-5);
      for (int64_t j = 0; j < n; ++j)
        if (isSeen(j))
          ASSERT_NEAR(out[row * n + j], std::exp(double(in[row * n + j])) / sum, 1e-6);
        else
          ASSERT_EQ(out[row * n + j], 0);
    }
  }
}

TEST(RowKernel, softmaxCausalAndNot) {
  for (bool causal : {false, true})
    for (int64_t n : {1, 17, 64}) {
      std::string x = tensor({2, 3, n, n}), r = tensor({2, 3, n});
      std::string kernel = "func.func @k(%x: " + x + ") -> (" + x + ", " + r +
                           ") {\n %y, %l = graph.softmax %x " + (causal ? "causal " : "") +
                           "{scale = 0.25 : f64} : " + x + " -> " + x + ", " + r + "\n return %y, %l : " + x +
                           ", " + r + "\n}";
      Buffer<float> in(6 * n * n), out(6 * n * n), lse(6 * n);
      in.fill(1, -30, 30);
      runEveryWay(kernel, 2, {in}, {&out, &lse});
      for (int64_t row = 0; row < 6 * n; ++row) {
        int64_t end = causal ? row % n + 1 : n;
        double sum = 0;
        for (int64_t j = 0; j < end; ++j)
          sum += std::exp(0.25 * in[row * n + j]);
        ASSERT_NEAR(lse[row], std::log(sum), 1e-5);
        for (int64_t j = 0; j < n; ++j)
          ASSERT_NEAR(out[row * n + j], j < end ? std::exp(0.25 * in[row * n + j]) / sum : 0, 1e-6);
      }
    }
}

TEST(RowKernel, softmaxInPlace) {
  std::string x = tensor({4, 40}), r = tensor({4});
  auto kernels =
      compile("func.func @k(%x: " + x + ") -> (" + x + ", " + r + ") {\n %y, %l = graph.softmax %x : " + x +
              " -> " + x + ", " + r + "\n return %y, %l : " + x + ", " + r + "\n}");
  ASSERT_TRUE(kernels);
  Buffer<float> in(160), out(160), lse(4);
  in.fill(1);
  kernels->run("k", {in, out, lse}, 0, 4);
  kernels->run("k", {in, in, lse}, 0, 4);
  EXPECT_TRUE(in.sameBits(out));
}

TEST(RowKernel, crossEntropyAndItsGradient) {
  const int64_t rows = 5, n = 77;
  std::string x = tensor({rows, n}), l = tensor({rows}, "i64"), r = tensor({rows});
  Buffer<float> logits(rows * n), losses(rows), lse(rows), g(rows), out(rows * n);
  Buffer<int64_t> labels(rows);
  logits.fill(1, -20, 20), g.fill(2);
  int64_t chosen[rows] = {0, 76, 31, -100, 64};
  std::copy(chosen, chosen + rows, &labels[0]);
  runEveryWay("func.func @k(%x: " + x + ", %l: " + l + ") -> (" + r + ", " + r +
                  ") {\n %a, %b = graph.cross_entropy %x, %l : " + x + ", " + l + " -> " + r + ", " + r +
                  "\n return %a, %b : " + r + ", " + r + "\n}",
              rows, {logits, labels}, {&losses, &lse});
  runEveryWay("func.func @k(%g: " + r + ", %x: " + x + ", %l: " + l + ", %s: " + r + ") -> " + x +
                  " {\n %a = graph.cross_entropy_grad %g, %x, %l, %s : " + r + ", " + x + ", " + l + ", " +
                  r + " -> " + x + "\n return %a : " + x + "\n}",
              rows, {g, logits, labels, lse}, {&out});
  for (int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j)
      sum += std::exp(double(logits[row * n + j]));
    bool ignored = labels[row] == -100;
    ASSERT_NEAR(losses[row], ignored ? 0 : std::log(sum) - logits[row * n + labels[row]], 1e-5);
    for (int64_t j = 0; j < n; ++j)
      ASSERT_NEAR(out[row * n + j],
                  ignored ? 0 : (std::exp(double(logits[row * n + j])) / sum - (j == labels[row])) * g[row],
                  1e-5);
  }
}

} // namespace
