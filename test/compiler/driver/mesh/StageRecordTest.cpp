// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of a pipeline's decisions gives its plan again, also where each stage decides for itself.
#include "runtime/plan/Layout.h"
#include "runtime/plan/Reasons.h"
#include "test/support/Dice.h"
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

/// Each stage finds its own credits. Under the interleaved schedule both stages have the same.
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

/// Jobs whose devices and hosts have little more than some plan takes, so that fetches ahead must leave bytes
/// free for the packing of buffers. A seed that failed can be run again by its number.
class TightJobs : Dice {
public:
  using Dice::Dice;

  /// Draws a value of every decision on which an order or an offset depends.
  Job draw() {
    const std::vector<std::string> tiers = {"device", "host", "nvme"};
    json decided = {{"zero_stage", oneOf<int64_t>({2, 3})},
                    {"recompute", oneOf<std::string>({"none", "full"})},
                    {"bucket", oneOf<std::string>({"16KiB", "64KiB"})}};
    if (between(0, 1) == 1)
      decided["placement"] = {{"grad", oneOf(tiers)}, {"moments", oneOf(tiers)}};
    const std::string schedule = oneOf<std::string>({"", "gpipe", "1f1b", "interleaved", "zb-h1"});
    Job job = schedule.empty() ? onStages(deepGpt2(2), 1, decided) : scheduled(schedule, decided);
    std::unique_ptr<Compiled> roomy = compileJob(job);
    const int64_t device = mostOf(roomy->plan, plan::Tier::Device), left = device * between(75, 100) / 100;
    job.hardware["device"]["capacity"] = left / 4096 * 4096;
    job.hardware["host"]["capacity"] =
        roomy->plan.ranks() * (mostOf(roomy->plan, plan::Tier::Host) + 4 * (device - left) + 65536);
    return job;
  }

private:
  /// The largest arena of a tier over all stages.
  static int64_t mostOf(const plan::Plan &plan, plan::Tier tier) {
    int64_t most = 0;
    for (const plan::Program &program : plan.programs)
      if (const plan::Arena *arena = plan::arenaOf(program, tier))
        most = std::max(most, arena->bytes);
    return most;
  }
};

TEST(StageRecord, givesThePlanAgainOnTightMachines) {
  int kept = 0;
  for (unsigned seed : {1, 2, 3, 4, 5, 14, 15, 17, 18}) {
    const Job job = TightJobs(seed).draw();
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + job.training.dump() + job.hardware.dump());
    std::unique_ptr<Compiled> compiled = expectRecordGivesPlanAgain(job);
    ASSERT_TRUE(compiled);
    kept += json::parse(compiled->plan.strategy)["slack"]["device"] != 0;
  }
  EXPECT_GT(kept, 1) << "records that say what stays free";
}

/// On this device each stage leaves a different number of bytes free.
TEST(StageRecord, saysWhatFetchesLeaveFree) {
  Job job = scheduled("interleaved");
  job.hardware["device"]["capacity"] = "436KiB";
  std::unique_ptr<Compiled> compiled = expectRecordGivesPlanAgain(job);
  ASSERT_TRUE(compiled);
  const json record = json::parse(compiled->plan.strategy);
  EXPECT_EQ(record["slack"], json({{"device", {7040, 8192}}, {"host", {4194304, 0}}, {"nvme", 0}}));
  EXPECT_EQ(whyOf(compiled->plan, "slack.device").basis, plan::Basis::Fastest);
  EXPECT_NE(refusalOf(scheduled("1f1b", {{"slack", {{"device", {0, 0, 0}}}}}))
                .find("slack.device: says the bytes of 3 stages, parallel.pipeline asks for 2"),
            std::string::npos);
}

/// The gradients of a table that both stages read rest on the device of one stage and on the host of the
/// other.
TEST(StageRecord, saysHomesOfEachStage) {
  const json pins = {
      {"placement", {{"grad", {{"*", "device"}, {"decay.1", "device"}, {"decay.1@1", "host"}}}}}};
  std::unique_ptr<Compiled> compiled = expectRecordGivesPlanAgain(scheduled("interleaved", pins));
  ASSERT_TRUE(compiled);
  const json gradients = json::parse(compiled->plan.strategy)["placement"]["grad"];
  EXPECT_EQ(gradients["decay.1"], "device");
  EXPECT_EQ(gradients["decay.1@1"], "host");
}

/// Credits of one stage do not apply to the other.
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
