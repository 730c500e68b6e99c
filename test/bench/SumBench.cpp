// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The speed of generated sums on one thread, for each instruction set (docs/performance.md, "Sums").

#include "test/compiler/codegen/KernelRunner.h"
#include "test/support/Folders.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>

using namespace windlass::codegen::test;

namespace {

constexpr int64_t kElements = 1 << 19; ///< the approximate number of terms of each sum

/// The kernels of test/bench/sums.mlir.
const Kernels &kernels(const std::string &cpu) {
  static std::map<std::string, std::unique_ptr<Kernels>> compiled;
  std::unique_ptr<Kernels> &of = compiled[cpu];
  if (!of) {
    std::ifstream file(WINDLASS_SOURCE_DIR "/test/bench/sums.mlir");
    std::string error, text{std::istreambuf_iterator<char>(file), {}};
    of = Kernels::compile(text, cpu, error);
    if (!of) {
      std::fprintf(stderr, "%s", error.c_str());
      std::exit(1);
    }
  }
  return *of;
}

struct Sum {
  const char *name;
  int64_t extent;                  ///< the end of its range
  std::vector<size_t> others = {}; ///< elements of the arguments after the first, and then of the results
};

const std::vector<Sum> kSums = {{"columns", 1024, {1024}},
                                {"columns_of_two", 1024, {1024}},
                                {"channels", 16, {16}},
                                {"small_channels", 334, {334}},
                                {"rows", 512, {512}},
                                {"odd_rows", 5217, {5217}},
                                {"short_rows", 40330, {40330}},
                                {"squares", 1, {2}},
                                {"layer_norm", 512, {1024, 1024, kElements, 512, 512}},
                                {"layer_norm_grad", 512, {kElements, 1024, 512, 512, kElements}},
                                {"softmax", 2590, {2590 * 203, 2590}},
                                {"cross_entropy", 10, {20, 10, 10}}};

void run(benchmark::State &state, const std::string &cpu, const Sum &sum) {
  const Kernels &compiled = kernels(cpu);
  Buffer<float> terms(kElements + 4096);
  terms.fill(1);
  std::vector<std::unique_ptr<Buffer<float>>> others;
  std::vector<void *> arguments = {terms};
  for (size_t elements : sum.others) {
    others.push_back(std::make_unique<Buffer<float>>(elements));
    arguments.push_back(others.back()->set(0));
  }
  for (auto step : state)
    compiled.run(sum.name, arguments, 0, sum.extent);
  state.SetItemsProcessed(state.iterations() * kElements);
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const std::string &cpu : runnableCpus())
    for (const Sum &sum : kSums)
      benchmark::RegisterBenchmark(("sum/" + std::string(sum.name) + "/" + cpu).c_str(), run, cpu, sum);
  return true;
}();

} // namespace
