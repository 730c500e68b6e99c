// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both executors give the same bits on plans of random small models under random decisions. The widths force
// padding.
#include "test/support/Dice.h"
#include "test/support/EndToEnd.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// Draws a model, a mesh and decisions. A seed that failed can be run again by its number.
class JobGenerator : Dice {
public:
  using Dice::Dice;

  Job draw() {
    std::vector<int64_t> widths(between(2, 4));
    for (int64_t &width : widths)
      width = oneOf(std::vector<int64_t>{1, 17, 64, 65, 130, 257});
    const int64_t ranks = between(1, 4), microBatches = between(1, 4);
    const int64_t stage = between(0, 3);
    Job job = biasFreeMlp(widths, ranks, microBatches, between(1, 5));
    const std::vector<std::string> tiers = {"device", "host", "nvme"};
    json placed = {
        {"param", stage == 3 ? oneOf(tiers) : "device"}, {"grad", oneOf(tiers)}, {"moments", oneOf(tiers)}};
    json decisions = {{"zero_stage", stage},
                      {"placement", placed},
                      {"bucket", oneOf(std::vector<std::string>{"4KiB", "64KiB", "1MiB"})},
                      {"overlap", between(0, 3) > 0},
                      {"prefetch", {{"nc", between(1, 4)}, {"cg", between(1, 4)}, {"gg", between(1, 4)}}}};
    if (between(0, 1) == 1) {
      decisions["precision"] = {{"compute", "bf16"}};
      decisions["placement"]["master"] = oneOf(tiers);
    }
    return job.with(decisions);
  }
};

class RandomPlans : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomPlans, bothExecutorsGiveTheSameBits) {
  const Job job = JobGenerator(GetParam()).draw();
  SCOPED_TRACE(job.training.dump() + "\n" + job.model["params"].dump());
  std::unique_ptr<Compiled> compiled = compileJob(job);
  ASSERT_TRUE(compiled);
  RunSettings reference;
  reference.executor.reference = true;
  const Outcome expected = train(*compiled, reference);
  for (double loss : expected.losses)
    EXPECT_TRUE(std::isfinite(loss));
  expectSameBits(expected, train(*compiled));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlans, ::testing::Range(1u, 17u));

} // namespace
