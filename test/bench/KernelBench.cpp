// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The speed of generated kernels on one thread, compared with plain C++ loops: windlass_kernel_bench.

#include "PlainLoops.h"
#include "test/compiler/codegen/KernelRunner.h"
#include "test/support/Folders.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>

using namespace windlass::codegen::test;

namespace {

/// The kernels of test/bench/kernels.mlir.
const Kernels &kernels() {
  static std::unique_ptr<Kernels> compiled = [] {
    std::ifstream file(WINDLASS_SOURCE_DIR "/test/bench/kernels.mlir");
    std::string error, text{std::istreambuf_iterator<char>(file), {}};
    auto result = Kernels::compile(text, "", error);
    if (!result) {
      std::fprintf(stderr, "%s", error.c_str());
      std::exit(1);
    }
    return result;
  }();
  return *compiled;
}

constexpr int64_t kRows = 512, kColumns = 1024, kElements = kRows * kColumns;

void setBytes(benchmark::State &state, int64_t perElement) {
  state.SetBytesProcessed(state.iterations() * kElements * perElement);
  state.SetItemsProcessed(state.iterations() * kElements);
}

void biasGelu(benchmark::State &state) {
  Buffer<float> x(kElements), b(kColumns), y(kElements);
  x.fill(1), b.fill(2);
  for (auto step : state)
    kernels().run("bias_gelu", {x, b, y}, 0, kRows);
  setBytes(state, 8);
}
BENCHMARK(biasGelu);

void biasGeluInC(benchmark::State &state) {
  Buffer<float> x(kElements), b(kColumns), y(kElements);
  x.fill(1), b.fill(2);
  for (auto step : state)
    for (int64_t i = 0; i < kElements; ++i) {
      float v = x[i] + b[i % kColumns];
      y[i] = 0.5f * v * (1 + std::tanh(0.7978845608f * (v + 0.044715f * v * v * v)));
    }
  setBytes(state, 8);
}
BENCHMARK(biasGeluInC);

template <const char *name> void dropping(benchmark::State &state) {
  Buffer<float> x(kElements), y(kElements);
  Buffer<uint32_t> keys(2), block(1);
  x.fill(1), keys[0] = 1, keys[1] = 2, block[0] = 3;
  for (auto step : state)
    kernels().run(name, {x, keys, block, y}, 0, kRows);
  setBytes(state, 8);
}
constexpr char kDropout[] = "dropout", kDropoutAcross[] = "dropout_across";
BENCHMARK(dropping<kDropout>);
BENCHMARK(dropping<kDropoutAcross>);

struct AdamwData {
  AdamwData() : p(kSize), g(kSize), m(kSize), v(kSize), rate(1), correction(1) {
    p.fill(1), g.fill(2), m.fill(3), v.fill(4, 0, 1), rate.set(0.001f), correction.set(0.5f);
  }
  static constexpr int64_t kSize = 1 << 24;
  Buffer<float> p, g, m, v, rate, correction;
};

void adamw(benchmark::State &state) {
  AdamwData d;
  for (auto step : state)
    kernels().run("adamw", {d.p, d.g, d.m, d.v, d.rate, d.correction, d.p, d.m, d.v}, 0, d.kSize);
  state.SetItemsProcessed(state.iterations() * d.kSize);
}
BENCHMARK(adamw);

void adamwInC(benchmark::State &state) {
  AdamwData d;
  for (auto step : state)
    plainAdamw(&d.p[0], &d.g[0], &d.m[0], &d.v[0], d.rate[0], d.correction[0], d.kSize);
  state.SetItemsProcessed(state.iterations() * d.kSize);
}
BENCHMARK(adamwInC);

/// The limit of memory: the same bytes with almost no arithmetic.
void adamwBytes(benchmark::State &state) {
  AdamwData d;
  for (auto step : state)
    plainStream(&d.p[0], &d.g[0], &d.m[0], &d.v[0], d.kSize);
  state.SetItemsProcessed(state.iterations() * d.kSize);
}
BENCHMARK(adamwBytes);

void layerNorm(benchmark::State &state) {
  Buffer<float> x(kElements), s(kColumns), b(kColumns), y(kElements), mean(kRows), rstd(kRows);
  x.fill(1), s.fill(2), b.fill(3);
  for (auto step : state)
    kernels().run("layer_norm", {x, s, b, y, mean, rstd}, 0, kRows);
  setBytes(state, 8);
}
BENCHMARK(layerNorm);

void causalSoftmax(benchmark::State &state) {
  Buffer<float> x(kElements * 2), y(kElements * 2), lse(kRows * 4);
  x.fill(1);
  for (auto step : state)
    kernels().run("softmax", {x, y, lse}, 0, 4);
  setBytes(state, 16);
}
BENCHMARK(causalSoftmax);

void biasGradient(benchmark::State &state) {
  Buffer<float> x(kElements), y(kColumns);
  x.fill(1);
  for (auto step : state)
    kernels().run("bias_gradient", {x, y}, 0, kColumns);
  setBytes(state, 4);
}
BENCHMARK(biasGradient);

void normSlot(benchmark::State &state) {
  Buffer<float> x(kElements);
  Buffer<double> y(1);
  x.fill(1);
  for (auto step : state)
    kernels().run("norm_slot", {x, y}, 0, 1);
  setBytes(state, 4);
}
BENCHMARK(normSlot);

void toBf16(benchmark::State &state) {
  Buffer<float> x(kElements);
  Buffer<uint16_t> y(kElements);
  x.fill(1);
  for (auto step : state)
    kernels().run("to_bf16", {x, y}, 0, kElements);
  setBytes(state, 6);
}
BENCHMARK(toBf16);

} // namespace
