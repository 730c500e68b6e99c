// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients that are reduced once a step: the record has this cadence, every decision gives the same bits,
// and with one micro-batch both cadences give the same bits.
#include "runtime/base/Units.h"
#include "runtime/plan/text/ReasonText.h"
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;
using plan::Opcode;

namespace {

Job job(const std::string &compute, int64_t microBatches, const std::string &cadence) {
  return tinyGpt2(2, microBatches).with({{"precision", {{"compute", compute}}}, {"cadence", cadence}});
}

class PerStep : public ::testing::TestWithParam<std::string> {};

/// Decisions for plans of this cadence. The first is the base of comparisons.
std::vector<json> decisions() {
  std::vector<json> all = {{{"zero_stage", 1}}};
  all.push_back({{"zero_stage", 0}});
  all.push_back({{"zero_stage", 1}, {"reduce", "all"}});
  // Shards of small units end inside blocks of the disk.
  all.push_back({{"zero_stage", 1}, {"reduce", "all"}, {"placement", {{"grad", "nvme"}}}});
  all.push_back({{"zero_stage", 1}, {"recompute", "full"}, {"bucket", "64KiB"}});
  for (const char *tier : {"host", "nvme"})
    all.push_back({{"zero_stage", 1}, {"placement", {{"grad", tier}, {"moments", tier}}}});
  return all;
}

TEST_P(PerStep, decisionsChangeNoBit) {
  std::unique_ptr<Compiled> base;
  Outcome expected;
  for (const json &decision : decisions()) {
    SCOPED_TRACE(decision.dump());
    std::unique_ptr<Compiled> decided = compileJob(job(GetParam(), 3, "step").with(decision));
    ASSERT_TRUE(decided);
    const Outcome outcome = train(*decided);
    RunSettings reference;
    reference.executor.reference = true;
    expectSameBits(outcome, train(*decided, reference));
    if (base) {
      ASSERT_EQ(decided->plan.numerics, base->plan.numerics);
      expectSameBits(expected, outcome);
      continue;
    }
    base = std::move(decided);
    expected = outcome;
  }
}

/// With one micro-batch there is one sum. With three, the order of the sum differs: losses agree, and the
/// record differs.
TEST_P(PerStep, agreesWithTheOtherCadence) {
  for (int64_t microBatches : {1, 3}) {
    const json stage = {{"zero_stage", 1}};
    std::unique_ptr<Compiled> step = compileJob(job(GetParam(), microBatches, "step").with(stage)),
                              micro = compileJob(job(GetParam(), microBatches, "micro_batch").with(stage));
    ASSERT_TRUE(step && micro);
    EXPECT_NE(step->plan.numerics, micro->plan.numerics);
    const Outcome expected = train(*micro), found = train(*step);
    if (microBatches == 1) {
      expectSameBits(expected, found);
      continue;
    }
    const double tolerance = GetParam() == "fp32" ? 1e-5 : 1e-3;
    ASSERT_EQ(expected.losses.size(), found.losses.size());
    for (size_t i = 0; i < expected.losses.size(); ++i)
      EXPECT_NEAR(found.losses[i], expected.losses[i], tolerance * expected.losses[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, PerStep, ::testing::Values("fp32", "bf16", "fp16"));

/// A sum in each micro-batch moves 2 or 4 bytes per parameter, one sum a step moves 4.
TEST(Cadence, saysWhatTheOtherWouldCostOrSave) {
  for (const auto &[compute, bytes] : {std::pair("fp32", 4), std::pair("bf16", 2)}) {
    std::unique_ptr<Compiled> micro = compileJob(job(compute, 3, "micro_batch").with({{"zero_stage", 1}})),
                              step = compileJob(job(compute, 3, "step").with({{"zero_stage", 1}}));
    ASSERT_TRUE(micro && step);
    const std::string once = formatBytes(4 * micro->plan.parameters),
                      thrice = formatBytes(3 * bytes * micro->plan.parameters);
    EXPECT_EQ(plan::reasonText(whyOf(micro->plan, "cadence")),
              "micro_batch: gradients are summed over ranks 3 times a step, " + thrice +
                  "; \"step\" would do so once, " + once + ", keep " + once +
                  " more on each rank, need zero_stage 0 or 1 and change last bits");
    EXPECT_EQ(plan::reasonText(whyOf(step->plan, "cadence")),
              "step: gradients are summed over ranks once a step, " + once +
                  "; \"micro_batch\" would do so 3 times a step, " + thrice + ", keep " + once +
                  " less on each rank, allow every zero_stage and change last bits");
  }
  std::unique_ptr<Compiled> single = compileJob(job("fp32", 1, "micro_batch"));
  ASSERT_TRUE(single);
  EXPECT_EQ(whyOf(single->plan, "cadence"), plan::Reason()) << "there is nothing to choose";
}

TEST(PerStep, isRefusedAboveStageOne) {
  TemporaryFolder folder;
  Job job = tinyGpt2(2, 2).with({{"cadence", "step"}, {"zero_stage", 1}});
  job.strategy = "zero-2";
  Result<plan::Plan> plan = tryCompile(job, folder);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.status().code(), ExitCode::BadInput);
  EXPECT_NE(plan.status().message().find("cadence \"step\" needs zero_stage 0 or 1, not 2"),
            std::string::npos)
      << plan.status().message();
}

} // namespace
