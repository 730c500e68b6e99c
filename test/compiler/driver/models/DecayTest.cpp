// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weight decay by name: layers with different decays are functions of their own, no strategy changes a bit,
// and the plan has the decay of each parameter.
#include "runtime/training/checkpoint/TrainerState.h"
#include "runtime/training/checkpoint/TrainingRecord.h"
#include "test/support/MeshJobs.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

using namespace windlass;
using namespace windlass::test;

namespace {

/// For two layers: the first attention decays more, norms and biases do not decay.
const json kByName = {{"*", 0.1}, {"ln_|bias$", 0}, {"h[.]0[.]attn[.]c_(attn|proj)[.]weight$", 0.3}};

Job job(const json &weightDecay, const std::string &strategy = "zero-1",
        const std::string &compute = "fp32") {
  Job job = tinyGpt2(2, 2).with({{"precision", {{"compute", compute}}}});
  job.training["optimizer"]["weight_decay"] = weightDecay;
  job.strategy = strategy;
  return job;
}

std::set<std::string> groupsOf(const plan::Plan &plan) {
  std::set<std::string> groups;
  for (const plan::State &state : plan.programs[0].states)
    groups.insert(state.group);
  return groups;
}

class Decay : public ::testing::TestWithParam<std::string> {};

TEST_P(Decay, isTheSameUnderEveryStrategy) {
  std::unique_ptr<Compiled> base = compileJob(job(kByName, "zero-1", GetParam()));
  ASSERT_TRUE(base);
  EXPECT_EQ(groupsOf(base->plan), (std::set<std::string>{"decay=0.1", "decay=0.3", "no_decay"}));
  const Outcome expected = train(*base);
  for (const char *strategy : {"zero-2", "zero-infinity-nvme"}) {
    SCOPED_TRACE(strategy);
    std::unique_ptr<Compiled> decided = compileJob(job(kByName, strategy, GetParam()));
    ASSERT_TRUE(decided);
    EXPECT_EQ(decided->plan.numerics, base->plan.numerics);
    expectSameBits(expected, train(*decided));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Decay, ::testing::Values("fp32", "bf16"),
                         [](const auto &info) { return info.param; });

/// The norm of a state.
double normOf(const std::vector<std::byte> &state) {
  std::vector<float> values(state.size() / sizeof(float));
  std::memcpy(values.data(), state.data(), state.size());
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

/// Decay is strong and steps are small, so that a matrix with the decay of another group would have another
/// norm. Tensor ranks have shards of each group, at ZeRO stages 1 and 3, on one stage of a pipeline and on
/// two.
TEST(WeightDecay, besideTensorRanksIsThatOfOneRank) {
  Job strong = tinyGpt2(1, 2);
  strong.training["optimizer"]["learning_rate"] = 1e-4;
  strong.training["optimizer"]["weight_decay"] = {
      {"*", 300}, {"ln_|bias$", 0}, {"h[.]0[.]attn[.]c_(attn|proj)[.]weight$", 900}};
  const std::set<std::string> groups = {"decay=300", "decay=900", "no_decay"};
  const auto onRanks = [&](const MeshShape &mesh, int64_t zero) {
    return compileJob(onMesh(strong, mesh).with({{"zero_stage", zero}}));
  };
  std::unique_ptr<Compiled> one = onRanks({1, 1, 1}, 0), mesh = onRanks({2, 2, 1}, 1),
                            stages = onRanks({2, 2, 2}, 3);
  ASSERT_TRUE(one && mesh && stages);
  EXPECT_EQ(groupsOf(one->plan), groups);
  EXPECT_EQ(groupsOf(mesh->plan), groups);
  const Outcome expected = train(*one), found = train(*mesh);
  expectSameBits(found, train(*stages));
  int compared = 0;
  for (const auto &[name, state] : expected.states)
    if (name.starts_with("parameter/") && name.ends_with("weight")) {
      EXPECT_NEAR(normOf(found.states.at(name)) / normOf(state), 1, 1e-3) << name;
      ++compared;
    }
  EXPECT_EQ(compared, 15);
}

/// The decay of matrices as a number and the same decay by name give the same bits.
TEST(WeightDecay, byNameIsThatOfMatrices) {
  std::unique_ptr<Compiled> plain = compileJob(job(0.1)),
                            named = compileJob(job({{"*", 0.1}, {"ln_|bias$", 0}}));
  ASSERT_TRUE(plain && named);
  EXPECT_EQ(groupsOf(plain->plan), (std::set<std::string>{"decay", "no_decay"}));
  expectSameBits(train(*plain), train(*named));
}

TEST(WeightDecay, ofAllIsAnotherTraining) {
  std::unique_ptr<Compiled> plain = compileJob(job(0.1)), all = compileJob(job({{"*", 0.1}}));
  ASSERT_TRUE(plain && all);
  EXPECT_EQ(groupsOf(all->plan), (std::set<std::string>{"decay=0.1"}));
  EXPECT_NE(train(*plain).losses, train(*all).losses);
  EXPECT_EQ(plain->plan.numerics, all->plan.numerics) << "what a run compares stands once";
  const std::vector<RecordDifference> differences =
      differencesOfRecords(trainingRecord(plain->plan.training), trainingRecord(all->plan.training));
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].key, "optimizer.weight_decay");
}

std::string refusalOf(const json &weightDecay) {
  TemporaryFolder folder;
  const Status status = tryCompile(job(weightDecay), folder).status();
  EXPECT_EQ(status.code(), ExitCode::BadInput);
  const std::string message = status.message(), key = "optimizer.weight_decay: ";
  return message.substr(std::min(message.size(), message.find(key) + key.size()));
}

TEST(WeightDecay, patternsThatMissOrContradictAreRefused) {
  EXPECT_EQ(refusalOf({{"*", 0.1}, {"lm_head", 0}}), "\"lm_head\" matches no parameter");
  EXPECT_EQ(refusalOf({{"wte", 0.1}, {"weight", 0}}),
            "\"transformer.wte.weight\" matches \"weight\" and \"wte\", which say different numbers");
}

} // namespace
