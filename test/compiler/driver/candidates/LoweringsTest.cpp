// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strategies that differ in what follows the flow level share its modules; others have modules of their own.
#include "compiler/driver/candidates/Lowerings.h"
#include "test/compiler/driver/Planning.h"
#include "test/support/MeshJobs.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

TEST(SharedLowerings, areThoseOfDecisionsBeforeHomes) {
  SharedLowerings shared;
  const Decisions plain;
  const std::shared_ptr<Lowerings> first = shared.of(plain);
  Decisions moved = plain;
  moved.momentsHome.others = plan::Tier::Host;
  moved.slackDevice.numbers = {4096};
  moved.prefetchCg.numbers = {2};
  moved.zeroStage.others = 3;
  moved.bucket = 1 << 20;
  moved.overlap = false;
  EXPECT_EQ(shared.of(moved), first);

  Decisions owned = plain, summed = plain, kept = plain, ofBucket = plain, cut = plain;
  owned.gather = Gather::Broadcast;
  summed.reduction = Reduction::All;
  kept.reshardAfterForward.others = false;
  ofBucket.zeroStage.of["decay.0"] = 1;
  cut.pipelineCut = {1, 1};
  for (const Decisions &other : {owned, summed, kept, ofBucket, cut})
    EXPECT_NE(shared.of(other), first);
}

TEST(SharedLowerings, liveAsLongAsSomebodyHoldsThem) {
  SharedLowerings shared;
  std::shared_ptr<Lowerings> first = shared.of({});
  first->all.try_emplace(LoweringKey());
  const std::shared_ptr<Lowerings> second = shared.of({});
  first.reset();
  EXPECT_EQ(second->all.size(), 1u);
  const std::weak_ptr<Lowerings> held = second;
  EXPECT_FALSE(held.expired());
  shared = SharedLowerings();
  EXPECT_EQ(second.use_count(), 1); // the cache holds none
}

/// The plan of a strategy is the same, whether another one lowered its modules before or not.
TEST(SharedLowerings, changeNoPlan) {
  Planning planning(tinyGpt2(2, 2));
  const Candidate candidate =
      makeCandidate(Recompute::Full, 3, true, {2}, planning.training, planning.machine);
  ASSERT_TRUE(planning.planner->plan(candidate, planning.machine));
  TrainingOptions away = planning.training;
  away.momentsHome.others = away.masterHome.others = plan::Tier::Host;
  auto graphs = std::make_shared<ModelGraphs>(*planning.imported);
  CandidatePlanner first(planning.training, *planning.levels, graphs);
  ASSERT_TRUE(first.plan(candidate, planning.machine));
  EXPECT_EQ(first.workSoFar().lowered, 1);

  Levels levels(away, planning.machine, plan::targetNamed("x86-64-v3").take(), "");
  CandidatePlanner alone(away, levels, std::make_shared<ModelGraphs>(*planning.imported)),
      sharing(away, levels, graphs);
  Result<Planned> expected = alone.plan(candidate, planning.machine),
                  planned = sharing.plan(candidate, planning.machine);
  ASSERT_TRUE(expected && planned);
  EXPECT_EQ(alone.workSoFar().lowered, 1);
  EXPECT_EQ(sharing.workSoFar().lowered, 0);
  EXPECT_TRUE(areSame(*planned->stages.front(), *expected->stages.front()));
  EXPECT_DOUBLE_EQ(planned->memory.step.seconds, expected->memory.step.seconds);
}

} // namespace
