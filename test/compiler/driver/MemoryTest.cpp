// A plan's memory is exact: nothing outside the planned intervals is touched, everything inside is written,
// and the bytes of the states and the elements on the wire are those of the papers' formulas, after padding.
#include "runtime/plan/Checker.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Layout.h"
#include "test/support/Canaries.h"
#include "test/support/EndToEnd.h"
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>

using namespace windlass;
using namespace windlass::test;
using plan::BufferClass;
using plan::Opcode;
using plan::Tier;

namespace {

//===----------------------------------------------------------------------===//
// Canaries
//===----------------------------------------------------------------------===//

/// All tiers and lanes are used; sections first, middle, last, evaluate and sample are run.
Job everywhereJob(const std::string &compute) {
  json placed = {{"param", "nvme"}, {"grad", "host"}, {"moments", "nvme"}, {"checkpoint", "host"}};
  if (compute == "bf16")
    placed = {{"param", "device"},
              {"grad", "nvme"},
              {"master", "nvme"},
              {"moments", "host"},
              {"checkpoint", "nvme"}};
  return tinyGpt2(2, 3).with({{"precision", {{"compute", compute}}},
                              {"recompute", "full"},
                              {"placement", placed},
                              {"validation", {{"fraction", 0.1}}}});
}

class Canary : public ::testing::TestWithParam<const char *> {};

TEST_P(Canary, nothingElseIsTouchedAndEverythingIsWritten) {
  std::unique_ptr<Compiled> compiled = compileJob(everywhereJob(GetParam()));
  ASSERT_TRUE(compiled);
  ASSERT_EQ(compiled->plan.arenas.size(), 3u);
  expectOnlyPlannedBytes(*compiled);
}

/// What instructions and the loading of states write, buffer by buffer: sharing bytes must hide nothing.
TEST_P(Canary, everyBufferIsWrittenWhole) {
  std::unique_ptr<Compiled> compiled = compileJob(everywhereJob(GetParam()));
  ASSERT_TRUE(compiled);
  const plan::Plan &plan = compiled->plan;
  std::vector<std::vector<char>> written;
  for (const plan::Buffer &buffer : plan.buffers)
    written.emplace_back(buffer.bytes, false);
  for (const plan::State &state : plan.states)
    std::fill(written[state.home.buffer].begin(), written[state.home.buffer].end(), true);
  for (const plan::Section &section : plan.sections)
    for (const plan::Instruction &instruction : section.instructions)
      for (size_t i = 0; i < instruction.operands.size(); ++i)
        if (const plan::Operand &operand = instruction.operands[i];
            plan::writes(accessOf(plan, instruction, i)))
          for (int64_t rank = 0; rank < plan.ranks(); ++rank)
            std::fill_n(written[operand.buffer].begin() + plan::bufferOffset(plan, operand, rank),
                        operand.bytes, true);
  for (size_t i = 0; i < written.size(); ++i)
    if (plan.buffers[i].cls != BufferClass::Workspace)
      EXPECT_TRUE(std::all_of(written[i].begin(), written[i].end(), [](char byte) { return byte; }))
          << plan.buffers[i].name << " of " << plan.buffers[i].bytes << " bytes in "
          << plan::textOf(plan.buffers[i].tier);
}

TEST_P(Canary, anArenaOneByteSmallerIsRefused) {
  std::unique_ptr<Compiled> compiled = compileJob(everywhereJob(GetParam()));
  ASSERT_TRUE(compiled);
  ASSERT_TRUE(plan::checkPlan(compiled->plan));
  for (size_t i = 0; i < compiled->plan.arenas.size(); ++i) {
    plan::Plan smaller = compiled->plan;
    --smaller.arenas[i].bytes;
    EXPECT_FALSE(plan::checkPlan(smaller)) << plan::textOf(smaller.arenas[i].tier);
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, Canary, ::testing::Values("fp32", "bf16"),
                         [](const auto &info) { return std::string(info.param); });

//===----------------------------------------------------------------------===//
// Bytes of the states
//===----------------------------------------------------------------------===//

/// Bytes of the homes of a class on one rank.
int64_t homeBytes(const plan::Plan &plan, BufferClass cls) {
  int64_t bytes = 0;
  for (const plan::Buffer &buffer : plan.buffers)
    if (buffer.cls == cls && buffer.persistent)
      bytes += buffer.bytes;
  return bytes;
}

/// Blocks only, so that the backward pass reads every parameter; 128x128 needs no padding on 2 or 4 ranks.
Job blockMlp(int64_t ranks, int64_t microBatches) {
  Job job = biasFreeMlp({128, 128}, ranks, microBatches);
  job.model["params"] = json::object();
  job.model["blocks"] = {{"layer",
                          {{"in", {"h"}},
                           {"params", {{"weight", {{"shape", {128, 128}}, {"init", {{"normal", 0.1}}}}}}},
                           {"ops",
                            {{{"op", "matmul"}, {"in", {"h", "weight"}}, {"out", "linear"}},
                             {{"op", "relu"}, {"in", {"linear"}}, {"out", "active"}}}},
                           {"out", {"active"}}}}};
  job.model["ops"] = {{{"repeat", 3}, {"block", "layer"}, {"carry", {"x"}}, {"name", "layer.{i}"}},
                      {{"op", "mse"}, {"in", {"x", "y"}}, {"out", "losses"}}};
  return job;
}

constexpr int64_t kPsi = 3 * 128 * 128;

struct StateRule {
  int64_t stage;
  int64_t wire; ///< elements a step moves, in units of the parameters
};

class ZeroStage : public ::testing::TestWithParam<StateRule> {};

TEST_P(ZeroStage, statesOfABiasFreeMlpTakeThePapersBytes) {
  const int64_t stage = GetParam().stage, ranks = 4;
  std::unique_ptr<Compiled> compiled = compileJob(blockMlp(ranks, 1).with({{"zero_stage", stage}}));
  ASSERT_TRUE(compiled);
  const plan::Plan &plan = compiled->plan;
  EXPECT_EQ(homeBytes(plan, BufferClass::Parameter), 4 * kPsi / (stage == 3 ? ranks : 1));
  EXPECT_EQ(homeBytes(plan, BufferClass::Momentum), 4 * kPsi / (stage >= 1 ? ranks : 1));
  EXPECT_EQ(homeBytes(plan, BufferClass::Variance), 4 * kPsi / (stage >= 1 ? ranks : 1));
  // Where the papers keep a whole gradient until the backward pass ends, the planner reduces each bucket as
  // soon as it exists, at every stage.
  EXPECT_EQ(homeBytes(plan, BufferClass::Gradient), 4 * kPsi / ranks);
}

TEST_P(ZeroStage, mixedPrecisionKeepsMastersBesideHalves) {
  const int64_t stage = GetParam().stage, ranks = 4;
  std::unique_ptr<Compiled> compiled =
      compileJob(blockMlp(ranks, 1).with({{"zero_stage", stage}, {"precision", {{"compute", "bf16"}}}}));
  ASSERT_TRUE(compiled);
  const plan::Plan &plan = compiled->plan;
  const int64_t states = stage >= 1 ? ranks : 1;
  EXPECT_EQ(homeBytes(plan, BufferClass::Parameter), 2 * kPsi / (stage == 3 ? ranks : 1));
  for (BufferClass cls : {BufferClass::Master, BufferClass::Momentum, BufferClass::Variance})
    EXPECT_EQ(homeBytes(plan, cls), 4 * kPsi / states) << plan::textOf(cls);
}

//===----------------------------------------------------------------------===//
// Elements on the wire
//===----------------------------------------------------------------------===//

/// Elements of the tensors that collectives of a kind and phase move in a section, each counted once; norm
/// slots are no tensors.
int64_t elementsMoved(const plan::Plan &plan, plan::SectionKind kind, Opcode op,
                      std::optional<plan::Phase> phase = std::nullopt) {
  int64_t bytes = 0;
  for (const plan::Instruction &instruction : plan::findSection(plan, kind)->instructions)
    if (instruction.op == op && (!phase || instruction.origin.phase == *phase) &&
        instruction.origin.what.find("slots") == std::string::npos)
      for (int64_t piece : instruction.pieceBytes)
        bytes += piece * (plan::hasRoot(op) ? 1 : plan.ranks());
  return bytes / 4;
}

TEST_P(ZeroStage, aBiasFreeMlpMovesThePapersElements) {
  std::unique_ptr<Compiled> compiled = compileJob(blockMlp(4, 1).with({{"zero_stage", GetParam().stage}}));
  ASSERT_TRUE(compiled);
  const auto only = plan::SectionKind::Only;
  EXPECT_EQ(elementsMoved(compiled->plan, only, Opcode::ReduceScatter), kPsi);
  EXPECT_EQ(elementsMoved(compiled->plan, only, Opcode::AllGather), (GetParam().wire - 1) * kPsi);
}

/// An owner's broadcast moves what the gather of its pieces does; where gradients are whole on every rank
/// before each takes its part, stage 1 moves 1.5 times as much (ZeRO's 2 psi and 3 psi).
TEST(Wire, otherCollectivesMoveByTheSameRules) {
  const auto only = plan::SectionKind::Only;
  std::unique_ptr<Compiled> owned =
      compileJob(blockMlp(4, 1).with({{"zero_stage", 3}, {"gather", "broadcast"}}));
  ASSERT_TRUE(owned);
  EXPECT_EQ(elementsMoved(owned->plan, only, Opcode::Broadcast), 2 * kPsi);
  EXPECT_EQ(elementsMoved(owned->plan, only, Opcode::Reduce), kPsi);
  EXPECT_EQ(elementsMoved(owned->plan, only, Opcode::AllGather), 0);
  EXPECT_EQ(elementsMoved(owned->plan, only, Opcode::ReduceScatter), 0);
  std::unique_ptr<Compiled> all = compileJob(blockMlp(4, 1).with({{"zero_stage", 1}, {"reduce", "all"}}));
  ASSERT_TRUE(all);
  EXPECT_EQ(elementsMoved(all->plan, only, Opcode::ReduceScatter), kPsi);
  EXPECT_EQ(elementsMoved(all->plan, only, Opcode::AllGather), 2 * kPsi);
}

/// Each bucket moves what its own stage says, and takes the bytes of it.
TEST(Wire, bucketsOfSeveralStagesMoveByTheirOwn) {
  constexpr int64_t layer = kPsi / 3;
  std::unique_ptr<Compiled> mixed = compileJob(
      blockMlp(4, 1).with({{"zero_stage", {{"*", 3}, {"layer.1.decay.0", 2}, {"layer.2.decay.0", 0}}}}));
  ASSERT_TRUE(mixed);
  const plan::Plan &plan = mixed->plan;
  EXPECT_EQ(elementsMoved(plan, plan::SectionKind::Only, Opcode::ReduceScatter), kPsi);
  EXPECT_EQ(elementsMoved(plan, plan::SectionKind::Only, Opcode::AllGather), (2 + 1 + 1) * layer);
  EXPECT_EQ(homeBytes(plan, BufferClass::Parameter), 4 * layer / 4 + 4 * layer + 4 * layer);
  EXPECT_EQ(homeBytes(plan, BufferClass::Momentum), 4 * layer / 4 + 4 * layer / 4 + 4 * layer);
}

/// What stays gathered from the forward to the backward pass is gathered once: 3 psi become 2 psi. With
/// several micro-batches once with each, or once a step where they take turns.
TEST(Wire, whatStaysGatheredIsGatheredOnce) {
  const auto only = plan::SectionKind::Only;
  auto job = [](int64_t microBatches, const json &patch) {
    return blockMlp(4, microBatches).with({{"zero_stage", 3}}).with(patch);
  };
  std::unique_ptr<Compiled> all = compileJob(job(1, {{"reshard_after_forward", false}})),
                            one =
                                compileJob(job(1, {{"reshard_after_forward", {{"layer.1.decay.0", false}}}})),
                            turns = compileJob(job(
                                3, {{"reshard_after_forward", false}, {"micro_batch_order", "vertical"}}));
  ASSERT_TRUE(all && one && turns);
  EXPECT_EQ(elementsMoved(all->plan, only, Opcode::AllGather), kPsi);
  EXPECT_EQ(elementsMoved(one->plan, only, Opcode::AllGather), 2 * kPsi - kPsi / 3);
  EXPECT_EQ(elementsMoved(turns->plan, only, Opcode::AllGather), kPsi);
  EXPECT_EQ(elementsMoved(turns->plan, only, Opcode::ReduceScatter), 3 * kPsi);
}

/// Once a step instead of with each of three micro-batches; the whole gradient stays on every rank for it.
TEST(Wire, gradientsReducedOncePerStepMoveOnce) {
  for (int64_t stage : {0, 1}) {
    std::unique_ptr<Compiled> step =
        compileJob(blockMlp(4, 3).with({{"zero_stage", stage}, {"cadence", "step"}}));
    ASSERT_TRUE(step);
    EXPECT_EQ(elementsMoved(step->plan, plan::SectionKind::First, Opcode::ReduceScatter), 0);
    EXPECT_EQ(elementsMoved(step->plan, plan::SectionKind::Middle, Opcode::ReduceScatter), 0);
    EXPECT_EQ(elementsMoved(step->plan, plan::SectionKind::Last, Opcode::ReduceScatter), kPsi);
    EXPECT_EQ(elementsMoved(step->plan, plan::SectionKind::Last, Opcode::AllGather), kPsi);
    EXPECT_EQ(homeBytes(step->plan, BufferClass::Gradient), 4 * kPsi + 4 * kPsi / 4);
  }
}

/// Padded elements of the parameters' units whose names a filter admits.
int64_t paddedElements(const plan::Plan &plan, const std::function<bool(const std::string &)> &admits) {
  std::map<std::string, int64_t> units;
  for (const plan::State &state : plan.states)
    if (state.cls == plan::StateClass::Parameter && admits(state.name))
      units[state.unit] = state.pieceElements * plan.ranks();
  int64_t elements = 0;
  for (const auto &[unit, padded] : units)
    elements += padded;
  return elements;
}

/// The tied embedding has two gradients and, at stage 3, is gathered at both ends of the forward pass.
TEST_P(ZeroStage, gpt2MovesByTheGeneralRule) {
  const int64_t stage = GetParam().stage;
  std::unique_ptr<Compiled> compiled = compileJob(tinyGpt2(2, 2).with({{"zero_stage", stage}}));
  ASSERT_TRUE(compiled);
  const plan::Plan &plan = compiled->plan;
  auto contains = [](const std::string &text) {
    return [text](const std::string &name) { return name.find(text) != std::string::npos; };
  };
  const int64_t all = paddedElements(plan, contains("")), embedding = paddedElements(plan, contains("wte"));
  const int64_t layers = paddedElements(plan, contains("h."));
  ASSERT_GT(embedding, 0);
  for (plan::SectionKind kind : {plan::SectionKind::First, plan::SectionKind::Last}) {
    const bool updates = kind == plan::SectionKind::Last;
    EXPECT_EQ(elementsMoved(plan, kind, Opcode::ReduceScatter), all + embedding);
    if (stage < 3) {
      EXPECT_EQ(elementsMoved(plan, kind, Opcode::AllGather), updates ? all : 0);
      continue;
    }
    EXPECT_EQ(elementsMoved(plan, kind, Opcode::AllGather, plan::Phase::Forward), all + embedding);
    EXPECT_EQ(elementsMoved(plan, kind, Opcode::AllGather, plan::Phase::Backward), layers);
    EXPECT_EQ(elementsMoved(plan, kind, Opcode::AllGather, plan::Phase::Update), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Stages, ZeroStage,
                         ::testing::Values(StateRule{0, 2}, StateRule{1, 2}, StateRule{2, 2},
                                           StateRule{3, 3}),
                         [](const auto &info) { return "stage_" + std::to_string(info.param.stage); });

//===----------------------------------------------------------------------===//
// Resident memory
//===----------------------------------------------------------------------===//

/// "VmHWM" or "VmRSS" of this process, in bytes.
int64_t residentBytes(const std::string &key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (int64_t kib = 0; word == key + ":" && status >> kib)
      return kib << 10;
  return 0;
}

TEST(Resident, memoryStaysWithinTheArenasAndALittle) {
  std::unique_ptr<Compiled> compiled = compileJob(everywhereJob("fp32"));
  ASSERT_TRUE(compiled);
  std::ofstream("/proc/self/clear_refs") << "5"; // the peak counts from here, where the system grants that
  const int64_t before = std::max(residentBytes("VmRSS"), residentBytes("VmHWM"));
  ASSERT_GT(before, 0);
  train(*compiled);
  int64_t arenas = 0;
  for (const plan::Arena &arena : compiled->plan.arenas)
    arenas += arena.tier == Tier::Nvme ? 0 : arena.bytes * compiled->plan.ranks();
  EXPECT_LE(residentBytes("VmHWM") - before, arenas + (96 << 20));
}

} // namespace
