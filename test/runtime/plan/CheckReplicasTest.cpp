// Plans over a mesh of groups that hold copies are sound; a collective over other axes, or one that is left
// out, is found, though both axes have as many ranks and every size still fits.
#include "runtime/plan/CheckReplicas.h"
#include "runtime/plan/Checker.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/PlanReader.h"
#include "runtime/plan/PlanWriter.h"
#include "test/support/SyntheticPlan.h"

#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::plan;

namespace {

const std::vector<int64_t> kReplicate = {0}, kShard = {1};

Plan fourRanks(uint64_t seed, int64_t microBatches) {
  return test::makeSyntheticPlan(
      {.seed = seed, .ranks = 4, .microBatches = microBatches, .layers = 3, .replicas = 2});
}

std::string firstFault(const Plan &plan) {
  const std::vector<std::string> faults = findFaults(plan);
  return faults.empty() ? "" : faults.front();
}

TEST(CheckReplicas, soundPlansPassAndAreReadBack) {
  for (uint64_t seed = 1; seed <= 12; ++seed)
    for (int64_t microBatches : {1, 2, 3}) {
      const Plan plan = fourRanks(seed, microBatches);
      EXPECT_EQ(firstFault(plan), "") << "seed " << seed;
      const std::string text = *printPlan(plan);
      Result<Plan> back = parsePlan(text, "x");
      ASSERT_TRUE(back) << back.status().message();
      EXPECT_EQ(*printPlan(*back), text);
    }
}

/// Every collective of every section over every other set of axes.
TEST(CheckReplicas, findsEveryWrongGroup) {
  int broken = 0;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const Plan sound = fourRanks(seed, 2);
    for (size_t s = 0; s < sound.sections.size(); ++s)
      for (size_t i = 0; i < sound.sections[s].instructions.size(); ++i) {
        const Instruction &right = sound.sections[s].instructions[i];
        for (const std::vector<int64_t> &axes : {kReplicate, kShard, std::vector<int64_t>()}) {
          if (!isCollective(right.op) || axes == right.axes)
            continue;
          Plan plan = sound;
          plan.sections[s].instructions[i].axes = axes;
          EXPECT_NE(firstFault(plan), "") << "seed " << seed << ", " << right.origin.what;
          ++broken;
        }
      }
  }
  EXPECT_GT(broken, 100);
}

/// A sum over replicas that both halves make over the other axis: each alone is refused where it stands.
TEST(CheckReplicas, namesTheCollectiveAndTheAxis) {
  Plan plan = fourRanks(1, 1);
  std::vector<Instruction *> halves;
  for (Instruction &instruction : plan.sections[0].instructions)
    if (instruction.axes == kReplicate)
      halves.push_back(&instruction);
  ASSERT_GE(halves.size(), 2u);
  for (Instruction *half : halves)
    half->axes = kShard;
  EXPECT_NE(
      firstFault(plan).find("in section only sums over axis \"dp_shard\" what is cut into pieces along it"),
      std::string::npos)
      << firstFault(plan);
}

/// Without the sum every replica would go its own way. What stays in its place moves nothing.
TEST(CheckReplicas, findsCopiesThatDiffer) {
  Plan plan = fourRanks(1, 1);
  for (Instruction &instruction : plan.sections[0].instructions)
    if (instruction.axes == kReplicate) {
      const bool gathers = instruction.op == Opcode::AllGather;
      instruction.op = Opcode::Upload; // any copy that touches the same bytes in the same way
      instruction.axes.clear();
      std::swap(instruction.operands[0], instruction.operands[gathers ? 0 : 1]);
    }
  Findings findings;
  const Timeline timeline(plan, std::vector<const Section *>{&plan.sections[0]});
  checkReplicas(plan, timeline, findings);
  const std::vector<std::string> faults = findings.take();
  ASSERT_FALSE(faults.empty());
  EXPECT_NE(faults.front().find("must be alike along axis \"dp_replicate\", but is of each rank's own"),
            std::string::npos)
      << faults.front();
}

TEST(CheckReplicas, axesAreThoseOfTheMeshInOrder) {
  Plan plan = fourRanks(1, 1);
  Instruction *collective = nullptr;
  for (Instruction &instruction : plan.sections[0].instructions)
    collective = isCollective(instruction.op) ? &instruction : collective;
  collective->axes = {2};
  EXPECT_NE(firstFault(plan).find(".axes: axis 2, but the mesh has 2"), std::string::npos)
      << firstFault(plan);
  collective->axes = {1, 0};
  EXPECT_NE(firstFault(plan).find(".axes: axis 0 stands behind axis 1"), std::string::npos)
      << firstFault(plan);
  collective->axes = kShard;
  plan.sections[0].instructions[0].axes = kShard;
  ASSERT_FALSE(isCollective(plan.sections[0].instructions[0].op));
  EXPECT_NE(firstFault(plan).find("runs over dp_shard, but is no collective"), std::string::npos)
      << firstFault(plan);
}

} // namespace
