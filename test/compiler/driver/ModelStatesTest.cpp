// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes of model states and the elements that collectives move follow the formulas of the papers, after
// padding.
#include "model/Formulas/ModelStates.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Layout.h"
#include "test/support/EndToEnd.h"
#include "test/support/Sections.h"
#include <gtest/gtest.h>
#include <numeric>
#include <optional>

using namespace windlass;
using namespace windlass::test;
using plan::BufferClass;
using plan::Opcode;

namespace {

//===----------------------------------------------------------------------===//
// Bytes of the states
//===----------------------------------------------------------------------===//

constexpr BufferClass kModelStates[] = {BufferClass::Parameter, BufferClass::Master, BufferClass::Momentum,
                                        BufferClass::Variance, BufferClass::Gradient};

int64_t modelStateBytes(const plan::Plan &plan) {
  int64_t bytes = 0;
  for (BufferClass cls : kModelStates)
    bytes += homeBytes(plan, cls);
  return bytes;
}

/// The model has blocks only, so that the backward pass reads every parameter. 128x128 needs no padding on 2
/// or 4 ranks.
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
  job.training["reshard_after_forward"] = true; // as for the 3 psi of the paper
  return job;
}

constexpr int64_t kPsi = 3 * 128 * 128;

struct StateRule {
  int64_t stage;
  int64_t wire; ///< elements that a step moves, in units of the parameters
};

class ZeroStage : public ::testing::TestWithParam<StateRule> {
protected:
  const int64_t stage = GetParam().stage;
  /// The bytes of a rank's part of a class that is sharded from stage `first` on.
  int64_t part(int64_t bytes, int64_t first, int64_t ranks) const {
    return stage >= first ? bytes / ranks : bytes;
  }
};

/// The papers keep a whole gradient until the backward pass ends. A plan reduces each bucket as soon as it
/// exists, at every stage (docs/analysis.md), so that gradients take 4 psi / N. On one rank, states take the
/// 16 psi of the papers.
TEST_P(ZeroStage, statesOfABiasFreeMlpTakeThePapersBytes) {
  for (int64_t ranks : {1, 2, 4}) {
    std::unique_ptr<Compiled> compiled = compileJob(blockMlp(ranks, 1).with({{"zero_stage", stage}}));
    ASSERT_TRUE(compiled);
    const plan::Plan &plan = compiled->plan;
    EXPECT_EQ(homeBytes(plan, BufferClass::Parameter), part(4 * kPsi, 3, ranks));
    EXPECT_EQ(homeBytes(plan, BufferClass::Master), 0);
    EXPECT_EQ(homeBytes(plan, BufferClass::Momentum), part(4 * kPsi, 1, ranks));
    EXPECT_EQ(homeBytes(plan, BufferClass::Variance), part(4 * kPsi, 1, ranks));
    EXPECT_EQ(homeBytes(plan, BufferClass::Gradient), 4 * kPsi / ranks);
    const int64_t papers[] = {12 * kPsi + 4 * kPsi / ranks, 4 * kPsi + 12 * kPsi / ranks,
                              4 * kPsi + 12 * kPsi / ranks, 16 * kPsi / ranks};
    EXPECT_EQ(modelStateBytes(plan), papers[stage]);
    if (ranks == 1) {
      EXPECT_EQ(modelStateBytes(plan), 16 * kPsi);
    }
  }
}

/// Parameters and gradients have 16 bits. Several micro-batches add gradients in 32 bits. So states take the
/// 16 and 18 bytes per parameter of the papers.
TEST_P(ZeroStage, mixedPrecisionKeepsMastersBesideHalves) {
  for (int64_t ranks : {1, 4})
    for (int64_t microBatches : {1, 2}) {
      std::unique_ptr<Compiled> compiled = compileJob(
          blockMlp(ranks, microBatches).with({{"zero_stage", stage}, {"precision", {{"compute", "bf16"}}}}));
      ASSERT_TRUE(compiled);
      const plan::Plan &plan = compiled->plan;
      EXPECT_EQ(homeBytes(plan, BufferClass::Parameter), part(2 * kPsi, 3, ranks));
      for (BufferClass cls : {BufferClass::Master, BufferClass::Momentum, BufferClass::Variance})
        EXPECT_EQ(homeBytes(plan, cls), part(4 * kPsi, 1, ranks)) << plan::textOf(cls);
      EXPECT_EQ(homeBytes(plan, BufferClass::Gradient), (microBatches == 1 ? 2 : 4) * kPsi / ranks);
      if (ranks == 1) {
        EXPECT_EQ(modelStateBytes(plan), (microBatches == 1 ? 16 : 18) * kPsi);
      }
    }
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

int64_t roundedUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

/// The bytes that the shard rule gives the homes of a class, from the shapes of its tensors. A piece of a
/// unit is its part of the elements, rounded up to a multiple of 64. A home holds a shard (pieces back to
/// back), or one whole unit (the pieces of all ranks). Either may rest on NVMe, and is a multiple of 4 KiB.
int64_t bytesByRule(const plan::Plan &plan, const std::vector<plan::State> &states, plan::StateClass cls,
                    bool sharded) {
  std::map<std::pair<uint32_t, std::string>, int64_t> units; // by home and name of the unit
  for (const plan::State &state : states)
    if (state.cls == cls) {
      int64_t elements = state.unitOffset;
      elements += std::accumulate(state.shape.begin(), state.shape.end(), int64_t{1}, std::multiplies<>());
      int64_t &all = units[{state.home.buffer, state.unit}];
      all = std::max(all, elements);
      EXPECT_EQ(state.sharded, sharded) << state.name;
    }
  std::map<uint32_t, int64_t> homes;
  int64_t elementBytes = 0;
  for (const plan::State &state : states)
    if (state.cls == cls)
      elementBytes = plan::bytesOf(state.type);
  for (const auto &[unit, elements] : units) {
    const int64_t piece = roundedUp((elements + plan.ranks() - 1) / plan.ranks(), 64);
    homes[unit.first] += piece * elementBytes * (sharded ? 1 : plan.ranks());
  }
  int64_t bytes = 0;
  for (const auto &[home, held] : homes)
    bytes += roundedUp(held, 4096);
  return bytes;
}

void expectBytesByRule(const plan::Plan &plan, int64_t stage, int64_t secondGradients) {
  using plan::StateClass;
  EXPECT_EQ(homeBytes(plan, BufferClass::Parameter),
            bytesByRule(plan, plan.programs[0].states, StateClass::Parameter, stage == 3));
  EXPECT_EQ(homeBytes(plan, BufferClass::Master),
            bytesByRule(plan, plan.programs[0].states, StateClass::Master, stage >= 1));
  EXPECT_EQ(homeBytes(plan, BufferClass::Momentum),
            bytesByRule(plan, plan.programs[0].states, StateClass::Momentum, stage >= 1));
  EXPECT_EQ(homeBytes(plan, BufferClass::Variance),
            bytesByRule(plan, plan.programs[0].states, StateClass::Variance, stage >= 1));
  EXPECT_EQ(homeBytes(plan, BufferClass::Gradient),
            bytesByRule(plan, plan.programs[0].gradients, StateClass::Gradient, true) + secondGradients);
}

/// The 130 x 127 elements of the first matrix make a unit of their own. The second has 127 x 129, one element
/// too few for that. Three ranks divide neither evenly.
TEST_P(ZeroStage, oddWidthsArePaddedByTheShardRule) {
  for (const char *compute : {"fp32", "bf16"}) {
    std::unique_ptr<Compiled> compiled =
        compileJob(biasFreeMlp({130, 127, 129}, 3, 1)
                       .with({{"zero_stage", stage}, {"precision", {{"compute", compute}}}}));
    ASSERT_TRUE(compiled);
    std::map<std::string, int64_t> pieces;
    for (const plan::State &state : compiled->plan.programs[0].states)
      if (state.cls == plan::StateClass::Momentum)
        pieces[state.name] = state.pieceElements;
    EXPECT_EQ(pieces, (std::map<std::string, int64_t>{{"fc.0.weight", 5504}, {"fc.1.weight", 5504}}));
    expectBytesByRule(compiled->plan, stage, 0);
  }
}

/// Only the tied embedding has two gradients. Each has its own padded part.
TEST_P(ZeroStage, statesOfAGpt2TakeTheRulesBytes) {
  for (int64_t ranks : {3, 4})
    for (const char *compute : {"fp32", "bf16"}) {
      std::unique_ptr<Compiled> compiled =
          compileJob(tinyGpt2(ranks, 2).with({{"zero_stage", stage}, {"precision", {{"compute", compute}}}}));
      ASSERT_TRUE(compiled);
      const int64_t embedding = roundedUp((256 * 64 + ranks - 1) / ranks, 64);
      expectBytesByRule(compiled->plan, stage, roundedUp(4 * embedding, 4096));
    }
}

//===----------------------------------------------------------------------===//
// Elements on the wire
//===----------------------------------------------------------------------===//

/// The elements of the tensors that collectives of a kind and phase move in a section, each counted once.
/// Norm slots do not count, as they are no tensors.
int64_t elementsMoved(const plan::Plan &plan, std::string_view section, Opcode op,
                      std::optional<plan::Phase> phase = std::nullopt) {
  int64_t bytes = 0;
  for (const plan::Instruction &instruction : sectionNamed(plan, section)->instructions)
    if (instruction.op == op && (!phase || instruction.origin.phase == *phase) &&
        instruction.origin.what.find("slots") == std::string::npos)
      for (int64_t piece : instruction.pieceBytes)
        bytes += piece * (plan::hasRoot(op) ? 1 : plan.ranks());
  return bytes / 4;
}

TEST_P(ZeroStage, aBiasFreeMlpMovesThePapersElements) {
  std::unique_ptr<Compiled> compiled = compileJob(blockMlp(4, 1).with({{"zero_stage", GetParam().stage}}));
  ASSERT_TRUE(compiled);
  const auto only = "only";
  EXPECT_EQ(elementsMoved(compiled->plan, only, Opcode::ReduceScatter), kPsi);
  EXPECT_EQ(elementsMoved(compiled->plan, only, Opcode::AllGather), (GetParam().wire - 1) * kPsi);
}

/// The elements that collectives over some axes move in a whole step.
int64_t stepElements(const plan::Plan &plan, const std::vector<int64_t> &axes) {
  int64_t bytes = 0;
  for (const plan::Section *section : stepSections(plan))
    for (const plan::Instruction &instruction : section->instructions)
      if (plan::isCollective(instruction.op) && instruction.axes == axes &&
          instruction.origin.what.find("slots") == std::string::npos)
        for (int64_t piece : instruction.pieceBytes)
          bytes += piece * plan::groupRanks(plan, axes);
  return bytes / 4;
}

/// Two groups of two ranks, as in MiCS and in hpZ, with micro-batches in horizontal order. Below stage 2 a
/// plan holds less than the whole gradient of the papers.
TEST_P(ZeroStage, groupsTakeAndMoveWhatTheFormulasSay) {
  const auto zero = static_cast<model::ZeroStage>(stage);
  for (auto [sharesRest, microBatches] :
       {std::pair(false, 1), {false, 2}, {false, 3}, {true, 1}, {true, 2}, {true, 3}}) {
    const model::StateMesh groups{4, 1, 2, sharesRest};
    const json parallel = {{"shard", groups.groupRanks}, {"optimizer_shard", sharesRest ? "all" : "group"}};
    std::unique_ptr<Compiled> compiled = compileJob(
        blockMlp(4, microBatches)
            .with({{"zero_stage", stage}, {"micro_batch_order", "horizontal"}, {"parallel", parallel}}));
    ASSERT_TRUE(compiled);
    const double part = 4. * kPsi / static_cast<double>(groups.sharersOfRest());
    const double wholeGradient = stage < 2 ? 4. * kPsi - part : 0;
    EXPECT_EQ(static_cast<double>(modelStateBytes(compiled->plan)),
              model::stateBytesPerDevice(kPsi, {4, 4, 8}, zero, groups) - wholeGradient);
    const model::WireElements wire = model::communicationElements(kPsi, zero, groups, microBatches);
    EXPECT_EQ(static_cast<double>(stepElements(compiled->plan, {1})), wire.inside);
    EXPECT_EQ(static_cast<double>(stepElements(compiled->plan, {0})), wire.across);
    EXPECT_EQ(stepElements(compiled->plan, {}), 0);
  }
}

/// The broadcast of an owner moves as many elements as the gather of the pieces. Where gradients are whole on
/// every rank before each takes its shard, stage 1 moves 1.5 times as much (2 psi and 3 psi of ZeRO).
TEST(Wire, otherCollectivesMoveByTheSameRules) {
  const auto only = "only";
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

/// Each bucket moves the elements, and takes the bytes, of its own stage.
TEST(Wire, bucketsOfSeveralStagesMoveByTheirOwn) {
  constexpr int64_t layer = kPsi / 3;
  std::unique_ptr<Compiled> mixed = compileJob(
      blockMlp(4, 1).with({{"zero_stage", {{"*", 3}, {"layer.1.decay.0", 2}, {"layer.2.decay.0", 0}}}}));
  ASSERT_TRUE(mixed);
  const plan::Plan &plan = mixed->plan;
  EXPECT_EQ(elementsMoved(plan, "only", Opcode::ReduceScatter), kPsi);
  EXPECT_EQ(elementsMoved(plan, "only", Opcode::AllGather), (2 + 1 + 1) * layer);
  EXPECT_EQ(homeBytes(plan, BufferClass::Parameter), 4 * layer / 4 + 4 * layer + 4 * layer);
  EXPECT_EQ(homeBytes(plan, BufferClass::Momentum), 4 * layer / 4 + 4 * layer / 4 + 4 * layer);
}

/// A bucket that stays gathered from the forward to the backward pass is gathered once: 3 psi become 2 psi.
/// With several micro-batches it is gathered once in each, or once a step in the vertical order.
TEST(Wire, whatStaysGatheredIsGatheredOnce) {
  const auto only = "only";
  auto job = [](int64_t microBatches, const json &patch) {
    return blockMlp(4, microBatches).with({{"zero_stage", 3}}).with(patch);
  };
  std::unique_ptr<Compiled> all = compileJob(job(1, {{"reshard_after_forward", false}})),
                            one = compileJob(job(
                                1, {{"reshard_after_forward", {{"*", true}, {"layer.1.decay.0", false}}}})),
                            turns = compileJob(job(
                                3, {{"reshard_after_forward", false}, {"micro_batch_order", "vertical"}}));
  ASSERT_TRUE(all && one && turns);
  EXPECT_EQ(elementsMoved(all->plan, only, Opcode::AllGather), kPsi);
  EXPECT_EQ(elementsMoved(one->plan, only, Opcode::AllGather), 2 * kPsi - kPsi / 3);
  EXPECT_EQ(elementsMoved(turns->plan, only, Opcode::AllGather), kPsi);
  EXPECT_EQ(elementsMoved(turns->plan, only, Opcode::ReduceScatter), 3 * kPsi);
}

/// Gradients are reduced once a step instead of in each of three micro-batches. For this the whole gradient
/// stays on every rank.
TEST(Wire, gradientsReducedOncePerStepMoveOnce) {
  for (int64_t stage : {0, 1}) {
    std::unique_ptr<Compiled> step =
        compileJob(blockMlp(4, 3).with({{"zero_stage", stage}, {"cadence", "step"}}));
    ASSERT_TRUE(step);
    EXPECT_EQ(elementsMoved(step->plan, "first", Opcode::ReduceScatter), 0);
    EXPECT_EQ(elementsMoved(step->plan, "middle", Opcode::ReduceScatter), 0);
    EXPECT_EQ(elementsMoved(step->plan, "last", Opcode::ReduceScatter), kPsi);
    EXPECT_EQ(elementsMoved(step->plan, "last", Opcode::AllGather), kPsi);
    EXPECT_EQ(homeBytes(step->plan, BufferClass::Gradient), 4 * kPsi + 4 * kPsi / 4);
  }
}

/// The padded elements of all units of parameters whose names a filter admits.
int64_t paddedElements(const plan::Plan &plan, const std::function<bool(const std::string &)> &admits) {
  std::map<std::string, int64_t> units;
  for (const plan::State &state : plan.programs[0].states)
    if (state.cls == plan::StateClass::Parameter && admits(state.name))
      units[state.unit] = state.pieceElements * plan.ranks();
  int64_t elements = 0;
  for (const auto &[unit, padded] : units)
    elements += padded;
  return elements;
}

/// Every gradient is reduced in each micro-batch. Below stage 3, parameters are gathered once a step. At
/// stage 3, they are gathered in each forward pass, and those of layers also in each backward pass. The table
/// that is `tied`, if there is one, has two gradients, and at stage 3 it is gathered at both ends of the
/// forward pass.
void expectGeneralRule(const Job &job, int64_t stage, const std::string &layer, const std::string &tied) {
  std::unique_ptr<Compiled> compiled = compileJob(job.with({{"zero_stage", stage}}));
  ASSERT_TRUE(compiled);
  const plan::Plan &plan = compiled->plan;
  auto contains = [](const std::string &text) {
    return [text](const std::string &name) { return name.find(text) != std::string::npos; };
  };
  const int64_t all = paddedElements(plan, contains("")), layers = paddedElements(plan, contains(layer)),
                embedding = tied.empty() ? 0 : paddedElements(plan, contains(tied));
  ASSERT_EQ(plan.ties.empty(), tied.empty());
  ASSERT_EQ(embedding > 0, !tied.empty());
  ASSERT_GT(layers, 0);
  ASSERT_LT(layers, all);
  for (std::string_view section : {"first", "last"}) {
    const bool updates = section == "last";
    EXPECT_EQ(elementsMoved(plan, section, Opcode::ReduceScatter), all + embedding);
    if (stage < 3) {
      EXPECT_EQ(elementsMoved(plan, section, Opcode::AllGather), updates ? all : 0);
      continue;
    }
    EXPECT_EQ(elementsMoved(plan, section, Opcode::AllGather, plan::Phase::Forward), all + embedding);
    EXPECT_EQ(elementsMoved(plan, section, Opcode::AllGather, plan::Phase::Backward), layers);
    EXPECT_EQ(elementsMoved(plan, section, Opcode::AllGather, plan::Phase::Update), 0);
  }
}

TEST_P(ZeroStage, gpt2MovesByTheGeneralRule) { expectGeneralRule(tinyGpt2(2, 2), stage, "h.", "wte"); }

/// No bucket holds both the table and the head, since such a bucket would be gathered at both ends.
TEST_P(ZeroStage, llamaMovesByTheGeneralRule) {
  expectGeneralRule(tinyLlama(2, 2).with({{"bucket", "64KiB"}}), stage, "layers.", "");
}

TEST_P(ZeroStage, aTiedLlamaMovesByTheGeneralRule) {
  Job job = tinyLlama(2, 2);
  job.model["tie_word_embeddings"] = true;
  expectGeneralRule(job, stage, "layers.", "embed_tokens");
}

INSTANTIATE_TEST_SUITE_P(Stages, ZeroStage,
                         ::testing::Values(StateRule{0, 2}, StateRule{1, 2}, StateRule{2, 2},
                                           StateRule{3, 3}),
                         [](const auto &info) { return "stage_" + std::to_string(info.param.stage); });

} // namespace
