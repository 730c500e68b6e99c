// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of a linear layer on one thread, as plans launch them, and without copies of operands
// (OperandPanels.h): windlass_kernel_bench --benchmark_filter=matmul.
#include "runtime/kernels/Matmul.h"

#include <benchmark/benchmark.h>

using namespace windlass;

namespace {

/// Aligned as the buffers of a plan, since the library packs other operands.
struct alignas(64) Line {
  float elements[16] = {1, 2, 3};
};
using Operand = std::vector<Line>;
Operand operand(int64_t elements) { return Operand(static_cast<size_t>(elements + 15) / 16); }

void matmul(benchmark::State &state, plan::MatmulSpec spec, LibraryTraits library) {
  auto made = Matmul::create(spec, 1, library);
  auto call = made ? MatmulCall::create(*made) : Result<MatmulCall>(made.status());
  if (!call)
    return state.SkipWithError(call.status().message().c_str());
  Operand a = operand(spec.m * spec.k), b = operand(spec.k * spec.n), c = operand(spec.m * spec.n),
          scratch = operand((*made)->scratchBytes() / 4 + 1);
  void *args[] = {a.data(), b.data(), c.data(), scratch.data()};
  for (auto step : state)
    if (!call->run(args))
      return state.SkipWithError("the library failed");
  state.counters["FLOP/s"] = benchmark::Counter(2.0 * static_cast<double>(spec.m * spec.n * spec.k),
                                                benchmark::Counter::kIsIterationInvariantRate);
}

/// The products of a layer for `tokens` tokens: forward, the gradient of the input and that of the weights.
void registerLayer(int64_t tokens, int64_t in, int64_t out) {
  const plan::MatmulSpec products[] = {{.m = tokens, .n = out, .k = in},
                                       {.m = tokens, .n = in, .k = out, .transposeB = true},
                                       {.m = in, .n = out, .k = tokens, .transposeA = true}};
  for (const plan::MatmulSpec &spec : products) {
    benchmark::RegisterBenchmark(("matmul " + describe(spec)).c_str(), matmul, spec, LibraryTraits());
    benchmark::RegisterBenchmark(("matmul " + describe(spec) + ", in place").c_str(), matmul, spec,
                                 LibraryTraits{.readsInPlace = false});
  }
}

[[maybe_unused]] const bool registered = [] {
  registerLayer(128, 256, 1024);
  registerLayer(128, 1024, 256);
  registerLayer(256, 768, 3072);
  registerLayer(256, 3072, 768);
  return true;
}();

} // namespace
