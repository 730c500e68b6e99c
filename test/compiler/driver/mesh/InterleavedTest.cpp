// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages with several chunks of layers: no number of chunks changes a bit, each chunk holds the micro-batches
// in flight, and impossible schedules are refused.
#include "planning/Pipeline/ChunkOrder.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/check/Checker.h"
#include "test/support/MeshJobs.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

Job layered(Job job, int64_t layers, int64_t microBatches) {
  job.model[job.model.contains("n_layer") ? "n_layer" : "num_hidden_layers"] = layers;
  job.training["micro_batches"] = microBatches;
  return job;
}

json interleaved(json pipeline = json::object(), json decisions = json::object()) {
  pipeline["schedule"] = "interleaved";
  decisions["pipeline"] = pipeline;
  return decisions;
}

TEST(Interleaved, chunksChangeNoBit) {
  const Job job = layered(deepGpt2(1), 6, 6);
  expectSameBitsOfAll({onStages(job, 1), onStages(job, 2, interleaved()), onStages(job, 3, interleaved()),
                       onStages(job, 2, interleaved({{"chunks", 3}}, {{"recompute", "full"}})),
                       onStages(job, 2, interleaved({{"cut", {1, 2, 1, 2}}}, {{"zero_stage", 0}}))});
}

TEST(Interleaved, theyGoWithWhatIsDecidedInsideAStage) {
  const Job job = layered(deepGpt2(2), 4, 4);
  const json away = {{"param", "host"}, {"grad", "host"}, {"moments", "nvme"}, {"checkpoint", "nvme"}};
  expectSameBitsOfAll(
      {onStages(job, 1), onStages(job, 2, interleaved({}, {{"zero_stage", 2}})),
       onStages(job, 2, interleaved({}, {{"zero_stage", 3}, {"recompute", "full"}, {"placement", away}}))});
}

TEST(Interleaved, theyGoWithSixteenBitsAndRanksThatShareOutOperations) {
  const Job half = layered(deepGpt2(1), 4, 2).with({{"precision", {{"compute", "bf16"}}}});
  expectSameBitsOfAll({onStages(half, 1), onStages(half, 2, interleaved())});
  const Job shared = layered(deepLlama(), 4, 4);
  expectSameBitsOfAll({onMesh(shared, {1, 2, 1}), onMesh(shared.with(interleaved()), {1, 2, 2})});
}

/// With full recomputation, the input of a layer has a slot for each micro-batch in flight in its chunk. The
/// second stage has one slot more, as it receives one micro-batch ahead. Checkpoints of the last chunk stay
/// within one run and need no slots.
TEST(Interleaved, aChunkHoldsWhatIsUnderWay) {
  std::unique_ptr<Compiled> cut =
      compileJob(onStages(layered(deepGpt2(1), 4, 8), 2, interleaved({}, {{"recompute", "full"}})));
  ASSERT_TRUE(cut);
  ASSERT_EQ(planning::inFlight({2, 2, 8}, 0), (std::vector<int64_t>{4, 2}));
  ASSERT_EQ(planning::inFlight({2, 2, 8}, 1), (std::vector<int64_t>{3, 1}));
  const std::vector<int64_t> held[] = {{4, 2}, {4}};
  for (size_t stage = 0; stage < 2; ++stage) {
    std::vector<int64_t> slots;
    for (const plan::Buffer &buffer : cut->plan.programs[stage].buffers)
      if (buffer.cls == plan::BufferClass::Checkpoint && buffer.slots > 0)
        slots.push_back(buffer.slots);
    std::ranges::sort(slots, std::greater());
    EXPECT_EQ(slots, held[stage]) << "stage " << stage;
  }
}

TEST(Interleaved, aPlanIsAsLongForAnyNumberOfMicroBatches) {
  std::vector<size_t> instructions;
  for (int64_t microBatches : {16, 64}) {
    std::unique_ptr<Compiled> cut =
        compileJob(onStages(layered(deepGpt2(1), 4, microBatches), 2, interleaved()));
    ASSERT_TRUE(cut);
    size_t &all = instructions.emplace_back();
    for (const plan::Program &program : cut->plan.programs)
      for (const plan::Section &section : program.sections)
        all += section.instructions.size();
  }
  EXPECT_EQ(instructions[0], instructions[1]);
}

/// Changes each message to another micro-batch or another name, and takes one slot from each buffer with
/// slots.
TEST(Interleaved, theCheckerFindsWhatComesForAnotherMicroBatch) {
  std::unique_ptr<Compiled> cut = compileJob(onStages(layered(deepGpt2(1), 4, 4), 2, interleaved()));
  ASSERT_TRUE(cut);
  ASSERT_EQ(plan::findFaults(cut->plan), std::vector<std::string>());
  int changed = 0, shrunk = 0;
  for (size_t section = 0; section < cut->plan.programs[1].sections.size(); ++section)
    for (size_t i = 0; i < cut->plan.programs[1].sections[section].instructions.size(); ++i)
      for (bool renames : {false, true}) {
        if (!plan::isMessage(cut->plan.programs[1].sections[section].instructions[i].op))
          continue;
        plan::Plan copy = cut->plan;
        plan::Instruction &each = copy.programs[1].sections[section].instructions[i];
        renames ? each.item += "'" : (++each.microBatch, each.item);
        EXPECT_FALSE(plan::findFaults(copy).empty()) << each.item;
        ++changed;
      }
  for (size_t i = 0; i < cut->plan.programs[0].buffers.size(); ++i) {
    if (cut->plan.programs[0].buffers[i].slots <= 1)
      continue;
    plan::Plan copy = cut->plan;
    --copy.programs[0].buffers[i].slots;
    EXPECT_FALSE(plan::findFaults(copy).empty()) << copy.programs[0].buffers[i].name;
    ++shrunk;
  }
  EXPECT_GT(changed, 40);
  EXPECT_GT(shrunk, 10);
}

TEST(Interleaved, theRecordGivesThePlanAgain) {
  std::unique_ptr<Compiled> compiled =
      expectRecordGivesPlanAgain(onStages(layered(deepGpt2(1), 4, 4), 2, interleaved()));
  ASSERT_TRUE(compiled);
  const json record = json::parse(compiled->plan.strategy);
  EXPECT_EQ(record["pipeline"],
            json({{"schedule", "interleaved"}, {"chunks", 2}, {"lag", "auto"}, {"cut", {1, 1, 1, 1}}}));
}

TEST(Interleaved, whatCannotBeIsRefusedInWords) {
  const auto refusal = [](int64_t microBatches, const json &pipeline) {
    return refusalOf(onStages(layered(deepGpt2(1), 4, microBatches), 2, {{"pipeline", pipeline}}));
  };
  const std::pair<std::string, std::string> cases[] = {
      {refusal(5, {{"schedule", "interleaved"}}),
       "pipeline.schedule: interleaved needs micro-batches that the 2 stages divide, a step has 5"},
      {refusal(4, {{"schedule", "interleaved"}, {"chunks", 3}}),
       "pipeline.chunks: 3 of each of 2 stages need a layer each, the model has 4"},
      {refusal(4, {{"schedule", "interleaved"}, {"cut", {2, 2}}}),
       "pipeline.cut: says the layers of 2 parts, parallel.pipeline and pipeline.chunks ask for 4"},
      {refusal(4, {{"schedule", "interleaved"}, {"lag", {2, 1}}}),
       "pipeline.lag: is of other schedules, an interleaved one has the order of its passes"},
      {refusal(4, {{"schedule", "1f1b"}, {"chunks", 2}}),
       "pipeline.chunks: is of the schedule \"interleaved\", found \"1f1b\""}};
  for (const auto &[said, words] : cases)
    EXPECT_NE(said.find(words), std::string::npos) << said;
}

} // namespace
