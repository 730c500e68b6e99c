// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If the decision is open, as many buckets stay gathered from the forward to the backward pass as make the
// step faster and fit.
#include "runtime/plan/Layout.h"
#include "runtime/plan/text/ReasonText.h"
#include "test/support/EndToEnd.h"
#include "test/support/Sections.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// Stage 3 with this rate between ranks, and all states on the device.
Job between(const std::string &rate, const json &patch = json::object()) {
  Job job =
      tinyGpt2(2, 1).with({{"zero_stage", 3},
                           {"recompute", "none"},
                           {"persistence", 0},
                           {"placement", {{"param", "device"}, {"grad", "device"}, {"moments", "device"}}}});
  job.hardware["links"]["gg"]["bandwidth"] = rate;
  return job.with(patch);
}

const plan::Reason &whyOf(const plan::Plan &plan) { return test::whyOf(plan, "reshard_after_forward"); }

/// The number of buckets that the decisions of a plan keep gathered.
int64_t keptBy(const plan::Plan &plan) {
  const json kept = json::parse(plan.strategy)["reshard_after_forward"];
  return kept.is_object() ? std::count(kept.begin(), kept.end(), json(false)) : 0;
}

int64_t gathers(const plan::Plan &plan) {
  int64_t count = 0;
  for (const plan::Instruction &instruction : sectionNamed(plan, "only")->instructions)
    count += instruction.op == plan::Opcode::AllGather;
  return count;
}

TEST(KeepGathered, whereTheLinkIsSlow) {
  std::unique_ptr<Compiled> kept = compileJob(between("10MB/s")),
                            dropped = compileJob(between("10MB/s", {{"reshard_after_forward", true}}));
  ASSERT_TRUE(kept && dropped);
  EXPECT_GT(keptBy(kept->plan), 0);
  EXPECT_EQ(keptBy(dropped->plan), 0);
  EXPECT_EQ(gathers(kept->plan) + keptBy(kept->plan), gathers(dropped->plan));
  EXPECT_LE(kept->plan.prediction.stepSeconds, 0.95 * dropped->plan.prediction.stepSeconds);
  EXPECT_EQ(whyOf(kept->plan).taken, std::to_string(keptBy(kept->plan)));
  const plan::Trial *none = plan::findTrial(whyOf(kept->plan), "0");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->outcome, plan::Outcome::Slower);
  EXPECT_EQ(whyOf(dropped->plan), plan::Reason());
  expectSameBits(train(*dropped), train(*kept));
}

/// The plan's record of decisions makes the same plan again.
TEST(KeepGathered, isADecisionThatCanBeGivenBack) {
  std::unique_ptr<Compiled> kept = compileJob(between("10MB/s"));
  ASSERT_TRUE(kept);
  Job given = between("10MB/s");
  given.strategy = kept->folder.write("strategy.json", kept->plan.strategy);
  std::unique_ptr<Compiled> again = compileJob(given);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->plan.strategy, kept->plan.strategy);
  EXPECT_EQ(programText(again->plan), programText(kept->plan));
}

/// A decision about a named bucket is kept. The search chooses only for the other buckets.
TEST(KeepGathered, ofTheBucketsThatAreLeftOpen) {
  std::unique_ptr<Compiled> all = compileJob(between("10MB/s"));
  ASSERT_TRUE(all);
  const json taken = json::parse(all->plan.strategy)["reshard_after_forward"];
  std::vector<std::string> kept;
  for (const auto &[bucket, reshard] : taken.items())
    if (reshard == false)
      kept.push_back(bucket);
  ASSERT_GE(kept.size(), 2u);
  const json oneIsOpen = {{"*", true}, {kept[0], "auto"}}, oneIsNot = {{"*", "auto"}, {kept[0], true}};
  std::unique_ptr<Compiled> one = compileJob(between("10MB/s", {{"reshard_after_forward", oneIsOpen}})),
                            rest = compileJob(between("10MB/s", {{"reshard_after_forward", oneIsNot}}));
  ASSERT_TRUE(one && rest);
  EXPECT_LE(keptBy(one->plan), 1);
  EXPECT_EQ(gathers(one->plan) + keptBy(one->plan), gathers(all->plan) + keptBy(all->plan));
  EXPECT_GT(keptBy(rest->plan), 0);
  EXPECT_EQ(json::parse(rest->plan.strategy)["reshard_after_forward"][kept[0]], true);
  EXPECT_EQ(gathers(rest->plan) + keptBy(rest->plan), gathers(all->plan) + keptBy(all->plan));
}

/// The device has an eighth less than a plan on a roomy machine takes, so that only some buckets stay
/// gathered.
TEST(KeepGathered, onlyWhatFits) {
  std::unique_ptr<Compiled> roomy = compileJob(between("10MB/s"));
  ASSERT_TRUE(roomy);
  Job tight = between("10MB/s");
  tight.hardware["device"]["capacity"] =
      std::to_string(plan::arenaOf(roomy->plan.programs[0], plan::Tier::Device)->lowerBound * 7 / 8);
  std::unique_ptr<Compiled> some = compileJob(tight);
  ASSERT_TRUE(some);
  EXPECT_GT(keptBy(some->plan), 0);
  EXPECT_LT(keptBy(some->plan), keptBy(roomy->plan));
  const plan::Trial *all = plan::findTrial(whyOf(some->plan), std::to_string(keptBy(roomy->plan)));
  ASSERT_TRUE(all) << plan::reasonText(whyOf(some->plan));
  EXPECT_EQ(all->outcome, plan::Outcome::DoesNotFit);
}

/// A device that never waits for a gather gains nothing.
TEST(KeepGathered, notWhereTheLinkIsFast) {
  std::unique_ptr<Compiled> fast = compileJob(between("100GB/s"));
  ASSERT_TRUE(fast);
  EXPECT_EQ(keptBy(fast->plan), 0);
}

} // namespace
