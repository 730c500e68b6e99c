// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a product asks for as scratch under AVX2, recorded: panels and widened operands of our own, nothing of
// the library's. So a plan for x86-64-v3 is the same whatever processor it is compiled on.
#include "runtime/kernels/InstructionSet.h"
#include "runtime/kernels/Matmul.h"
#include <gtest/gtest.h>

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

constexpr Recorded kRecorded[] = {
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

TEST(Scratch, ofProductsUnderAvx2IsAsRecorded) {
  ASSERT_TRUE(capLibraryKernels("x86-64-v3")); // for the whole process, so this is one of its own
  for (const Recorded &recorded : kRecorded) {
    MatmulSpec spec;
    spec.a = spec.b = spec.c = recorded.type;
    spec.m = recorded.m, spec.n = recorded.n, spec.k = recorded.k, spec.batch = recorded.batch;
    spec.transposeA = recorded.transposeA, spec.transposeB = recorded.transposeB;
    for (bool accumulate : {false, true}) {
      spec.accumulate = accumulate;
      const Result<int64_t> one = matmulScratchBytes(spec, 1), two = matmulScratchBytes(spec, 2);
      ASSERT_TRUE(one && two) << describe(spec);
      EXPECT_EQ(*one, recorded.bytes) << describe(spec);
      EXPECT_EQ(*two, recorded.bytesOfTwoThreads) << describe(spec);
    }
  }
}

} // namespace
