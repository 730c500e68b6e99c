// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pipeline of several programs, written by hand: it is read, checked and written back, and the checker
// finds faults between programs.
#include "test/support/PipelinePlan.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/Meetings.h"
#include "runtime/plan/check/Checker.h"
#include "runtime/plan/file/PlanReader.h"
#include "runtime/plan/file/PlanWriter.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

namespace windlass::plan {
namespace {

using test::makePipelinePlan;

TEST(PipelinePlan, isSoundHoweverItIsCut) {
  for (int64_t stages : {1, 2, 4})
    for (int64_t microBatches : {4, 5, 9})
      for (int64_t dataRanks : {1, 2}) {
        const std::vector<std::string> faults =
            findFaults(makePipelinePlan({stages, microBatches, dataRanks}));
        EXPECT_TRUE(faults.empty()) << stages << " stages, " << microBatches << " micro-batches, "
                                    << dataRanks << " data ranks: " << faults.front();
      }
}

TEST(PipelinePlan, isReadAsItWasWritten) {
  const Plan plan = makePipelinePlan({});
  const Result<std::string> text = printPlan(plan);
  ASSERT_TRUE(text);
  const Result<Plan> read = parsePlan(*text, "plan.json");
  ASSERT_TRUE(read) << read.status().message();
  EXPECT_EQ(*printPlan(*read), *text);
  ASSERT_EQ(read->programs.size(), 2u);
  EXPECT_EQ(read->programs[1].firstRank, 2);
  EXPECT_EQ(read->programs[1].ranks, 2);
}

TEST(PipelinePlan, stagesHaveArenasLagsAndSlotsOfTheirOwn) {
  const Plan plan = makePipelinePlan({.stages = 2, .microBatches = 6});
  const Program &first = plan.programs[0], &last = plan.programs[1];
  EXPECT_GT(arenaOf(first, Tier::Device)->bytes, arenaOf(last, Tier::Device)->bytes);
  auto slotsOf = [](const Program &program) {
    return std::ranges::max(program.buffers, {}, &Buffer::slots).slots;
  };
  EXPECT_EQ(slotsOf(first), 2);
  EXPECT_EQ(slotsOf(last), 0);
  using Names = std::vector<std::pair<std::string, int64_t>>;
  auto stepOf = [](const Program &program) {
    Names names;
    for (const auto &[section, times] : program.train)
      names.emplace_back(program.sections[section].name, times);
    return names;
  };
  EXPECT_EQ(stepOf(first), (Names{{"warm", 1}, {"first", 1}, {"middle", 4}, {"last", 1}}));
  EXPECT_EQ(stepOf(last), (Names{{"first", 1}, {"middle", 4}, {"last", 1}}));
}

/// The size of the file does not grow with the numbers of micro-batches and data ranks, except for digits.
TEST(PipelinePlan, hasAsManyInstructionsForAnyNumberOfMicroBatches) {
  auto count = [](const Plan &plan) {
    int64_t instructions = 0;
    forEachInstruction(plan, [&](const Instruction &) { ++instructions; });
    return instructions;
  };
  EXPECT_EQ(count(makePipelinePlan({2, 8, 2})), count(makePipelinePlan({2, 64, 2})));
  EXPECT_EQ(count(makePipelinePlan({2, 8, 1})), count(makePipelinePlan({2, 8, 4})));
}

TEST(PipelinePlan, itsProgramsMeetOnOneChannelForEachKindAndDirection) {
  const std::vector<Channel> channels = channelsOf(makePipelinePlan({}));
  ASSERT_EQ(channels.size(), 2u);
  EXPECT_EQ(channels[0], (Channel{Lane::ActOut, {0, 1}, {}}));
  EXPECT_EQ(channels[1], (Channel{Lane::GradOut, {1, 0}, {}}));
}

/// The first instruction of an opcode in the section with this name.
Instruction &firstOf(Program &program, const std::string &section, Opcode op) {
  Section &found = *std::ranges::find(program.sections, section, &Section::name);
  return *std::ranges::find(found.instructions, op, &Instruction::op);
}

void expectFault(const std::string &expected, const std::function<void(Plan &)> &spoil) {
  Plan plan = makePipelinePlan({.stages = 2, .microBatches = 6});
  spoil(plan);
  const std::vector<std::string> faults = findFaults(plan);
  EXPECT_TRUE(std::ranges::any_of(
      faults, [&](const std::string &fault) { return fault.find(expected) != std::string::npos; }))
      << expected << "\nfirst fault: " << (faults.empty() ? "none" : faults.front());
}

TEST(PipelinePlan, aMessageThatIsMissingIsFound) {
  expectFault("(send layer.2.input, layer.1, forward) of \"layer.2.input\", micro-batch 5 waits for ever: "
              "program 1 meets it there 5 times",
              [](Plan &plan) {
                Section &last = *std::ranges::find(plan.programs[1].sections, "last", &Section::name);
                std::erase_if(last.instructions,
                              [](const Instruction &each) { return each.op == Opcode::Recv; });
                for (Instruction &each : last.instructions)
                  std::erase_if(each.waits, [](const Wait &wait) { return wait.lane == Lane::ActIn; });
              });
}

TEST(PipelinePlan, aMessageThatIsSentTwiceIsFound) {
  expectFault("act_out 2 (send layer.2.input, layer.1, forward) of \"layer.2.input\", micro-batch 1 meets "
              "program 1, section "
              "middle, act_in 1 (recv layer.2.input, layer.2, forward) of \"layer.2.input\", micro-batch 2",
              [](Plan &plan) {
                Section &first = *std::ranges::find(plan.programs[0].sections, "first", &Section::name);
                const auto sent = std::ranges::find(first.instructions, Opcode::Send, &Instruction::op);
                first.instructions.insert(sent, Instruction(*sent));
              });
}

TEST(PipelinePlan, aMessageOfAnotherNameIsFound) {
  expectFault("of \"layer.9.input\", micro-batch 0 meets program 1, section first, act_in 1",
              [](Plan &plan) { firstOf(plan.programs[0], "warm", Opcode::Send).item = "layer.9.input"; });
}

TEST(PipelinePlan, aMessageOfAnotherMicroBatchIsFound) {
  expectFault(
      "micro-batch 1 meets program 0, section first, grad_in 1 (recv layer.2.gradient, layer.1, forward) of "
      "\"layer.2.gradient\", micro-batch 0",
      [](Plan &plan) { firstOf(plan.programs[1], "first", Opcode::Send).microBatch = 1; });
}

TEST(PipelinePlan, aMessageOfAnotherSizeIsFound) {
  expectFault(": 1024 bytes and 512", [](Plan &plan) {
    Instruction &received = firstOf(plan.programs[0], "first", Opcode::Recv);
    received.operands[0].bytes = received.bytesMoved = 512;
  });
}

TEST(PipelinePlan, programsThatWaitForEachOtherAreFound) {
  expectFault("programs wait for each other: program 0, section first, act_out 1", [](Plan &plan) {
    for (Section &section : plan.programs[0].sections) {
      const auto receives = std::ranges::find(section.instructions, Opcode::Recv, &Instruction::op),
                 sends = std::ranges::find(section.instructions, Opcode::Send, &Instruction::op);
      if (receives < sends && sends != section.instructions.end() && section.name != "evaluate")
        std::iter_swap(receives, sends);
    }
  });
}

TEST(PipelinePlan, aMessageToNowhereIsRefused) {
  expectFault("peer 2, but the plan has 2 programs",
              [](Plan &plan) { firstOf(plan.programs[0], "warm", Opcode::Send).peer = 2; });
  expectFault("peer 0 is not another program of 2 ranks",
              [](Plan &plan) { firstOf(plan.programs[0], "warm", Opcode::Send).peer = 0; });
  expectFault("only a message has a peer",
              [](Plan &plan) { firstOf(plan.programs[0], "warm", Opcode::Launch).peer = 1; });
}

TEST(PipelinePlan, aBackwardPassBeforeItsForwardPassIsFound) {
  expectFault("\"layer.0.input\" is used 4 times for micro-batch 2, 2 times for micro-batch 0",
              [](Plan &plan) {
                Section &first = *std::ranges::find(plan.programs[0].sections, "first", &Section::name);
                for (Instruction &each : first.instructions)
                  if (each.origin.phase == Phase::Backward)
                    each.microBatch += 2; // their forward pass is in the next run
              });
}

TEST(PipelinePlan, aSlotTooFewIsFound) {
  expectFault("whose slot holds what", [](Plan &plan) {
    for (Buffer &buffer : plan.programs[0].buffers)
      buffer.slots -= buffer.slots > 0 ? 1 : 0;
  });
}

TEST(PipelinePlan, aTensorOfTwoProgramsIsFound) {
  expectFault("state \"layer.0\" (parameter) stands in program 0 and in program 1", [](Plan &plan) {
    for (State &state : plan.programs[1].states)
      state.name = state.name == "layer.2" ? "layer.0" : state.name;
  });
}

TEST(PipelinePlan, whoServesWhichRanksIsHeldToTheMesh) {
  expectFault("programs[1]: 2 ranks from rank 1, but rank 2 of 4 is the next that none serves",
              [](Plan &plan) { plan.programs[1].firstRank = 1; });
  expectFault("programs[0]: ranks 0 to 1 are not those of one stage",
              [](Plan &plan) { plan.mesh[0].kind = AxisKind::Data; });
  expectFault("programs: none serves rank 4 of 8", [](Plan &plan) { plan.mesh[0].size = 4; });
}

TEST(PipelinePlan, aProgramThatCannotEvaluateIsFound) {
  expectFault("program 1 has no schedule \"evaluate\", unlike program 0",
              [](Plan &plan) { plan.programs[1].evaluate.clear(); });
}

TEST(PipelinePlan, aSumOverStagesIsFound) {
  expectFault("is cut over pp x dp, but its program has one place of the pipeline",
              [](Plan &plan) { plan.programs[0].states[0].axes.clear(); });
}

} // namespace
} // namespace windlass::plan
