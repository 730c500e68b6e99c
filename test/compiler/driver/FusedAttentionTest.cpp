// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On a device with fused attention, kernels count no bytes for scores, and nothing else of the plan changes.
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

Job onDevice(bool fusesAttention, const json &patch = json::object()) {
  Job job = tinyGpt2(1, 1);
  job.hardware["device"]["fused_attention"] = fusesAttention;
  job.hardware["device"]["bandwidth"] = "1GB/s"; // slow, so that the bytes of kernels set the time of a step
  return job.with(patch);
}

} // namespace

TEST(FusedAttention, movesNoScores) {
  std::unique_ptr<Compiled> apart = compileJob(onDevice(false)), fused = compileJob(onDevice(true));
  ASSERT_TRUE(apart && fused);
  ASSERT_EQ(apart->plan.kernels.size(), fused->plan.kernels.size());
  const double scores = 2 * 32 * 32 * 4; // bytes of the scores of two heads in fp32
  double saved = 0;
  for (size_t i = 0; i < apart->plan.kernels.size(); ++i) {
    const plan::Kernel &kernel = apart->plan.kernels[i], &same = fused->plan.kernels[i];
    EXPECT_EQ(kernel.symbol, same.symbol);
    EXPECT_EQ(kernel.flops, same.flops);
    saved += kernel.bytes - same.bytes;
  }
  // Each kernel counts once. The product of queries and keys writes scores, the softmax reads and writes
  // them, a product with values and one with queries or gradients read them, and the map of the backward pass
  // reads and writes two tensors of their size.
  EXPECT_EQ(saved, (1 + 2 + 1 + 1 + 4) * scores);
  EXPECT_LT(fused->plan.prediction.stepSeconds, apart->plan.prediction.stepSeconds);
  expectSameBits(train(*apart), train(*fused));
}

/// Blocks of scores count no bytes either.
TEST(FusedAttention, movesNoBlocksOfScores) {
  const json blocks = {{"tile", {{"attention", "2KiB"}}}};
  std::unique_ptr<Compiled> apart = compileJob(onDevice(false, blocks)),
                            fused = compileJob(onDevice(true, blocks));
  ASSERT_TRUE(apart && fused);
  EXPECT_LT(fused->plan.prediction.stepSeconds, apart->plan.prediction.stepSeconds);
}
