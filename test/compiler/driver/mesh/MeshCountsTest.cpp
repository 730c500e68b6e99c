// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts of plans on a mesh of ranks: the bytes of messages between stages and of states, the lanes of
// exchanges, and the instructions on more ranks. The numerics record does not depend on the machine.
#include "passes/Dist/ShardLayout.h"
#include "runtime/plan/InstructionTable.h"
#include "test/support/MeshJobs.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace windlass;
using namespace windlass::test;

namespace {

/// The bytes that a rank of a program sends in a step, outside of the update, to the next stage or to the one
/// before.
int64_t bytesSent(const plan::Program &program, plan::Lane lane) {
  int64_t bytes = 0;
  for (const plan::SectionRuns &runs : program.train)
    for (const plan::Instruction &each : program.sections[runs.section].instructions)
      if (each.op == plan::Opcode::Send && each.lane == lane && each.origin.phase != plan::Phase::Update)
        bytes += runs.times * each.operands[0].bytes;
  return bytes;
}

/// In each direction, b s h elements of a micro-batch cross the border between two stages. A tensor rank with
/// its own rows sends one t-th of them.
TEST(MeshCounts, messagesAreActivationsOfARank) {
  constexpr int64_t kStages = 2, kMicroBatches = 3, kBatch = 2, kSequence = 16, kHidden = 32;
  Job job = deepLlama(); // the first and the last stage share no table
  job.training["micro_batch"] = kBatch;
  for (int64_t tensor : {1, 2})
    for (bool ownRows : {false, true}) {
      const json rows = {{"sequence_parallel", ownRows}};
      std::unique_ptr<Compiled> compiled =
          compileJob(onMesh(tensor == 1 ? job : job.with(rows), {1, tensor, kStages}));
      ASSERT_TRUE(compiled);
      const int64_t bytes = kMicroBatches * kBatch * kSequence * kHidden * 4 / (ownRows ? tensor : 1);
      const std::vector<plan::Program> &programs = compiled->plan.programs;
      EXPECT_EQ(bytesSent(programs[0], plan::Lane::ActOut), bytes) << tensor << " " << ownRows;
      EXPECT_EQ(bytesSent(programs[1], plan::Lane::GradOut), bytes) << tensor << " " << ownRows;
      EXPECT_EQ(bytesSent(programs[1], plan::Lane::ActOut), 0);
      EXPECT_EQ(bytesSent(programs[0], plan::Lane::GradOut), 0);
    }
}

/// The number of instructions of every program. Instructions that zero padding do not count, as their number
/// depends on the ranks.
std::vector<int64_t> instructionsOf(const plan::Plan &plan) {
  std::vector<int64_t> counts;
  for (const plan::Program &program : plan.programs) {
    int64_t &count = counts.emplace_back();
    for (const plan::Section &section : program.sections)
      for (const plan::Instruction &each : section.instructions)
        count += each.origin.what != "zero padding";
  }
  return counts;
}

/// All decisions are set, so that they are the same on every machine.
TEST(MeshCounts, plansAreAsLongOnMoreRanks) {
  Job job = tinyGpt2(1, 4);
  job.model.update({{"n_layer", 4}, {"n_embd", 64}, {"n_head", 8}, {"n_positions", 32}, {"vocab_size", 256}});
  job = job.with({{"zero_stage", 2}, {"recompute", "none"}, {"sequence_parallel", true}});
  job = job.with({{"reshard_activations", false}, {"bucket", "64KiB"}});
  job = job.with({{"placement", {{"param", "device"}, {"grad", "device"}, {"moments", "device"}}}});
  std::vector<int64_t> expected;
  for (const MeshShape &mesh : {MeshShape{2, 2, 2}, {2, 8, 2}, {512, 2, 2}}) {
    Job placed = onMesh(job, mesh);
    placed.hardware["host"]["capacity"] = "4TiB"; // for all ranks
    std::unique_ptr<Compiled> compiled = compileJob(placed);
    ASSERT_TRUE(compiled);
    const std::vector<int64_t> counts = instructionsOf(compiled->plan);
    if (expected.empty())
      expected = counts;
    EXPECT_EQ(counts, expected) << mesh.data << " x " << mesh.tensor;
  }
}

/// Exchanges of tensor ranks within a layer do not queue behind fetches for the next layer.
TEST(MeshCounts, exchangesOfALayerHaveALaneOfTheirOwn) {
  std::unique_ptr<Compiled> compiled = compileJob(onMesh(deepLlama().with({{"zero_stage", 3}}), {2, 2, 2}));
  ASSERT_TRUE(compiled);
  const std::vector<plan::MeshAxis> &mesh = compiled->plan.mesh;
  std::map<plan::AxisKind, std::set<plan::Lane>> lanes;
  for (const plan::Program &program : compiled->plan.programs)
    for (const plan::Section &section : program.sections)
      for (const plan::Instruction &each : section.instructions)
        if (plan::isCollective(each.op) && each.axes.size() == 1)
          lanes[mesh[static_cast<size_t>(each.axes.front())].kind].insert(each.lane);
  EXPECT_EQ(lanes[plan::AxisKind::Tensor], std::set{plan::Lane::Gg});
  EXPECT_EQ(lanes[plan::AxisKind::Data], std::set{plan::Lane::Nodes});
}

/// Four blocks of two products each. Tensor ranks divide the first product by columns and the second by rows,
/// so that no parameter is whole on every rank and none is padded.
Job blocksOfProducts() {
  Job job = biasFreeMlp({128, 128}, 1, 2);
  const json weight = {{"shape", {128, 128}}, {"init", {{"normal", 0.1}}}};
  job.model["params"] = json::object();
  job.model["blocks"] = {{"layer",
                          {{"in", {"h"}},
                           {"params", {{"up", weight}, {"down", weight}}},
                           {"ops",
                            {{{"op", "matmul"}, {"in", {"h", "up"}}, {"out", "linear"}},
                             {{"op", "relu"}, {"in", {"linear"}}, {"out", "active"}},
                             {{"op", "matmul"}, {"in", {"active", "down"}}, {"out", "sum"}}}},
                           {"out", {"sum"}}}}};
  job.model["ops"] = {{{"repeat", 4}, {"block", "layer"}, {"carry", {"x"}}, {"name", "layer.{i}"}},
                      {{"op", "mse"}, {"in", {"x", "y"}}, {"out", "losses"}}};
  return job;
}

/// The bytes of the homes of a class on a rank of a program.
int64_t homeBytesOf(const plan::Program &program, plan::BufferClass cls) {
  int64_t bytes = 0;
  for (const plan::Buffer &buffer : program.buffers)
    bytes += buffer.persistent && buffer.cls == cls ? buffer.bytes : 0;
  return bytes;
}

/// The bytes of ZeRO's Table 1, with psi / (tensor ranks x stages) parameters on a rank. Each gradient bucket
/// is reduced as soon as it exists, at every ZeRO stage.
TEST(MeshCounts, statesOfARankAreThoseOfItsPartOfTheModel) {
  constexpr int64_t kPsi = 4 * 2 * 128 * 128, kFloat = 4;
  for (const MeshShape &mesh : {MeshShape{2, 2, 1}, {2, 1, 2}, {2, 2, 2}, {1, 4, 2}})
    for (int64_t zero : {0, 1, 2, 3}) {
      std::unique_ptr<Compiled> compiled =
          compileJob(onMesh(blocksOfProducts().with({{"zero_stage", zero}, {"persistence", 0}}), mesh));
      ASSERT_TRUE(compiled);
      const int64_t whole = kFloat * kPsi / (mesh.tensor * mesh.stages), part = whole / mesh.data;
      for (const plan::Program &program : compiled->plan.programs) {
        SCOPED_TRACE("zero " + std::to_string(zero) + " " + compiled->plan.strategy);
        EXPECT_EQ(homeBytesOf(program, plan::BufferClass::Parameter), zero == 3 ? part : whole);
        for (plan::BufferClass cls : {plan::BufferClass::Momentum, plan::BufferClass::Variance})
          EXPECT_EQ(homeBytesOf(program, cls), zero > 0 ? part : whole);
        EXPECT_EQ(homeBytesOf(program, plan::BufferClass::Gradient), part);
      }
    }
}

/// A model with parameters that are whole on every rank, and sizes that no number of ranks divides.
/// Parameters begin at granules of a unit, pieces are whole granules, and homes are whole pages. No other
/// bytes are added.
TEST(MeshCounts, whatIsWholeOrPaddedIsAllThatIsMore) {
  constexpr int64_t kGranule = dist::kPieceGranule;
  Job job = onMesh(tinyGpt2(1, 1).with({{"zero_stage", 3}, {"persistence", 0}}), {2, 2, 1});
  job.model.update({{"n_layer", 3}, {"n_embd", 36}, {"n_head", 2}, {"n_positions", 15}, {"vocab_size", 97}});
  std::unique_ptr<Compiled> compiled = compileJob(job);
  ASSERT_TRUE(compiled);
  const plan::Program &program = compiled->plan.programs.front();
  int64_t parameters = 0, elements = 0, whole = 0,
          parts = 0; // elements of the model, of whole parameters, of a rank
  std::map<std::string, std::pair<int64_t, int64_t>> units; // per unit: elements of a piece, and the end
  for (const plan::State &state : program.states) {
    if (state.cls != plan::StateClass::Parameter)
      continue;
    const int64_t all = elementsOf(state);
    const bool isSplit = !state.split.whole.empty();
    int64_t own = 1;
    for (int64_t extent : isSplit ? state.split.whole : state.shape)
      own *= extent;
    elements += own;
    whole += isSplit ? 0 : own;
    parts += all;
    ++parameters;
    const int64_t padding = isSplit ? 2 * all - own : 0; // the last row of a table with an odd number of rows
    EXPECT_TRUE(padding == 0 || padding == 36) << state.name << " " << padding;
    std::pair<int64_t, int64_t> &unit = units[state.unit];
    unit = {state.pieceElements, std::max(unit.second, state.unitOffset + all)};
  }
  EXPECT_EQ(elements, 3 * (12 * 36 * 36 + 13 * 36) + (97 + 15) * 36 + 2 * 36);
  EXPECT_GE(whole, 3 * 6 * 36);
  int64_t pieces = 0;
  for (const auto &[name, unit] : units) {
    EXPECT_EQ(unit.first, (unit.second + 2 * kGranule - 1) / (2 * kGranule) * kGranule) << name;
    pieces += unit.first;
  }
  EXPECT_GE(2 * pieces, parts);
  EXPECT_LT(2 * pieces, parts + (parameters + 2 * std::ssize(units)) * kGranule);
  int64_t homes = 0;
  for (const plan::Buffer &buffer : program.buffers)
    homes += buffer.persistent && buffer.cls == plan::BufferClass::Parameter;
  const int64_t bytes = homeBytesOf(program, plan::BufferClass::Parameter);
  EXPECT_GE(bytes, 4 * pieces);
  EXPECT_LT(bytes, 4 * pieces + 4096 * homes);
}

/// A mesh with one stage and one tensor rank gives the same plan as a training file without these keys.
TEST(MeshCounts, aMeshOfOneIsNone) {
  const Job job = tinyGpt2(2, 2);
  Job asked = job;
  asked.training["parallel"].update({{"tensor", 1}, {"pipeline", 1}});
  std::unique_ptr<Compiled> without = compileJob(job), one = compileJob(asked);
  ASSERT_TRUE(without && one);
  const auto textOf = [](const Compiled &compiled) {
    json text = json::parse(readText(compiled.planFolder() + "/plan.json"));
    text.erase("model"); // the names of their folders
    text.erase("hash");
    return text.dump();
  };
  EXPECT_EQ(textOf(*one), textOf(*without));
}

/// The division of operations changes last bits, and follows from the model and the number of ranks alone.
/// Another machine leads to other decisions and to the same record.
TEST(MeshCounts, anotherMachineIsNoOtherRecord) {
  Job job = onMesh(tinyGpt2(1, 2), {1, 2, 2});
  for (const char *decision : {"zero_stage", "recompute"})
    job.training.erase(decision);
  Job slow = job;
  slow.hardware["links"]["gg"] = {{"bandwidth", "1MB/s"}, {"latency", "1ms"}};
  slow.hardware["device"]["flops"] = {{"f32", "1GFLOP/s"}};
  slow.hardware["device"]["capacity"] = "1MiB";
  std::unique_ptr<Compiled> here = compileJob(job), there = compileJob(slow);
  ASSERT_TRUE(here && there);
  EXPECT_EQ(there->plan.numerics, here->plan.numerics);
  EXPECT_NE(programText(there->plan), programText(here->plan));
}

} // namespace
