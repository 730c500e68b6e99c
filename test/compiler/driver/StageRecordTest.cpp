// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of a pipeline's decisions gives its plan again, whatever stages decide each for itself.
#include "test/support/MeshJobs.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// Two stages of two ranks and four layers, in steps of four micro-batches.
Job scheduled(const std::string &schedule, const json &decisions = json::object()) {
  Job job = onStages(deepGpt2(2), 2, decisions).with({{"pipeline", {{"schedule", schedule}}}});
  job.training["micro_batches"] = 4;
  return job;
}

class ScheduledStages : public ::testing::TestWithParam<std::string> {};

/// Stages find credits of their own, which are the same in both of the interleaved one.
TEST_P(ScheduledStages, haveARecordThatGivesThePlanAgainWhereStagesFetchFromOtherTiers) {
  const json away = {{"param", "nvme"}, {"grad", "host"}, {"moments", "nvme"}};
  std::unique_ptr<Compiled> compiled =
      expectRecordGivesPlanAgain(scheduled(GetParam(), {{"zero_stage", 3}, {"placement", away}}));
  ASSERT_TRUE(compiled);
  const json credits = json::parse(compiled->plan.strategy)["prefetch"];
  EXPECT_EQ(credits["nc"].is_array() || credits["cg"].is_array(), GetParam() != "interleaved") << credits;
}

INSTANTIATE_TEST_SUITE_P(Schedules, ScheduledStages,
                         ::testing::Values("gpipe", "1f1b", "interleaved", "zb-h1"), [](const auto &info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

/// What is asked of one stage is not asked of the other.
TEST(StageRecord, creditsAreThoseOfEachStage) {
  const json credits = {{"nc", {2, 1}}, {"cg", {1, 4}}, {"gg", 3}};
  std::unique_ptr<Compiled> compiled = expectRecordGivesPlanAgain(scheduled("1f1b", {{"prefetch", credits}}));
  ASSERT_TRUE(compiled);
  EXPECT_EQ(json::parse(compiled->plan.strategy)["prefetch"], credits);
  EXPECT_NE(refusalOf(scheduled("1f1b", {{"prefetch", {{"nc", {2, 1, 1}}}}}))
                .find("prefetch.nc: says the credits of 3 stages, parallel.pipeline asks for 2"),
            std::string::npos);
}

} // namespace
