// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans over a mesh of groups that hold copies are sound. The checker finds a collective over other axes, or
// one that is missing, although both axes have as many ranks and all sizes still fit.
#include "runtime/plan/check/CheckReplicas.h"
#include "runtime/base/StepItems.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/check/CheckStructure.h"
#include "runtime/plan/check/Checker.h"
#include "runtime/plan/file/PlanReader.h"
#include "runtime/plan/file/PlanWriter.h"
#include "test/support/Sections.h"
#include "test/support/SyntheticPlan.h"

#include <algorithm>
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

/// The faults of the first program, with at most three runs of a section in a row.
std::vector<std::string> replicaFaults(const Plan &plan) {
  Findings findings;
  const Timeline timeline(plan, plan.programs[0], Purpose::Train, 3);
  checkReplicas(plan, {&timeline, 1}, findings);
  return findings.take();
}

/// One section for four ranks, with a kernel that computes its second argument from its first.
struct Step {
  explicit Step(size_t buffers) {
    plan.mesh = {{"dp_replicate", 2}, {"dp_shard", 2}};
    plan.programs[0].ranks = plan.ranks();
    plan.inputs = {{"features", ElementType::F32, {1}, InputRole::Features}};
    plan.programs[0].buffers.resize(buffers);
    plan.kernels.resize(1);
    plan.kernels[0].args = {Access::Read, Access::Write};
    plan.programs[0].sections = {{"only", 1, {}}};
    plan.programs[0].train = {{0, 1}};
  }

  std::vector<Instruction> &instructions() { return plan.programs[0].sections[0].instructions; }

  void add(Opcode op, std::vector<Operand> operands, const std::vector<int64_t> &axes = {},
           std::vector<int64_t> pieces = {}) {
    Instruction &instruction = instructions().emplace_back();
    instruction.op = op;
    instruction.operands = std::move(operands);
    instruction.axes = axes;
    instruction.pieceBytes = std::move(pieces);
    instruction.item = op == Opcode::Feed ? "features" : "";
    instruction.kernel = op == Opcode::Launch ? 0 : -1;
  }

  Plan plan;
};

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

/// Changes every collective of every section to every other set of axes.
TEST(CheckReplicas, findsEveryWrongGroup) {
  int broken = 0;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const Plan sound = fourRanks(seed, 2);
    for (size_t s = 0; s < sound.programs[0].sections.size(); ++s)
      for (size_t i = 0; i < sound.programs[0].sections[s].instructions.size(); ++i) {
        const Instruction &right = sound.programs[0].sections[s].instructions[i];
        for (const std::vector<int64_t> &axes : {kReplicate, kShard, std::vector<int64_t>()}) {
          if (!isCollective(right.op) || axes == right.axes)
            continue;
          Plan plan = sound;
          plan.programs[0].sections[s].instructions[i].axes = axes;
          EXPECT_NE(firstFault(plan), "") << "seed " << seed << ", " << right.origin.what;
          ++broken;
        }
      }
  }
  EXPECT_GT(broken, 100);
}

/// Both halves of a sum over replicas run over the other axis. The checker reports the collective and the
/// axis.
TEST(CheckReplicas, namesTheCollectiveAndTheAxis) {
  Plan plan = fourRanks(1, 1);
  std::vector<Instruction *> halves;
  for (Instruction &instruction : plan.programs[0].sections[0].instructions)
    if (instruction.axes == kReplicate)
      halves.push_back(&instruction);
  ASSERT_GE(halves.size(), 2u);
  for (Instruction *half : halves)
    half->axes = kShard;
  EXPECT_NE(firstFault(plan).find("in section only sums over axis \"dp_shard\" what is sharded along it"),
            std::string::npos)
      << firstFault(plan);
}

/// Without the sum each replica would train by itself. The copies in its place move nothing.
TEST(CheckReplicas, findsCopiesThatDiffer) {
  Plan plan = fourRanks(1, 1);
  for (Instruction &instruction : plan.programs[0].sections[0].instructions)
    if (instruction.axes == kReplicate) {
      const bool gathers = instruction.op == Opcode::AllGather;
      instruction.op = Opcode::Upload; // any copy that touches the same bytes in the same way
      instruction.axes.clear();
      std::swap(instruction.operands[0], instruction.operands[gathers ? 0 : 1]);
    }
  const std::vector<std::string> faults = replicaFaults(plan);
  ASSERT_FALSE(faults.empty());
  EXPECT_NE(faults.front().find("must be replicated along axis \"dp_replicate\", but is of each rank's own"),
            std::string::npos)
      << faults.front();
}

/// Both halves of the sum cover only half of the bytes of a replica: all sizes fit, and the other half is not
/// summed.
TEST(CheckReplicas, findsBytesThatNobodySums) {
  Plan plan = fourRanks(1, 1);
  std::string layer;
  int halved = 0;
  for (Instruction &instruction : plan.programs[0].sections[0].instructions) {
    if (instruction.axes != kReplicate || (!layer.empty() && instruction.origin.function != layer))
      continue;
    layer = instruction.origin.function;
    instruction.pieceBytes[0] /= 2;
    instruction.operands[1].bytes /= 2;
    ++halved;
  }
  ASSERT_EQ(halved, 2);
  Findings findings;
  checkStructure(plan, plan.programs[0], findings);
  ASSERT_TRUE(findings.none()) << findings.take().front();
  EXPECT_EQ(firstFault(plan), "the home of state \"" + layer +
                                  "\" (parameter) must be replicated along axis \"dp_replicate\", but is of "
                                  "each rank's own when a step ends");
}

/// A batch is written into a home of two blocks, and then a value that all ranks have over most of it.
TEST(CheckReplicas, followsEveryByteOfALargeBuffer) {
  constexpr int64_t kBytes = 8192;
  Plan plan;
  plan.mesh = {{"dp_replicate", 2}, {"dp_shard", 2}};
  plan.programs[0].ranks = plan.ranks();
  plan.inputs = {{"features", ElementType::F32, {1}, InputRole::Features}};
  plan.programs[0].buffers = {{"w", BufferClass::Parameter, Tier::Host, 0, kBytes, true}};
  State &state = plan.programs[0].states.emplace_back();
  state.sharded = false;
  state.home = {0, 0, kBytes, {}};
  Instruction batch, rate;
  batch.op = rate.op = Opcode::Feed;
  batch.item = "features";
  rate.item = "learning_rate";
  batch.operands = rate.operands = {state.home};
  plan.programs[0].sections = {{"only", 1, {batch, rate}}};
  test::setSchedules(plan);
  EXPECT_TRUE(replicaFaults(plan).empty());
  for (int64_t offset : {0, 4}) {
    plan.programs[0].sections[0].instructions[1].operands = {{0, offset, kBytes - 4, {}}};
    EXPECT_FALSE(replicaFaults(plan).empty()) << "all but 4 bytes, from " << offset;
  }
}

/// Tensor ranks have the same batch: a sum over them would count the batch several times.
TEST(CheckReplicas, sumsOfSharedOperationsAreOfEachRanksOwn) {
  constexpr int64_t kBytes = 64;
  const Operand value = {0, 0, kBytes, {}}, part = {1, 0, kBytes / 2, {}}, home = {2, 0, kBytes, {}};
  for (const char *item : {"features", "coordinate.tp"}) {
    Step step(3);
    step.plan.mesh[0] = {"dp", 1};
    step.plan.mesh[1] = {"tp", 2, AxisKind::Tensor};
    step.plan.programs[0].ranks = step.plan.ranks();
    step.add(Opcode::Feed, {value});
    step.instructions().back().item = item;
    step.add(Opcode::ReduceScatter, {part, value}, {1}, {kBytes / 2});
    step.add(Opcode::AllGather, {part, home}, {1}, {kBytes / 2});
    State &state = step.plan.programs[0].states.emplace_back();
    state.sharded = false;
    state.home = home;
    const std::vector<std::string> faults = replicaFaults(step.plan);
    if (item == std::string("coordinate.tp"))
      EXPECT_EQ(faults, std::vector<std::string>());
    else
      ASSERT_FALSE(faults.empty());
    for (const std::string &fault : faults)
      EXPECT_NE(fault.find("sums over axis \"tp\" what is replicated along it"), std::string::npos) << fault;
  }
}

/// A sum leaves each rank its own rows. Values computed from them may be summed, and the rows themselves may
/// not.
TEST(CheckReplicas, whatIsComputedOfOwnRowsMayBeSummed) {
  constexpr int64_t kBytes = 64;
  const Operand value = {0, 0, kBytes, {}}, rows = {1, 0, kBytes / 2, {}}, term = {2, 0, kBytes / 2, {}},
                part = {3, 0, kBytes / 4, {}}, home = {4, 0, kBytes / 2, {}};
  for (bool computes : {true, false}) {
    Step step(5);
    step.plan.mesh[0] = {"dp", 1};
    step.plan.mesh[1] = {"tp", 2, AxisKind::Tensor};
    step.plan.programs[0].ranks = step.plan.ranks();
    step.add(Opcode::Feed, {value});
    step.instructions().back().item = "coordinate.tp";
    step.add(Opcode::ReduceScatter, {rows, value}, {1}, {kBytes / 2});
    step.add(Opcode::Launch, {rows, term});
    step.add(Opcode::ReduceScatter, {part, computes ? term : rows}, {1}, {kBytes / 4});
    step.add(Opcode::AllGather, {part, home}, {1}, {kBytes / 4});
    State &state = step.plan.programs[0].states.emplace_back();
    state.sharded = false;
    state.home = home;
    const std::vector<std::string> faults = replicaFaults(step.plan);
    EXPECT_EQ(faults.empty(), computes);
    for (const std::string &fault : faults)
      EXPECT_NE(fault.find("sums over axis \"tp\" what is sharded along it"), std::string::npos) << fault;
  }
}

/// A sum of terms over tensor ranks leaves each rank its own rows, which may be combined with values of its
/// batch. After a sum over data ranks, they would be a shard of a gradient.
TEST(CheckReplicas, noShardMeetsABatch) {
  constexpr int64_t kBytes = 64;
  const Operand batch = {0, 0, kBytes, {}}, place = {1, 0, 4, {}}, term = {2, 0, kBytes, {}},
                rows = {3, 0, kBytes / 2, {}}, residual = {4, 0, kBytes / 2, {}},
                made = {5, 0, kBytes / 2, {}};
  for (int64_t axis : {1, 0}) {
    Step step(6);
    step.plan.mesh[0] = {"dp", 2};
    step.plan.mesh[1] = {"tp", 2, AxisKind::Tensor};
    step.plan.programs[0].ranks = step.plan.ranks();
    step.plan.kernels[0].args = {Access::Read, Access::Read, Access::Write};
    step.add(Opcode::Feed, {batch});
    step.add(Opcode::Feed, {place});
    step.instructions().back().item = "coordinate.tp";
    step.add(Opcode::Launch, {batch, place, term});
    step.add(Opcode::ReduceScatter, {rows, term}, {axis}, {kBytes / 2});
    step.add(Opcode::Launch, {batch, place, residual});
    step.add(Opcode::Launch, {rows, residual, made});
    const std::vector<std::string> faults = replicaFaults(step.plan);
    ASSERT_EQ(faults.size(), axis == 1 ? 0u : 1u);
    for (const std::string &fault : faults)
      EXPECT_NE(fault.find("computes of a shard over axis \"dp\" and of what is of each rank's own along it"),
                std::string::npos)
          << fault;
  }
}

/// A rank's piece is summed over replicas without the padding behind it, which is zero everywhere, and then
/// moves together with it.
TEST(CheckReplicas, paddingIsReplicated) {
  constexpr int64_t kPiece = 64, kPadded = 4096;
  const Operand whole = {0, 0, 2 * kPiece, {}}, shard = {1, 0, kPadded, {}}, host = {2, 0, kPadded, {}},
                part = {3, 0, kPadded, {}}, home = {4, 0, kPiece, {}};
  const Operand shardPiece = {1, 0, kPiece, {}}, hostPiece = {2, 0, kPiece, {}};
  Step step(5);
  step.add(Opcode::Feed, {whole});
  step.add(Opcode::ReduceScatter, {shard, whole}, kShard, {kPiece});
  step.add(Opcode::Offload, {shard, host});
  step.add(Opcode::ReduceScatter, {part, shardPiece}, kReplicate, {kPiece / 2});
  step.add(Opcode::AllGather, {part, shardPiece}, kReplicate, {kPiece / 2});
  step.add(Opcode::Offload, {shardPiece, hostPiece});
  step.add(Opcode::Launch, {host, home});
  State &state = step.plan.programs[0].states.emplace_back();
  state.axes = kShard;
  state.home = home;
  EXPECT_EQ(replicaFaults(step.plan), std::vector<std::string>());
  step.instructions().erase(step.instructions().begin() + 5);
  EXPECT_FALSE(replicaFaults(step.plan).empty()) << "the host has what was not summed";
}

/// Pieces over one axis are cut again over the other. Both axes have as many ranks, so that either order
/// gives pieces of the same size.
TEST(CheckReplicas, followsTheOrderOfCuts) {
  constexpr int64_t kPart = 64;
  const Operand whole = {0, 0, 4 * kPart, {}}, shard = {1, 0, 2 * kPart, {}}, part = {2, 0, kPart, {}},
                home = {3, 0, kPart, {}};
  const std::vector<int64_t> replicateFirst = {0, 1}, shardFirst = {1, 0};
  Step step(4);
  step.add(Opcode::Feed, {whole});
  step.add(Opcode::ReduceScatter, {shard, whole}, kShard, {2 * kPart});
  step.add(Opcode::ReduceScatter, {part, shard}, kReplicate, {kPart});
  step.add(Opcode::Launch, {part, home});
  State &state = step.plan.programs[0].gradients.emplace_back();
  state.home = home;
  state.axes = shardFirst;
  EXPECT_EQ(replicaFaults(step.plan), std::vector<std::string>());
  state.axes = replicateFirst;
  EXPECT_EQ(
      replicaFaults(step.plan),
      std::vector<std::string>{"the home of state \"\" (parameter) must be cut over dp_replicate x dp_shard, "
                               "but is over dp_shard x dp_replicate when a step ends"});
  step.plan.programs[0].states = {state}; // as a state, which the launch could read
  step.plan.programs[0].gradients.clear();
  step.plan.kernels[0].args = {Access::Read, Access::ReadWrite};
  std::vector<std::string> faults = replicaFaults(step.plan);
  ASSERT_FALSE(faults.empty());
  EXPECT_NE(
      faults.front().find("brings together what is cut over dp_shard x dp_replicate and what is cut over "
                          "dp_replicate x dp_shard"),
      std::string::npos)
      << faults.front();
}

TEST(CheckReplicas, gathersUndoTheLastCut) {
  constexpr int64_t kPart = 64;
  const Operand whole = {0, 0, 4 * kPart, {}}, half = {1, 0, 2 * kPart, {}}, part = {2, 0, kPart, {}};
  for (const std::vector<int64_t> &axes : {std::vector<int64_t>{0, 1}, {1, 0}}) {
    Step step(3);
    step.add(Opcode::AllGather, {part, half}, kReplicate, {kPart});
    step.add(Opcode::AllGather, {half, whole}, kShard, {2 * kPart});
    State &state = step.plan.programs[0].states.emplace_back();
    state.home = part;
    state.axes = axes;
    const std::vector<std::string> faults = replicaFaults(step.plan);
    if (axes.back() == kReplicate.front()) {
      EXPECT_EQ(faults, std::vector<std::string>());
      continue;
    }
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_NE(faults.front().find("in section only gathers over dp_replicate what is cut over dp_replicate x "
                                  "dp_shard, the last of them first"),
              std::string::npos)
        << faults.front();
  }
}

/// A rank that reads its own part of a value of all ranks reads a piece. The axis with the longer stride is
/// cut first.
TEST(CheckReplicas, stridesCut) {
  constexpr int64_t kPart = 64;
  for (const std::vector<int64_t> &stride : {std::vector<int64_t>{kPart, 2 * kPart}, {2 * kPart, kPart}}) {
    const Operand mine = {0, 0, kPart, stride}, home = {1, 0, kPart, {}};
    Step step(2);
    step.add(Opcode::Launch, {mine, home});
    State &state = step.plan.programs[0].gradients.emplace_back();
    state.home = home;
    state.axes = {1, 0};
    EXPECT_EQ(replicaFaults(step.plan).empty(), stride[1] > stride[0]);
  }
}

/// The number that says which rows of a batch a rank has differs between ranks, as the rows do.
TEST(CheckReplicas, whoseRowsTheseAreIsOfEachRank) {
  Plan plan = fourRanks(1, 1);
  for (Instruction &instruction : plan.programs[0].sections[0].instructions)
    if (instruction.item == "learning_rate")
      instruction.item = "row_block";
  const std::vector<std::string> faults = replicaFaults(plan);
  EXPECT_TRUE(std::ranges::any_of(faults, [](const std::string &fault) {
    return fault.find("must be replicated along axis \"dp_replicate\", but is of each rank's own") !=
           std::string::npos;
  }));
}

/// Two stages of two ranks: the first sends a value of its program, and the second gathers it.
struct Message {
  Message() {
    plan.mesh = {{"pp", 2, AxisKind::Pipeline}, {"dp", 2}};
    plan.inputs = {{"features", ElementType::F32, {1}, InputRole::Features}};
    plan.programs.resize(2);
    for (int64_t stage = 0; stage < 2; ++stage) {
      Program &program = plan.programs[static_cast<size_t>(stage)];
      program.firstRank = 2 * stage;
      program.ranks = 2;
      program.buffers.resize(2);
      for (Buffer &buffer : program.buffers)
        buffer.bytes = 128;
      program.sections = {{"only", 1, {}}};
      program.train = {{0, 1}};
    }
    add(1, Opcode::Recv, {{0, 0, 64}});
    add(1, Opcode::AllGather, {{0, 0, 64}, {1, 0, 128}});
  }

  void add(size_t program, Opcode op, std::vector<Operand> operands) {
    Instruction &instruction = plan.programs[program].sections[0].instructions.emplace_back();
    instruction.op = op;
    instruction.operands = std::move(operands);
    instruction.item = op == Opcode::Feed ? "features" : "value";
    instruction.peer = program == 0 ? 1 : 0;
    instruction.axes = {1};
    instruction.pieceBytes = {64};
  }

  std::vector<std::string> faults() const {
    Findings findings;
    std::vector<Timeline> timelines;
    for (const Program &program : plan.programs)
      timelines.emplace_back(plan, program, Purpose::Train, 3);
    checkReplicas(plan, timelines, findings);
    return findings.take();
  }

  Plan plan;
};

TEST(CheckReplicas, aMessageIsSpreadAsWhereItIsSent) {
  Message sharded;
  sharded.add(0, Opcode::ReduceScatter, {{0, 0, 64}, {1, 0, 128}});
  sharded.add(0, Opcode::Send, {{0, 0, 64}});
  EXPECT_EQ(sharded.faults(), std::vector<std::string>());

  Message own;
  own.add(0, Opcode::Feed, {{0, 0, 64}});
  own.add(0, Opcode::Send, {{0, 0, 64}});
  ASSERT_FALSE(own.faults().empty());
  EXPECT_NE(own.faults().front().find("gathers over axis \"dp\" what is of each rank's own along it"),
            std::string::npos)
      << own.faults().front();

  Message changed = sharded;
  changed.add(0, Opcode::Feed, {{0, 0, 64, {}}});
  changed.add(0, Opcode::Send, {{0, 0, 64, {}}});
  ASSERT_FALSE(changed.faults().empty());
  EXPECT_NE(changed.faults().front().find("sends what is spread over ranks otherwise than it was before"),
            std::string::npos)
      << changed.faults().front();
}

TEST(CheckReplicas, ownersAreOfOneAxisOfData) {
  Plan plan = fourRanks(1, 1);
  const Operand &operand = plan.programs[0].sections[0].instructions[0].operands[0];
  plan.programs[0].buffers[operand.buffer].owner = 1;
  EXPECT_NE(firstFault(plan).find(
                "has owner 1, but the mesh has 2 axes of data, and only ranks of one axis own something"),
            std::string::npos)
      << firstFault(plan);
}

/// An owner's state has one owner along the axis of data, and is equal on all tensor ranks. A value that
/// differs between them must be summed or gathered before it changes the state.
TEST(CheckReplicas, anOwnersStateIsAlikeAlongOtherAxes) {
  for (bool gathers : {false, true}) {
    Step step(4);
    step.plan.mesh = {{"dp", 2}, {"tp", 2, AxisKind::Tensor}};
    step.plan.programs[0].buffers[3].owner = 1;
    State &state = step.plan.programs[0].states.emplace_back();
    state.name = "w";
    state.sharded = false;
    state.axes = {0};
    state.home = {3, 0, 64, {}};
    step.add(Opcode::Feed, {{0, 0, 64, {}}});
    step.instructions().back().item = std::string(kTensorCoordinate);
    if (gathers)
      step.add(Opcode::AllGather, {{0, 0, 32, {}}, {1, 0, 64, {}}}, {1}, {32});
    step.add(Opcode::Reduce, {{3, 0, 64, {}}, {gathers ? 1u : 0u, 0, 64, {}}}, {0}, {64});
    const std::vector<std::string> faults = replicaFaults(step.plan);
    ASSERT_EQ(faults.empty(), gathers);
    if (!gathers)
      EXPECT_EQ(faults.front(),
                "the home of state \"w\" (parameter) must be replicated along axis \"tp\", but "
                "is of each rank's own when a step ends");
  }
}

TEST(CheckReplicas, axesAreThoseOfTheMeshInOrder) {
  Plan plan = fourRanks(1, 1);
  Instruction *collective = nullptr;
  for (Instruction &instruction : plan.programs[0].sections[0].instructions)
    collective = isCollective(instruction.op) ? &instruction : collective;
  collective->axes = {2};
  EXPECT_NE(firstFault(plan).find(".axes: axis 2, but the mesh has 2"), std::string::npos)
      << firstFault(plan);
  collective->axes = {1, 0};
  EXPECT_NE(firstFault(plan).find(".axes: axis 0 stands behind axis 1"), std::string::npos)
      << firstFault(plan);
  collective->axes = kShard;
  plan.programs[0].sections[0].instructions[0].axes = kShard;
  ASSERT_FALSE(isCollective(plan.programs[0].sections[0].instructions[0].op));
  EXPECT_NE(firstFault(plan).find("runs over dp_shard, but is no collective"), std::string::npos)
      << firstFault(plan);
}

} // namespace
