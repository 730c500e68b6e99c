// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scratch that a plan gives a product is recorded for each target, so that a plan does not depend on the
// processor that compiles it. The library, capped to the target of this binary, never needs more.
#include "runtime/kernels/InstructionSet.h"
#include "runtime/kernels/Matmul.h"
#include "runtime/kernels/MatmulScratch.h"
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <span>
#include <string>

using namespace windlass;
using plan::ElementType;
using plan::MatmulSpec;

namespace {

struct Recorded {
  ElementType type;
  int64_t m, n, k, batch;
  bool transposeA, transposeB;
  int64_t bytes, bytesOfTwoThreads;
};

/// For AVX2: Windlass's own panels and widened operands, and no scratch of the library.
constexpr Recorded kV3[] = {
    {ElementType::F32, 32, 192, 64, 1, false, false, 0, 0},
    {ElementType::F32, 32, 192, 64, 1, true, true, 0, 0},
    {ElementType::F32, 128, 128, 64, 4, false, true, 0, 0},
    {ElementType::F32, 64, 256, 32, 1, true, false, 10240, 20480},
    {ElementType::F32, 64, 256, 32, 1, true, true, 0, 0},
    {ElementType::F32, 128, 1024, 256, 1, false, false, 81920, 163840},
    {ElementType::F32, 128, 1024, 256, 1, false, true, 0, 0},
    {ElementType::F32, 1024, 256, 128, 1, false, false, 0, 0},
    {ElementType::F32, 1024, 256, 128, 1, true, false, 40960, 81920},
    {ElementType::F32, 256, 3072, 768, 1, false, false, 245760, 491520},
    {ElementType::BF16, 32, 192, 64, 1, false, false, 81920, 81920},
    {ElementType::BF16, 128, 1024, 256, 1, false, true, 1703936, 1703936},
    {ElementType::BF16, 128, 1024, 256, 1, false, false, 1785856, 1867776},
};

/// Blocks of the library. Operands of bf16 are widened, as not every AVX-512 processor multiplies bf16.
constexpr Recorded kV4[] = {
    {ElementType::F32, 32, 192, 64, 1, false, false, 1024, 2048},
    {ElementType::F32, 128, 128, 64, 4, false, true, 17408, 34816},
    {ElementType::F32, 64, 256, 32, 1, true, false, 13312, 0},
    {ElementType::F32, 128, 1024, 256, 1, false, false, 66560, 133120},
    {ElementType::F32, 128, 1024, 256, 1, false, true, 66560, 133120},
    {ElementType::F32, 1024, 256, 128, 1, true, false, 148480, 0},
    {ElementType::F32, 256, 3072, 2048, 1, false, false, 1024, 2048},
    {ElementType::F32, 768, 3072, 2048, 1, true, true, 672768, 0},
    {ElementType::BF16, 32, 192, 64, 1, false, false, 82944, 83968},
    {ElementType::BF16, 128, 128, 64, 4, false, true, 541696, 559104},
    {ElementType::BF16, 64, 256, 32, 1, true, false, 119808, 106496},
    {ElementType::BF16, 128, 1024, 256, 1, false, false, 1770496, 1837056},
    {ElementType::BF16, 128, 1024, 256, 1, false, true, 1770496, 1837056},
    {ElementType::BF16, 1024, 256, 128, 1, true, false, 1852416, 1703936},
    {ElementType::BF16, 256, 3072, 2048, 1, false, false, 30409728, 30410752},
    {ElementType::BF16, 768, 3072, 2048, 1, true, true, 41567232, 40894464},
};

constexpr Recorded kV4Bf16[] = {
    {ElementType::F32, 32, 192, 64, 1, false, false, 1024, 2048},
    {ElementType::F32, 128, 128, 64, 4, false, true, 17408, 34816},
    {ElementType::F32, 64, 256, 32, 1, true, false, 13312, 0},
    {ElementType::F32, 128, 1024, 256, 1, false, false, 66560, 133120},
    {ElementType::F32, 128, 1024, 256, 1, false, true, 66560, 133120},
    {ElementType::F32, 1024, 256, 128, 1, true, false, 148480, 0},
    {ElementType::F32, 256, 3072, 2048, 1, false, false, 1024, 2048},
    {ElementType::F32, 768, 3072, 2048, 1, true, true, 672768, 0},
    {ElementType::BF16, 32, 192, 64, 1, false, false, 9216, 18432},
    {ElementType::BF16, 128, 128, 64, 4, false, true, 9216, 18432},
    {ElementType::BF16, 64, 256, 32, 1, true, false, 13312, 67584},
    {ElementType::BF16, 128, 1024, 256, 1, false, false, 33792, 67584},
    {ElementType::BF16, 128, 1024, 256, 1, false, true, 33792, 67584},
    {ElementType::BF16, 1024, 256, 128, 1, true, false, 99328, 1050624},
    {ElementType::BF16, 256, 3072, 2048, 1, false, false, 197632, 329728},
    {ElementType::BF16, 768, 3072, 2048, 1, true, true, 1393664, 9439232},
};

MatmulSpec specOf(const Recorded &recorded) {
  MatmulSpec spec;
  spec.a = spec.b = spec.c = recorded.type;
  spec.m = recorded.m, spec.n = recorded.n, spec.k = recorded.k, spec.batch = recorded.batch;
  spec.transposeA = recorded.transposeA, spec.transposeB = recorded.transposeB;
  return spec;
}

void expectRecorded(std::string_view cpu, std::span<const Recorded> table) {
  const plan::TargetRow *target = plan::findTarget(cpu);
  ASSERT_NE(target, nullptr) << cpu;
  for (const Recorded &recorded : table) {
    const MatmulSpec spec = specOf(recorded);
    EXPECT_EQ(matmulScratchBytes(spec, 1, *target), recorded.bytes) << cpu << ": " << describe(spec);
    EXPECT_EQ(matmulScratchBytes(spec, 2, *target), recorded.bytesOfTwoThreads)
        << cpu << ": " << describe(spec);
  }
}

TEST(Scratch, ofATargetIsAsRecorded) {
  expectRecorded("x86-64-v3", kV3);
  expectRecorded("x86-64-v4", kV4);
  expectRecorded("x86-64-v4-bf16", kV4Bf16);
}

class SpecSource {
public:
  MatmulSpec next() {
    constexpr int64_t kExtents[] = {1,   7,   16,   33,   64,   100,  256,  257,  320,
                                    512, 768, 1000, 1024, 1040, 2048, 3072, 4096, 4100};
    MatmulSpec spec;
    for (int64_t *extent : {&spec.m, &spec.n, &spec.k})
      *extent = kExtents[below(std::size(kExtents))];
    spec.batch = below(4) ? 1 : 3;
    spec.transposeA = below(2), spec.transposeB = below(2), spec.accumulate = below(2);
    spec.a = spec.b = below(2) ? ElementType::F32 : ElementType::BF16;
    spec.c = below(2) ? spec.a : ElementType::F32;
    return spec;
  }
  uint64_t below(uint64_t limit) { return random() % limit; }

private:
  std::mt19937_64 random{20};
};

TEST(Scratch, noLibraryOfTheTargetAsksForMoreThanAPlanGrants) {
  const std::string cpu = WINDLASS_TARGET_CPU;
  if (!cpuSupports(cpu))
    GTEST_SKIP() << "this processor does not run " << cpu;
  ASSERT_TRUE(capLibraryKernels(cpu));
  const plan::TargetRow &target = *plan::findTarget(cpu);
  constexpr int kSamples = 300;
  SpecSource specs;
  int64_t asked = 0;
  for (int i = 0; i < kSamples; ++i) {
    const MatmulSpec spec = specs.next();
    const int64_t threads = 1 + static_cast<int64_t>(specs.below(3));
    const auto matmul = Matmul::create(spec, threads);
    ASSERT_TRUE(matmul) << describe(spec) << ": " << matmul.status().message();
    const int64_t granted = matmulScratchBytes(spec, threads, target);
    EXPECT_LE((*matmul)->scratchBytes(), granted) << describe(spec) << " of " << threads << " threads";
    asked += (*matmul)->scratchBytes();
  }
  EXPECT_GT(asked, 0);
}

} // namespace
