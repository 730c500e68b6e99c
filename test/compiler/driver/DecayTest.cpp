// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weight decay by name: layers that decay otherwise are functions of their own, no strategy changes a bit,
// and a plan says by how much each parameter decays.
#include "runtime/training/checkpoint/TrainerState.h"
#include "runtime/training/checkpoint/TrainingRecord.h"
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>
#include <set>

using namespace windlass;
using namespace windlass::test;

namespace {

/// Of two layers; the first attention decays more, norms and biases do not.
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

/// What a number says of matrices can be said by name, to the bit.
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
