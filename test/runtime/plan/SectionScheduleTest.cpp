// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/SectionSchedule.h"

#include "runtime/plan/check/Checker.h"
#include "test/support/Sections.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace windlass::plan {
namespace {

/// A step of `microBatches` on one stage of a pipeline, whose backward passes are two micro-batches behind.
Plan lagging(int64_t microBatches) {
  Plan plan;
  plan.training.microBatches = microBatches;
  plan.programs[0].sections = {{"warm", 1, {}}, {"both", 1, {}}, {"drain", 1, {}}, {"evaluate", 1, {}}};
  plan.programs[0].train = {{0, 2}, {1, microBatches - 2}, {2, 2}};
  plan.programs[0].evaluate = {{3, 1}};
  return plan;
}

using Runs = std::vector<std::pair<uint32_t, int64_t>>;

Runs runsOf(const Plan &plan, Purpose purpose, int64_t most = 1 << 20) {
  Runs runs;
  for (const SectionRun &run : unroll(plan.programs[0], purpose, most))
    runs.emplace_back(run.section, run.microBatch);
  return runs;
}

TEST(SectionSchedule, everyRunKnowsItsFirstMicroBatch) {
  EXPECT_EQ(runsOf(lagging(5), Purpose::Train),
            (Runs{{0, 0}, {0, 1}, {1, 2}, {1, 3}, {1, 4}, {2, 5}, {2, 6}}));
  EXPECT_EQ(runsOf(lagging(5), Purpose::Evaluate), (Runs{{3, 0}}));
  EXPECT_EQ(runsOf(lagging(5), Purpose::Sample), Runs());
  Plan unrolled = lagging(5);
  unrolled.programs[0].sections[0].advance = 0;
  EXPECT_EQ(runsOf(unrolled, Purpose::Train), (Runs{{0, 0}, {0, 0}, {1, 0}, {1, 1}, {1, 2}, {2, 3}, {2, 4}}));
}

TEST(SectionSchedule, ofManyRunsInARowSomeAreLookedAt) {
  EXPECT_EQ(runsOf(lagging(100), Purpose::Train, 3),
            (Runs{{0, 0}, {0, 1}, {1, 2}, {1, 3}, {1, 4}, {2, 5}, {2, 6}}));
}

TEST(SectionSchedule, whatMayRunJustBefore) {
  const Plan plan = lagging(5);
  using Sections = std::vector<uint32_t>;
  EXPECT_EQ(predecessorsOf(plan.programs[0], 0), Sections{0});
  EXPECT_EQ(predecessorsOf(plan.programs[0], 1), (Sections{0, 1}));
  EXPECT_EQ(predecessorsOf(plan.programs[0], 2), (Sections{1, 2}));
  EXPECT_EQ(predecessorsOf(plan.programs[0], 3), Sections());
  EXPECT_EQ(predecessorsOf(lagging(3).programs[0], 1), Sections{0});
}

TEST(SectionSchedule, whatASectionIsFor) {
  Plan plan = lagging(3);
  plan.programs[0].sections.push_back({"idle", 1, {}});
  EXPECT_EQ(purposeOf(plan.programs[0], 2), Purpose::Train);
  EXPECT_EQ(purposeOf(plan.programs[0], 3), Purpose::Evaluate);
  EXPECT_EQ(purposeOf(plan.programs[0], 4), std::nullopt);
  EXPECT_TRUE(serves(plan, Purpose::Train));
  EXPECT_FALSE(serves(plan, Purpose::Sample));
  EXPECT_EQ(microBatchesOf(plan, Purpose::Train), 3);
  EXPECT_EQ(microBatchesOf(plan, Purpose::Evaluate), 1);
}

void expectFault(const Plan &plan, const std::string &part) {
  const std::vector<std::string> faults = findFaults(plan);
  EXPECT_TRUE(
      std::ranges::any_of(faults, [&](const std::string &fault) { return fault.find(part) != fault.npos; }))
      << part << "\nfound: " << (faults.empty() ? "nothing" : faults.front());
}

TEST(SectionSchedule, aSectionStandsInOne) {
  Plan plan = lagging(5);
  plan.programs[0].sections.push_back({"idle", 1, {}});
  expectFault(plan, "section \"idle\" stands in no schedule");
  plan.programs[0].sample = {{3, 1}};
  expectFault(plan, "section \"evaluate\" stands in \"evaluate\" and \"sample\", but one schedule has it");
  plan.programs[0].sections[4].name = "warm";
  expectFault(plan, "section \"warm\" stands twice");
  plan.programs[0].train[0].section = 9;
  expectFault(plan, "train: section 9, but the program has 5");
  plan.programs[0].train[0] = {0, 0};
  expectFault(plan, "train: 0 runs of section 0 are not 1 to");
  plan.programs[0].train[0] = {0, int64_t{1} << 40};
  expectFault(plan, "runs of section 0 are not 1 to");
}

Instruction reportOfLoss(int64_t microBatch = 0) {
  Instruction report;
  report.op = Opcode::Report;
  report.microBatch = microBatch;
  report.item = "loss";
  return report;
}

TEST(SectionSchedule, instructionsAreOfMicroBatchesOfTheStep) {
  Plan plan = lagging(5);
  plan.programs[0].sections[2].instructions.push_back(reportOfLoss());
  expectFault(plan, "schedule \"train\": section \"drain\" has micro-batch 6 of 5");
  plan.programs[0].sections[2].instructions[0].microBatch = -6;
  expectFault(plan, "schedule \"train\": section \"drain\" has micro-batch -1 of 5");
  plan.programs[0].sections[2].instructions[0].microBatch = -2; // micro-batches 3 and 4
  expectFault(plan, "schedule \"train\", micro-batch 0: reports no \"loss\"");
  plan.programs[0].sections[1].instructions.push_back(reportOfLoss(-2)); // micro-batches 0 to 2
  for (const std::string &fault : findFaults(plan))
    EXPECT_EQ(fault.find("\"train\""), fault.npos) << fault;
  plan.programs[0].sections[1].instructions[0].microBatch = -1;
  expectFault(plan, "schedule \"train\", micro-batch 0: reports no \"loss\"");
  plan.programs[0].sections[0].instructions.push_back(reportOfLoss()); // micro-batches 0 and 1
  expectFault(plan, "schedule \"train\", micro-batch 1: reports \"loss\" twice");
}

/// A section that keeps a value for a reader `later` runs later.
Plan keeping(int64_t slots, int64_t later) {
  Plan plan;
  plan.training.microBatches = 8;
  plan.programs[0].arenas = {{Tier::Host, 64 * std::max<int64_t>(1, slots), 0, 4096}};
  plan.programs[0].buffers = {{"kept", BufferClass::Feed, Tier::Host, 0, 64, true, kEveryRank, slots}};
  Instruction feed, report;
  feed.op = Opcode::Feed;
  feed.lane = report.lane = Lane::HostCompute;
  feed.operands = report.operands = {{0, 0, 64, {}}};
  feed.item = "step";
  report.op = Opcode::Report;
  report.item = "loss";
  report.microBatch = -later;
  plan.programs[0].sections = {{"warm", 1, {feed}}, {"both", 1, {feed, report}}, {"drain", 1, {report}}};
  plan.programs[0].train = {{0, later}, {1, 8 - later}, {2, later}};
  return plan;
}

TEST(SectionSchedule, aSlotIsReadByTheMicroBatchItWasWrittenFor) {
  for (int64_t later : {1, 2, 3}) {
    EXPECT_EQ(findFaults(keeping(later + 1, later)), std::vector<std::string>()) << later;
    expectFault(keeping(later, later), "whose slot holds what host_compute 1 (feed");
    Plan late = keeping(later + 1, later);
    late.programs[0].sections[1].instructions[0].microBatch = 1;
    expectFault(late, "schedule \"train\": section \"both\" has micro-batch 8 of 8");
  }
  expectFault(keeping(2, 2), "for micro-batch 2, not for 0");
  Plan plan = keeping(2, 1);
  plan.programs[0].buffers[0].persistent = false;
  expectFault(plan, "buffer \"kept\" has 2 slots, but is not persistent");
  plan = keeping(2, 1);
  plan.programs[0].buffers[0].bytes = 60;
  expectFault(plan, "buffer \"kept\" has 2 slots of 60 bytes, no multiple of 64");
  plan.programs[0].buffers[0].slots = -1;
  expectFault(plan, "programs[0].buffers[0]: -1 slots are not 0 to");
}

} // namespace
} // namespace windlass::plan
