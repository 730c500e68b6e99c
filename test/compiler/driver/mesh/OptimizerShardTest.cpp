// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients and optimizer states are sharded over all ranks, and parameters inside groups that hold copies
// (hpZ). The bits are those of one group of all ranks where the order of sums does not matter. The bytes, the
// traffic and the checker follow the sharding of each class.
#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/check/Checker.h"
#include "test/support/EndToEnd.h"
#include "test/support/TensorFile.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;
using plan::BufferClass;

namespace {

constexpr int64_t kRanks = 4, kShard = 2;

Job inGroups(const Job &job, const std::string &optimizerShard) {
  return job.with({{"parallel", {{"shard", kShard}, {"optimizer_shard", optimizerShard}}}});
}

class OptimizerShard : public ::testing::TestWithParam<std::string> {};

/// Only two of the eight examples of a step have a gradient. So a sum over ranks has at most two terms other
/// than zero in every micro-batch, and the same value in any order: over all ranks at once, or over groups
/// first. Norm slots are those of the same pieces, so that clipping agrees, too. In general the order decides
/// the last bits (MeshTest compares those with a tolerance).
TEST_P(OptimizerShard, bitsAreThoseOfOneGroupWhereSumsHaveTwoTerms) {
  TemporaryFolder folder;
  std::vector<float> x(8 * 160), y(8 * 120);
  for (int64_t example : {1, 6}) {
    for (int64_t i = 0; i < 160; ++i)
      x[static_cast<size_t>(example * 160 + i)] =
          0.01f * static_cast<float>((example * 37 + i * 11) % 97) - 0.4f;
    for (int64_t i = 0; i < 120; ++i)
      y[static_cast<size_t>(example * 120 + i)] =
          0.02f * static_cast<float>((example * 13 + i * 7) % 61) - 0.5f;
  }
  RunSettings settings;
  settings.steps = 4;
  settings.data = writeTensors(folder / "data.safetensors",
                               {{"x", tensorOf("F32", {8, 160}, x)}, {"y", tensorOf("F32", {8, 120}, y)}});
  const Job job = biasFreeMlp({160, 130, 120}, kRanks, 2, 1)
                      .with({{"precision", {{"compute", GetParam()}}}, {"zero_stage", 3}, {"clip", 0.05}});
  std::unique_ptr<Compiled> flat = compileJob(job), parts = compileJob(inGroups(job, "all"));
  ASSERT_TRUE(flat && parts);
  const Outcome expected = train(*flat, settings);
  settings.steps = 0;
  ASSERT_NE(expected.states, train(*flat, settings).states);
  settings.steps = 4;
  expectSameBits(expected, train(*parts, settings));
}

/// With one micro-batch the order of sums is the same for both ways to shard.
TEST_P(OptimizerShard, bitsAreThoseOfCopiesWithOneMicroBatch) {
  const Job job = tinyGpt2(kRanks, 1).with({{"precision", {{"compute", GetParam()}}}, {"clip", 0}});
  std::unique_ptr<Compiled> copies = compileJob(inGroups(job, "group")),
                            parts = compileJob(inGroups(job, "all"));
  ASSERT_TRUE(copies && parts);
  EXPECT_NE(copies->plan.numerics, parts->plan.numerics);
  expectSameBits(train(*copies), train(*parts));
}

INSTANTIATE_TEST_SUITE_P(Precisions, OptimizerShard, ::testing::Values("fp32", "bf16"));

/// Every unit divides into pieces without padding, so that the counts are exact.
TEST(OptimizerShardTest, eachClassTakesTheBytesOfItsCut) {
  const Job job = biasFreeMlp({256, 256, 256}, kRanks, 2).with({{"zero_stage", 3}, {"persistence", 0}});
  for (const std::string compute : {"fp32", "bf16"}) {
    std::unique_ptr<Compiled> compiled =
        compileJob(inGroups(job.with({{"precision", {{"compute", compute}}}}), "all"));
    ASSERT_TRUE(compiled);
    const plan::Plan &plan = compiled->plan;
    const int64_t elements = plan.parameters, width = compute == "fp32" ? 4 : 2;
    EXPECT_EQ(homeBytes(plan, BufferClass::Parameter), width * elements / kShard);
    EXPECT_EQ(homeBytes(plan, BufferClass::Master), compute == "fp32" ? 0 : 4 * elements / kRanks);
    for (BufferClass cls : {BufferClass::Momentum, BufferClass::Variance, BufferClass::Gradient})
      EXPECT_EQ(homeBytes(plan, cls), 4 * elements / kRanks);
  }
}

/// Both axes have two ranks: pieces in the other order of axes have the same sizes, and other elements on two
/// of the four ranks.
TEST(OptimizerShardTest, theCheckerFindsACutInTheOtherOrder) {
  for (int stage : {1, 2, 3}) {
    std::unique_ptr<Compiled> compiled =
        compileJob(inGroups(biasFreeMlp({256, 256, 256}, kRanks, 2), "all").with({{"zero_stage", stage}}));
    ASSERT_TRUE(compiled);
    EXPECT_EQ(plan::findFaults(compiled->plan), std::vector<std::string>());
    const std::vector<int64_t> cut = {1, 0};
    int64_t turned = 0;
    for (size_t s = 0; s < compiled->plan.programs[0].states.size(); ++s) {
      if (compiled->plan.programs[0].states[s].axes != cut || !compiled->plan.programs[0].states[s].sharded)
        continue;
      plan::Plan broken = compiled->plan;
      broken.programs[0].states[s].axes = {0, 1};
      const std::vector<std::string> faults = plan::findFaults(broken);
      ASSERT_FALSE(faults.empty()) << "stage " << stage << ", " << broken.programs[0].states[s].name;
      ++turned;
    }
    EXPECT_GE(turned, 4); // two moments of two tensors
  }
}

/// Swaps the axes of the two reduce-scatters of a gradient.
TEST(OptimizerShardTest, theCheckerFindsAxesThatChangePlaces) {
  std::unique_ptr<Compiled> compiled =
      compileJob(inGroups(biasFreeMlp({256, 256}, kRanks, 1), "all").with({{"zero_stage", 3}}));
  ASSERT_TRUE(compiled);
  plan::Plan broken = compiled->plan;
  int64_t turned = 0;
  for (plan::Section &section : broken.programs[0].sections)
    for (plan::Instruction &instruction : section.instructions)
      if (instruction.op == plan::Opcode::ReduceScatter) {
        instruction.axes = {1 - instruction.axes.front()};
        ++turned;
      }
  EXPECT_EQ(turned, 2);
  const std::vector<std::string> faults = plan::findFaults(broken);
  EXPECT_TRUE(std::ranges::any_of(faults, [](const std::string &fault) {
    return fault.find("cut over dp_replicate x dp_shard") != std::string::npos;
  })) << (faults.empty() ? "no fault" : faults.front());
}

} // namespace
