// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan on a mesh of ranks has, counted: bytes of messages between stages and of states, lanes of
// exchanges, instructions on more ranks, and a record that knows no machine.
#include "runtime/plan/InstructionTable.h"
#include "test/support/MeshJobs.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace windlass;
using namespace windlass::test;

namespace {

/// Bytes that a rank of a program sends in a step to the next stage, or to the one before, but in its update.
int64_t bytesSent(const plan::Program &program, plan::Lane lane) {
  int64_t bytes = 0;
  for (const plan::SectionRuns &runs : program.train)
    for (const plan::Instruction &each : program.sections[runs.section].instructions)
      if (each.op == plan::Opcode::Send && each.lane == lane && each.origin.phase != plan::Phase::Update)
        bytes += runs.times * each.operands[0].bytes;
  return bytes;
}

/// Each way bsh elements of a micro-batch cross the border of two stages; of ranks with rows of their own a
/// t-th from each.
TEST(MeshCounts, messagesAreActivationsOfARank) {
  constexpr int64_t kStages = 2, kMicroBatches = 3, kBatch = 2, kSequence = 16, kHidden = 32;
  Job job = deepLlama(); // whose ends share no table
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

/// Of every program, but for what zeroes padding, which depends on how many ranks share out what.
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

/// All decisions are asked for, so that no machine has other ones.
TEST(MeshCounts, plansAreAsLongOnMoreRanks) {
  Job job = tinyGpt2(1, 4);
  job.model.update({{"n_layer", 4}, {"n_embd", 64}, {"n_head", 8}, {"n_positions", 32}, {"vocab_size", 256}});
  job = job.with({{"zero_stage", 2}, {"recompute", "none"}, {"sequence_parallel", true}});
  job = job.with({{"reshard_activations", false}, {"bucket", "64KiB"}});
  job = job.with({{"placement", {{"param", "device"}, {"grad", "device"}, {"moments", "device"}}}});
  std::vector<int64_t> expected;
  for (const MeshShape &mesh : {MeshShape{2, 2, 2}, {2, 8, 2}, {128, 2, 2}}) {
    Job placed = onMesh(job, mesh);
    placed.hardware["host"]["capacity"] = "1TiB"; // of all ranks
    std::unique_ptr<Compiled> compiled = compileJob(placed);
    ASSERT_TRUE(compiled);
    const std::vector<int64_t> counts = instructionsOf(compiled->plan);
    if (expected.empty())
      expected = counts;
    EXPECT_EQ(counts, expected) << mesh.data << " x " << mesh.tensor;
  }
}

/// What ranks exchange within a layer does not queue behind what is fetched ahead for the next.
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

/// Four blocks of two products each, which tensor ranks share out by columns and by rows, so that nothing is
/// whole and nothing padded.
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

/// Bytes of the homes of a class on a rank of a program.
int64_t homeBytesOf(const plan::Program &program, plan::BufferClass cls) {
  int64_t bytes = 0;
  for (const plan::Buffer &buffer : program.buffers)
    bytes += buffer.persistent && buffer.cls == cls ? buffer.bytes : 0;
  return bytes;
}

/// ZeRO's Table 1 with psi / Nm parameters on a rank, whether stages or operations share them out; each
/// bucket's gradient is reduced as soon as it is there, at every stage.
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

/// How operations are shared out changes last bits, and follows from the model and the number of ranks alone:
/// on another machine other decisions are taken, and none of what the record says.
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
