// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a step must do to the homes of states. Each rule is broken once, on two ranks that have a piece each
// of the moments and all of the parameter.
#include "runtime/plan/check/CheckUpdates.h"
#include "runtime/plan/check/CheckReplicas.h"
#include "runtime/plan/check/Checker.h"
#include "test/support/SyntheticPlan.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::plan;

namespace {

constexpr int64_t kPiece = 4096, kWhole = 2 * kPiece;
enum : uint32_t { kWeight, kMomentum, kUpdated, kGradient };
enum Kernels : int32_t { kChange, kMake };

/// A launch changes the momentum in place by a gradient and makes the rank's piece of the weight, which is
/// then gathered.
struct Step {
  Step() {
    plan.mesh = {{"dp", 2}};
    plan.programs[0].ranks = plan.ranks();
    plan.programs[0].buffers = {{"w", BufferClass::Parameter, Tier::Device, 0, kWhole, true},
                                {"m", BufferClass::Momentum, Tier::Device, kWhole, kPiece, true},
                                {"updated", BufferClass::Staging, Tier::Device, kWhole + kPiece, kPiece},
                                {"g", BufferClass::Gradient, Tier::Device, kWhole + 2 * kPiece, kPiece}};
    addState(StateClass::Parameter, false, {kWeight, 0, kWhole, {}});
    addState(StateClass::Momentum, true, {kMomentum, 0, kPiece, {}});
    plan.kernels.resize(2);
    plan.kernels[kChange].args = {Access::Read, Access::ReadWrite};
    plan.kernels[kMake].args = {Access::Read, Access::Read, Access::Write};
    plan.programs[0].sections = {{"only", 1, {}}};
    plan.programs[0].train = {{0, 1}};
    launch(kChange, {{kGradient, 0, kPiece, {}}, {kMomentum, 0, kPiece, {}}});
    launch(kMake, {{kMomentum, 0, kPiece, {}}, mine(), {kUpdated, 0, kPiece, {}}});
    Instruction &gather = add(Opcode::AllGather, {{kUpdated, 0, kPiece, {}}, {kWeight, 0, kWhole, {}}});
    gather.pieceBytes = {kPiece};
  }

  static Operand mine() { return {kWeight, 0, kPiece, {kPiece}}; }

  void addState(StateClass cls, bool sharded, const Operand &home) {
    State &state = plan.programs[0].states.emplace_back();
    state.name = state.unit = "w";
    state.shape = {kWhole / 4};
    state.pieceElements = kPiece / 4;
    state.cls = cls;
    state.sharded = sharded;
    state.shape = {kWhole / bytesOf(state.type)};
    state.pieceElements = kPiece / bytesOf(state.type);
    state.home = home;
  }
  Instruction &add(Opcode op, std::vector<Operand> operands) {
    Instruction &instruction = instructions().emplace_back();
    instruction.op = op;
    instruction.operands = std::move(operands);
    return instruction;
  }
  void launch(Kernels kernel, std::vector<Operand> operands) {
    add(Opcode::Launch, std::move(operands)).kernel = kernel;
  }
  std::vector<Instruction> &instructions() { return plan.programs[0].sections[0].instructions; }

  std::vector<std::string> faults() const {
    Findings findings;
    const Timeline timeline(plan, plan.programs[0],
                            plan.programs[0].train.empty() ? Purpose::Evaluate : Purpose::Train, 3);
    checkUpdates(plan, timeline, findings);
    checkReplicas(plan, {&timeline, 1}, findings);
    return findings.take();
  }

  Plan plan;
};

using Faults = std::vector<std::string>;

TEST(CheckUpdates, aStepThatUpdatesAllOnceIsSound) { EXPECT_EQ(Step().faults(), Faults()); }

TEST(CheckUpdates, aWholeParameterIsGatheredAgain) {
  Step step;
  step.instructions().pop_back();
  EXPECT_EQ(step.faults(),
            Faults({"the home of state \"w\" (parameter) is not updated by a step: bytes [0, 8192) of buffer "
                    "\"w\"",
                    "the home of state \"w\" (parameter) is not updated by a step: bytes [0, 8192) of buffer "
                    "\"w\" on rank 1"}));
}

/// A copy that is not updated returns unchanged, over any tiers.
TEST(CheckUpdates, whatIsGatheredWasUpdated) {
  Step step;
  step.plan.programs[0].buffers.push_back({"host", BufferClass::Staging, Tier::Host, 0, kPiece});
  step.instructions()[1] = Instruction();
  step.instructions()[1].op = Opcode::Offload;
  step.instructions()[1].operands = {Step::mine(), {4, 0, kPiece, {}}};
  Instruction upload = step.instructions()[1];
  upload.op = Opcode::Upload;
  upload.operands = {{4, 0, kPiece, {}}, {kUpdated, 0, kPiece, {}}};
  step.instructions().insert(step.instructions().begin() + 2, upload);
  EXPECT_EQ(step.faults().front(), "the home of state \"w\" (parameter) is not updated by a step: bytes [0, "
                                   "8192) of buffer \"w\"");
}

/// The weight is changed in place and not gathered, so that every rank has another new piece.
TEST(CheckUpdates, copiesOnRanksOfOneAxisStayAlike) {
  Step step;
  step.instructions().pop_back();
  step.launch(kChange, {{kGradient, 0, kPiece, {}}, Step::mine()});
  EXPECT_EQ(
      step.faults(),
      Faults({"the home of state \"w\" (parameter) is not updated by a step: bytes [4096, 8192) of buffer "
              "\"w\"",
              "the home of state \"w\" (parameter) is not updated by a step: bytes [0, 4096) of buffer "
              "\"w\" on rank 1",
              "the home of state \"w\" (parameter) must be replicated along axis \"dp\", but is of each "
              "rank's own when a step ends"}));
}

/// A piece has padding behind the last element of its unit.
TEST(CheckUpdates, whatFillsAPieceUpIsLeftAlone) {
  for (const int64_t filling : {0, 64}) {
    Step step;
    for (State &state : step.plan.programs[0].states)
      state.shape[0] -= filling / bytesOf(state.type);
    step.instructions().pop_back(); // rank 1 has the last piece, and changes only its elements
    step.launch(kChange, {{kGradient, 0, kWhole - 64, {}}, {kWeight, 0, kWhole - 64, {}}});
    EXPECT_EQ(step.faults().empty(), filling > 0);
  }
}

TEST(CheckUpdates, chunksLeaveNoGapAndDoNotOverlap) {
  for (auto [begin, end, expected] :
       {std::tuple{0, 4032, "is not updated by a step: bytes [4032, 4096)"},
        std::tuple{64, 4096, "is not updated by a step: bytes [0, 64)"}, std::tuple{0, 4096, ""}}) {
    Step step;
    step.instructions()[0].operands = {{kGradient, 0, 2048, {}}, {kMomentum, 0, 2048, {}}};
    for (auto [from, to] : {std::pair{begin, 2048}, std::pair{2048, end}})
      if (from != 0 || to != 2048)
        step.launch(kChange, {{kGradient, from, to - from, {}}, {kMomentum, from, to - from, {}}});
    if (begin > 0)
      step.instructions().erase(step.instructions().begin());
    const Faults faults = step.faults();
    ASSERT_EQ(faults.empty(), *expected == 0) << (faults.empty() ? "" : faults.front());
    if (!faults.empty()) {
      EXPECT_NE(faults.front().find(expected), std::string::npos) << faults.front();
    }
  }
  Step step;
  step.launch(kChange, {{kGradient, 0, 64, {}}, {kMomentum, 64, 64, {}}});
  EXPECT_EQ(step.faults().front(),
            "the home of state \"w\" (momentum) is updated more than once by a step: bytes "
            "[64, 128) of buffer \"m\"");
}

/// Bytes return from another tier, to their own place or to another one.
TEST(CheckUpdates, aHomeTakesBackWhatWasItsOwn) {
  for (int64_t away : {0, 64}) {
    Step step;
    step.plan.programs[0].buffers.push_back({"host", BufferClass::Staging, Tier::Host, 0, kPiece});
    step.add(Opcode::Offload, {{kMomentum, 0, 1024, {}}, {4, 0, 1024, {}}});
    step.add(Opcode::Upload, {{4, 0, 1024, {}}, {kMomentum, away, 1024, {}}});
    const Faults faults = step.faults();
    ASSERT_EQ(faults.empty(), away == 0);
    if (away) {
      EXPECT_EQ(faults.front(),
                "the home of state \"w\" (momentum) ends up with what another place held: bytes "
                "[64, 1088) of buffer \"m\"");
    }
  }
}

TEST(CheckUpdates, whatHasNoMomentsIsLeftAlone) {
  Step step;
  step.plan.programs[0].states.pop_back();
  EXPECT_EQ(step.faults().front(),
            "the home of state \"w\" (parameter) is changed by what must leave it as it "
            "is: bytes [0, 8192) of buffer \"w\"");
  step.plan.programs[0].states[0].group = "statistics";
  EXPECT_EQ(step.faults(), Faults());
}

TEST(CheckUpdates, evaluatingChangesNothing) {
  Step step;
  std::swap(step.plan.programs[0].train, step.plan.programs[0].evaluate);
  EXPECT_EQ(step.faults().front(),
            "the home of state \"w\" (parameter) is changed by what must leave it as it "
            "is: bytes [0, 8192) of buffer \"w\"");
}

/// Only the owner's rank runs an instruction on its buffer. Other ranks get the result only by a collective.
TEST(CheckUpdates, whatAnOwnerAloneWritesDiffersOnOthers) {
  Step step;
  step.plan.programs[0].buffers.push_back({"owned", BufferClass::Staging, Tier::Device, 0, kWhole, false, 0});
  Instruction &last = step.instructions().back();
  last = Instruction();
  last.kernel = kMake;
  last.operands = {{4, 0, kPiece, {}}, {kUpdated, 0, kPiece, {}}, {kWeight, 0, kWhole, {}}};
  const Faults faults = step.faults();
  EXPECT_EQ(faults,
            Faults({"the home of state \"w\" (parameter) is not updated by a step: bytes [0, 8192) of "
                    "buffer \"w\" on rank 1",
                    "the home of state \"w\" (parameter) must be replicated along axis \"dp\", but is of "
                    "each rank's own when a step ends"}));
}

/// A plan that could run: zero-1 without one of its gathers.
TEST(CheckUpdates, aPlanWithoutAGatherIsRefused) {
  int removed = 0;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const Plan sound = test::makeSyntheticPlan({.seed = seed, .ranks = 2, .layers = 3});
    const std::vector<Instruction> &all = sound.programs[0].sections[0].instructions;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].op != Opcode::AllGather || all[i].origin.phase != Phase::Update)
        continue;
      Plan plan = sound;
      std::vector<Instruction> &left = plan.programs[0].sections[0].instructions;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      for (Instruction &instruction : left)
        std::erase_if(instruction.waits, [](const Wait &wait) { return wait.lane == Lane::Gg; });
      Findings findings;
      checkUpdates(plan,
                   Timeline(plan, plan.programs[0],
                            plan.programs[0].train.empty() ? Purpose::Evaluate : Purpose::Train, 3),
                   findings);
      EXPECT_FALSE(findings.none()) << "seed " << seed;
      ++removed;
    }
  }
  EXPECT_GT(removed, 2);
}

} // namespace
