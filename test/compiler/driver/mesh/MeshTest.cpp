// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of ranks in which states are sharded, with copies of all states or only of parameters in each group.
// No decision changes a bit, losses agree with those of one group, an overflow on any rank skips the step on
// all, bytes and traffic follow the mesh, and the checker finds a wrong group.
#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/check/Checker.h"
#include "test/support/MeshJobs.h"
#include "test/support/TensorFile.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace windlass;
using namespace windlass::test;
using plan::Opcode;

namespace {

constexpr int64_t kRanks = 4, kShard = 2;
const std::vector<int64_t> kReplicate = {0}, kSharded = {1};

/// `optimizerShard`: whether the ranks of a group or all ranks share gradients and optimizer states.
Job inGroups(const Job &job, const std::string &optimizerShard = "group") {
  return job.with({{"parallel", {{"shard", kShard}, {"optimizer_shard", optimizerShard}}}});
}

const auto kOptimizerShards = ::testing::Values("group", "all");

class Mesh : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
protected:
  const std::string precision = std::get<0>(GetParam()), optimizerShard = std::get<1>(GetParam());
};

std::vector<json> decisions() {
  std::vector<json> all;
  for (int stage : {2, 0, 1, 3})
    all.push_back({{"zero_stage", stage}});
  all.push_back({{"zero_stage", 1}, {"reduce", "all"}});
  all.push_back({{"zero_stage", 3}, {"micro_batch_order", "vertical"}, {"reshard_after_forward", false}});
  all.push_back({{"zero_stage", 3}, {"recompute", "full"}, {"bucket", "64KiB"}, {"overlap", false}});
  for (const char *tier : {"host", "nvme"})
    all.push_back({{"zero_stage", 3},
                   {"prefetch", {{"gg", 1}}},
                   {"placement", {{"param", tier}, {"grad", tier}, {"moments", tier}}}});
  return all;
}

TEST_P(Mesh, decisionsChangeNoBit) {
  const Job job =
      inGroups(tinyGpt2(kRanks, 3), optimizerShard).with({{"precision", {{"compute", precision}}}});
  std::vector<Job> jobs;
  for (const json &decision : decisions())
    jobs.push_back(job.with(decision));
  expectSameBitsOfAll(jobs);
}

/// The norm of all gradients that rank 0 reports, by step.
std::vector<float> normsOf(const Outcome &outcome) {
  const std::vector<uint32_t> &all = outcome.reports.at("grad_norm");
  std::vector<float> norms;
  for (size_t i = 0; i < all.size(); i += all.size() / outcome.losses.size())
    norms.push_back(std::bit_cast<float>(all[i]));
  return norms;
}

/// Compares with ZeRO 3 over all ranks, and with one rank that sees every sample. The norm for clipping
/// counts a gradient once, whatever the number of copies.
TEST_P(Mesh, agreesWithOneGroupAndWithOneRank) {
  constexpr double kClip = 0.1;
  const json compute = {{"precision", {{"compute", precision}}}, {"zero_stage", 3}, {"clip", kClip}};
  const Job job = tinyLlama(kRanks, 2).with(compute), alone = tinyLlama(1, 2, kRanks).with(compute);
  std::unique_ptr<Compiled> mesh = compileJob(inGroups(job, optimizerShard));
  ASSERT_TRUE(mesh);
  const Outcome found = train(*mesh);
  const std::vector<float> norms = normsOf(found);
  const double tolerance = precision == "bf16" ? 1e-3 : 1e-5;
  for (const Job &other : {job, alone}) {
    std::unique_ptr<Compiled> compiled = compileJob(other);
    ASSERT_TRUE(compiled);
    EXPECT_NE(compiled->plan.numerics, mesh->plan.numerics);
    const Outcome expected = train(*compiled);
    ASSERT_EQ(expected.losses.size(), found.losses.size());
    const std::vector<float> theirs = normsOf(expected);
    ASSERT_EQ(theirs.size(), norms.size());
    for (size_t i = 0; i < expected.losses.size(); ++i) {
      EXPECT_NEAR(found.losses[i], expected.losses[i], tolerance * expected.losses[i]);
      EXPECT_GT(theirs[i], kClip) << "nothing is clipped";
      EXPECT_NEAR(norms[i], theirs[i], 10 * tolerance * theirs[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, Mesh,
                         ::testing::Combine(::testing::Values("fp32", "bf16"), kOptimizerShards));

/// The parameter: gradients and optimizer states are sharded over a group, or over all ranks.
class ShardedMesh : public ::testing::TestWithParam<std::string> {};

/// Gradients are reduced once a step, first inside groups and then across them.
TEST_P(ShardedMesh, aStepsCadenceHoldsItsBits) {
  const Job job = inGroups(tinyGpt2(kRanks, 2), GetParam()).with({{"cadence", "step"}});
  std::unique_ptr<Compiled> zero = compileJob(job.with({{"zero_stage", 0}})),
                            one = compileJob(job.with({{"zero_stage", 1}}));
  ASSERT_TRUE(zero && one);
  expectSameBits(train(*zero), train(*one));
}

//===----------------------------------------------------------------------===//
// A scaled loss
//===----------------------------------------------------------------------===//

using Homes = std::vector<std::vector<std::byte>>; ///< per rank, the bytes of all states one after another

Homes homesOf(const plan::Plan &plan, Executor &executor) {
  std::set<uint32_t> buffers;
  for (const plan::State &state : plan.programs[0].states)
    buffers.insert(state.home.buffer);
  Homes homes(static_cast<size_t>(plan.ranks()));
  for (int64_t rank = 0; rank < plan.ranks(); ++rank)
    for (uint32_t buffer : buffers) {
      std::vector<std::byte> bytes(static_cast<size_t>(plan.programs[0].buffers[buffer].bytes));
      EXPECT_TRUE(executor.readBytes(rank, {buffer, 0, std::ssize(bytes), {}}, 0, bytes));
      homes[static_cast<size_t>(rank)].insert(homes[static_cast<size_t>(rank)].end(), bytes.begin(),
                                              bytes.end());
    }
  return homes;
}

/// Expects the homes of the first group in every group.
void expectCopies(const Homes &homes) {
  for (size_t rank = 0; rank < homes.size(); ++rank)
    EXPECT_EQ(homes[rank], homes[rank % kShard]) << "rank " << rank;
}

/// All states rest on one tier, with fp16.
json scaledOn(const std::string &tier, json scale) {
  scale["compute"] = "fp16";
  return {{"precision", scale},
          {"placement", {{"param", tier}, {"grad", tier}, {"master", tier}, {"moments", tier}}}};
}

class ScaledMesh : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
protected:
  const std::string tier = std::get<0>(GetParam()), optimizerShard = std::get<1>(GetParam());
  void expectCopiesOf(const Homes &homes) const {
    if (optimizerShard == "group")
      expectCopies(homes);
  }
};

/// One example of sixteen has features so large that its gradient overflows: on one rank of one group, in one
/// micro-batch.
TEST_P(ScaledMesh, anOverflowInOneGroupSkipsTheStepInAllOfThem) {
  std::unique_ptr<Compiled> compiled =
      compileJob(inGroups(biasFreeMlp({16, 8, 4}, kRanks, 2, 2), optimizerShard)
                     .with(scaledOn(tier, {{"loss_scale", 1024}})));
  ASSERT_TRUE(compiled);
  std::unique_ptr<Executor> executor = openExecutor(*compiled, compiled->plan);
  ASSERT_TRUE(executor);
  TemporaryFolder folder;
  RunSettings settings;
  settings.steps = 0;
  trainOn(compiled->plan, *executor, settings);
  const Homes untouched = homesOf(compiled->plan, *executor);
  expectCopiesOf(untouched);
  settings.steps = 1;
  for (int64_t place = -1; place < 16; ++place) { // -1: no example overflows
    SCOPED_TRACE(place);
    std::vector<float> x(16 * 16, 0.25f), y(16 * 4, 0.5f);
    if (place >= 0)
      x[static_cast<size_t>(place * 16)] = 60000;
    settings.data = writeTensors(folder / ("data" + std::to_string(place) + ".safetensors"),
                                 {{"x", tensorOf("F32", {16, 16}, x)}, {"y", tensorOf("F32", {16, 4}, y)}});
    const Outcome outcome = trainOn(compiled->plan, *executor, settings);
    const Homes after = homesOf(compiled->plan, *executor);
    ASSERT_EQ(outcome.skipped, std::vector<bool>{place >= 0});
    const std::vector<uint32_t> &norms = outcome.reports.at("grad_norm");
    ASSERT_EQ(norms.size(), static_cast<size_t>(kRanks));
    for (uint32_t norm : norms)
      EXPECT_EQ(std::isfinite(std::bit_cast<float>(norm)), place < 0);
    for (size_t rank = 0; rank < after.size(); ++rank)
      EXPECT_EQ(after[rank] == untouched[rank], place >= 0) << "rank " << rank;
    expectCopiesOf(after);
  }
}

INSTANTIATE_TEST_SUITE_P(Tiers, ScaledMesh,
                         ::testing::Combine(::testing::Values("device", "host", "nvme"), kOptimizerShards));

/// The scale begins far too high, and grows after every two finite steps. The same steps are skipped on every
/// tier, with the same bits, and the groups stay copies.
TEST(MeshTest, aDynamicScaleHasTheSameBitsOnEveryTier) {
  Outcome first;
  for (const std::string tier : {"device", "host", "nvme"}) {
    SCOPED_TRACE(tier);
    std::unique_ptr<Compiled> compiled =
        compileJob(inGroups(tinyGpt2(kRanks, 2))
                       .with(scaledOn(tier, {{"initial_loss_scale", 0x1p40}, {"loss_scale_window", 2}})));
    ASSERT_TRUE(compiled);
    std::unique_ptr<Executor> executor = openExecutor(*compiled, compiled->plan);
    ASSERT_TRUE(executor);
    RunSettings settings;
    settings.steps = 30;
    const Outcome outcome = trainOn(compiled->plan, *executor, settings);
    expectCopies(homesOf(compiled->plan, *executor));
    const auto begun = std::ranges::find(outcome.skipped, false);
    ASSERT_GT(begun - outcome.skipped.begin(), 5);
    ASSERT_NE(std::find(begun, outcome.skipped.end(), true), outcome.skipped.end())
        << "no overflow after the states began to move";
    if (first.reports.empty())
      first = outcome;
    expectSameBits(first, outcome);
    EXPECT_EQ(first.skipped, outcome.skipped);
  }
}

//===----------------------------------------------------------------------===//
// Bytes and traffic
//===----------------------------------------------------------------------===//

/// The bytes of the homes of sharded states, on each rank.
int64_t shardedBytes(const plan::Plan &plan) {
  int64_t bytes = 0;
  for (const plan::State &state : plan.programs[0].states)
    if (state.sharded && state.unitOffset == 0)
      bytes += state.home.bytes;
  return bytes;
}

/// The bytes that collectives over these axes bring or sum in the section "only", on each rank.
int64_t wireBytes(const plan::Plan &plan, const std::vector<int64_t> &axes) {
  int64_t bytes = 0;
  for (const plan::Section &section : plan.programs[0].sections)
    for (const plan::Instruction &instruction : section.instructions)
      if (section.name == "only" && plan::isCollective(instruction.op) && instruction.axes == axes &&
          instruction.origin.what != "gather norm slots")
        bytes += instruction.bytesMoved;
  return bytes;
}

/// Every unit divides into pieces without padding, so that the counts are exact. A group moves as many bytes
/// as all ranks did. Across groups each shard of gradients is summed and gathered once.
TEST(MeshTest, bytesAndTrafficFollowTheMesh) {
  const Job job = biasFreeMlp({256, 256, 256}, kRanks, 1).with({{"zero_stage", 3}, {"persistence", 0}});
  std::unique_ptr<Compiled> flat = compileJob(job), mesh = compileJob(inGroups(job));
  ASSERT_TRUE(flat && mesh);
  const int64_t wholeBytes = 4 * flat->plan.parameters;
  EXPECT_EQ(shardedBytes(flat->plan), 3 * wholeBytes / kRanks);
  EXPECT_EQ(shardedBytes(mesh->plan), 3 * wholeBytes / kShard);
  EXPECT_EQ(wireBytes(mesh->plan, kSharded), wireBytes(flat->plan, {}));
  EXPECT_EQ(wireBytes(mesh->plan, kSharded), 2 * wholeBytes); // each weight is gathered once and reduced once
  EXPECT_EQ(wireBytes(mesh->plan, kReplicate), 2 * wholeBytes / kShard);
  EXPECT_EQ(wireBytes(mesh->plan, {}), 0);
}

/// The pieces of a group add up to as many bytes as those of all ranks, padding included.
TEST(MeshTest, aGroupMovesWhatAllRanksMoved) {
  const Job job = tinyGpt2(kRanks, 1).with({{"zero_stage", 3}, {"persistence", 0}});
  std::unique_ptr<Compiled> flat = compileJob(job), mesh = compileJob(inGroups(job));
  ASSERT_TRUE(flat && mesh);
  EXPECT_GT(wireBytes(flat->plan, {}), 2 * 4 * flat->plan.parameters); // some parameters are gathered twice
  EXPECT_EQ(wireBytes(mesh->plan, kSharded), wireBytes(flat->plan, {}));
}

TEST_P(ShardedMesh, checkpointsGoBothWays) {
  const Job job = tinyGpt2(kRanks, 1).with({{"zero_stage", 3}});
  expectCheckpointsGoRound({inGroups(job, GetParam()), job});
}

/// Both axes have two ranks, so that sizes do not reveal a wrong axis.
TEST_P(ShardedMesh, theCheckerFindsAWrongGroup) {
  for (int stage : {0, 1, 2, 3}) {
    std::unique_ptr<Compiled> compiled =
        compileJob(inGroups(biasFreeMlp({256, 256}, kRanks, 2), GetParam()).with({{"zero_stage", stage}}));
    ASSERT_TRUE(compiled);
    ASSERT_EQ(plan::findFaults(compiled->plan), std::vector<std::string>());
    int wrong = 0;
    for (size_t s = 0; s < compiled->plan.programs[0].sections.size(); ++s)
      for (size_t i = 0; i < compiled->plan.programs[0].sections[s].instructions.size(); ++i) {
        plan::Plan broken = compiled->plan;
        plan::Instruction &instruction = broken.programs[0].sections[s].instructions[i];
        if (!plan::isCollective(instruction.op))
          continue;
        for (std::vector<int64_t> axes : {kReplicate, kSharded, std::vector<int64_t>()}) {
          instruction.axes = std::exchange(axes, compiled->plan.programs[0].sections[s].instructions[i].axes);
          if (instruction.axes == axes)
            continue;
          EXPECT_NE(plan::findFaults(broken), std::vector<std::string>())
              << "stage " << stage << ", " << instruction.origin.what << " over "
              << nameOfAxes(broken, instruction.axes);
          ++wrong;
        }
      }
    EXPECT_GT(wrong, 4);
  }
}

INSTANTIATE_TEST_SUITE_P(OptimizerShards, ShardedMesh, kOptimizerShards);

TEST(MeshTest, whatDoesNotFitIsRefused) {
  const std::vector<std::pair<json, std::string>> cases = {
      {{{"parallel", {{"shard", 3}}}}, "parallel.shard: must divide \"parallel.data\" = 4, is 3"},
      {{{"parallel", {{"shard", 1}}}}, "parallel.shard: must be a whole number from 2 to 1048576, is 1"},
      {{{"parallel", {{"shard", 2}}}, {"gather", "broadcast"}, {"zero_stage", 3}},
       "gather \"broadcast\" needs parallel.shard \"auto\""}};
  for (const auto &[patch, message] : cases) {
    TemporaryFolder folder;
    Result<plan::Plan> plan = tryCompile(tinyGpt2(kRanks, 1).with(patch), folder);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.status().code(), ExitCode::BadInput);
    EXPECT_NE(plan.status().message().find(message), std::string::npos) << plan.status().message();
  }
}

} // namespace
