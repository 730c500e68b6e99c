// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inner stages of a pipeline that differ only in names: one of them is planned, and the others get its plan.
// This plan is the one that each would get by itself.
#include "passes/Flow/layout/StageShape.h"
#include "test/compiler/driver/Planning.h"
#include "test/support/MeshJobs.h"

using namespace windlass;
using namespace windlass::test;

namespace {

Job layered(int64_t stages, int64_t layers, int64_t microBatches, const char *schedule) {
  Job job = deepLlama().with({{"micro_batches", microBatches}, {"pipeline", {{"schedule", schedule}}}});
  job.model["num_hidden_layers"] = layers;
  return onStages(job, stages);
}

/// The number of stages that took the plan of another stage, where all stages are planned once.
int64_t takenOf(const Job &job) {
  Planning planning(job);
  const Candidate candidate =
      makeCandidate(Recompute::None, 0, true, {job.model["num_hidden_layers"].get<int64_t>()},
                    planning.training, planning.machine);
  Result<Planned> planned = planning.planner->plan(candidate, planning.machine);
  EXPECT_TRUE(planned) << planned.status().message();
  EXPECT_EQ(planning.planner->workSoFar().planned, 1);
  return planning.planner->workSoFar().taken;
}

TEST(AlikeStages, arePlannedOnce) {
  EXPECT_EQ(takenOf(layered(5, 10, 6, "gpipe")), 2);
  // There are fewer micro-batches than stages. The first four stages are ahead by the whole step, and the
  // fourth hands its values to a stage that is not.
  EXPECT_EQ(takenOf(layered(5, 10, 2, "1f1b")), 1);
}

/// Each stage is ahead by another number of micro-batches, or has another number of layers. The first and the
/// last stage differ from all others.
TEST(AlikeStages, othersArePlannedByThemselves) {
  EXPECT_EQ(takenOf(layered(5, 10, 6, "1f1b")), 0);
  EXPECT_EQ(takenOf(layered(2, 10, 6, "gpipe")), 0);
  Job uneven = layered(4, 10, 6, "gpipe");
  uneven.training["pipeline"]["cut"] = {2, 3, 2, 3};
  EXPECT_EQ(takenOf(uneven), 0);
}

TEST(AlikeStages, haveThePlanThatTheyWouldHaveAlone) {
  const json host = {{"param", "host"}, {"moments", "host"}, {"grad", "host"}};
  const Job job = layered(5, 10, 6, "gpipe").with({{"placement", host}, {"recompute", "full"}});
  Planning planning(job);
  Candidate candidate = makeCandidate(Recompute::Full, 0, true, {10}, planning.training, planning.machine);
  Result<windlass::Stages> stages = planning.levels->lowerToStages(planning.imported->clone(), candidate);
  ASSERT_TRUE(stages) << stages.status().message();
  const auto shapeOf = [&](size_t stage) { return flow::shapeOf(*stages->modules[stage], planning.machine); };
  EXPECT_TRUE(shapeOf(1) == shapeOf(2));
  EXPECT_FALSE(shapeOf(0) == shapeOf(1));
  EXPECT_FALSE(shapeOf(3) == shapeOf(4));
  Result<Planned> together = planning.planner->plan(candidate, planning.machine);
  ASSERT_TRUE(together) << together.status().message();
  EXPECT_EQ(planning.planner->workSoFar().taken, 2);
  for (size_t stage : {2, 3}) {
    flow::PlanMemoryRequest request;
    request.pins = pinsOf(planning.training);
    request.chunkElements = candidate.chunkElements;
    request.wholeOnDevice = true;
    mlir::OwningOpRef<mlir::ModuleOp> alone;
    Result<flow::MemoryPlan> plan =
        flow::planMemory(*stages->modules[stage], planning.machine, request, alone);
    ASSERT_TRUE(plan) << plan.status().message();
    EXPECT_EQ(plan->credits.front(), together->memory.credits[stage]);
    EXPECT_EQ(plan->slack.front(), together->memory.slack[stage]);
    EXPECT_TRUE(areSame(*alone, *together->stages[stage]));
  }
}

} // namespace
