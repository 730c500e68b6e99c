// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recomputation. Where attention is not one operation, selective recomputation repeats the tensors over pairs
// of tokens, keeps less, and changes no bit. Where attention is one operation, its gradient repeats them in
// any case.
#include "runtime/plan/Enums.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/text/ReasonText.h"
#include "test/support/EndToEnd.h"
#include "test/support/Folders.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

json readJson(const std::string &path) { return json::parse(readText(path)); }

Job quickstart() {
  const std::string example = WINDLASS_SOURCE_DIR "/examples/gpt2-bytes/";
  return {readJson(example + "config.json"), readJson(example + "training.json"),
          readJson(example + "machine.json")};
}

/// Two layers of attention, written as products and a softmax, over 64 tokens of 16 numbers.
Job attentionByHand() {
  Job job = biasFreeMlp({16}, 2, 2);
  const json matrix = {{"shape", {"H", "H"}}, {"init", {{"normal", 0.2}}}};
  auto op = [](const char *name, std::vector<std::string> in, const char *out) {
    return json{{"op", name}, {"in", std::move(in)}, {"out", out}};
  };
  json scores = op("matmul", {"q", "k"}, "s");
  scores["trans_b"] = true;
  job.model = {
      {"format", "windlass.model/1"},
      {"name", "pairs"},
      {"dims", {{"B", "batch"}, {"T", 64}, {"H", 16}}},
      {"inputs",
       {{"x", {{"role", "features"}, {"shape", {"B", "T", "H"}}}},
        {"y", {{"role", "targets"}, {"shape", {"B", "T", "H"}}}}}},
      {"params", json::object()},
      {"blocks",
       {{"layer",
         {{"in", {"h"}},
          {"params", {{"wq", matrix}, {"wk", matrix}, {"wv", matrix}}},
          {"ops",
           {op("matmul", {"h", "wq"}, "q"), op("matmul", {"h", "wk"}, "k"), op("matmul", {"h", "wv"}, "v"),
            scores, op("softmax", {"s"}, "p"), op("matmul", {"p", "v"}, "o"), op("add", {"h", "o"}, "r")}},
          {"out", {"r"}}}}}},
      {"ops",
       {{{"repeat", 2}, {"block", "layer"}, {"carry", {"x"}}, {"name", "layer.{i}"}},
        op("mse", {"x", "y"}, "losses")}},
      {"loss", "losses"}};
  return job.with({{"zero_stage", 2}});
}

int64_t repeated(const plan::Plan &plan) {
  return countTraining(plan, [](const plan::Instruction &instruction) {
    return instruction.op == plan::Opcode::Launch && instruction.origin.phase == plan::Phase::Recompute;
  });
}

int64_t deviceBytes(const plan::Plan &plan) {
  return plan::arenaOf(plan.programs[0], plan::Tier::Device)->bytes;
}

TEST(Selective, repeatsAttentionsCoreAndChangesNoBit) {
  std::unique_ptr<Compiled> kept = compileJob(attentionByHand().with({{"recompute", "none"}})),
                            selective = compileJob(attentionByHand().with({{"recompute", "selective"}})),
                            full = compileJob(attentionByHand().with({{"recompute", "full"}}));
  ASSERT_TRUE(kept && selective && full);
  EXPECT_EQ(repeated(kept->plan), 0);
  EXPECT_GT(repeated(selective->plan), 0);
  EXPECT_GT(repeated(full->plan), repeated(selective->plan));
  EXPECT_LT(deviceBytes(selective->plan), deviceBytes(kept->plan));
  const Outcome expected = train(*kept);
  expectSameBits(expected, train(*selective));
  expectSameBits(expected, train(*full));
}

TEST(Selective, changesNothingWhereAttentionIsOneOp) {
  const Job job = tinyGpt2(2, 2).with({{"zero_stage", 2}});
  std::unique_ptr<Compiled> kept = compileJob(job.with({{"recompute", "none"}})),
                            selective = compileJob(job.with({{"recompute", "selective"}}));
  ASSERT_TRUE(kept && selective);
  kept->plan.model = selective->plan.model; // the only difference: the names of their folders
  EXPECT_TRUE(programText(kept->plan) == programText(selective->plan));
}

/// The device has room for half of the bytes that the recomputation of every layer saves.
TEST(Automatic, repeatsNoMoreThanItMust) {
  Job job = tinyGpt2(2, 2).with({{"zero_stage", 2}});
  job.model["n_layer"] = 4;
  std::unique_ptr<Compiled> kept = compileJob(job.with({{"recompute", "none"}})),
                            full = compileJob(job.with({{"recompute", "full"}}));
  ASSERT_TRUE(kept && full);
  auto lowerBound = [](const Compiled &compiled) {
    return plan::arenaOf(compiled.plan.programs[0], plan::Tier::Device)->lowerBound;
  };
  ASSERT_LT(lowerBound(*full), lowerBound(*kept));
  job.hardware["device"]["capacity"] = (lowerBound(*full) + lowerBound(*kept)) / 2;
  const json whole = {
      {"param", "device"}, {"grad", "device"}, {"moments", "device"}, {"checkpoint", "device"}};
  std::unique_ptr<Compiled> chosen = compileJob(job.with({{"recompute", "auto"}, {"placement", whole}}));
  ASSERT_TRUE(chosen);
  const json taken = json::parse(chosen->plan.strategy)["recompute"];
  EXPECT_TRUE(taken.is_object() || taken == "layers:1" || taken == "layers:2" || taken == "layers:3")
      << taken;
  EXPECT_GT(repeated(chosen->plan), 0);
  EXPECT_LT(repeated(chosen->plan), repeated(full->plan));
  expectSameBits(train(*kept), train(*chosen));
}

/// All residuals fit if states go to a slow disk. The recomputation of layers makes room for the states.
TEST(Automatic, repeatsLayersWhereThatIsFasterThanTheDisk) {
  Job job = quickstart();
  job.hardware["device"]["capacity"] = "10MiB";
  job.hardware["host"]["capacity"] = "24MiB";
  job.hardware["nvme"]["read"] = "130MB/s";
  job.hardware["nvme"]["write"] = "100MB/s";
  std::unique_ptr<Compiled> none = compileJob(job.with({{"recompute", "none"}})), chosen = compileJob(job);
  ASSERT_TRUE(none && chosen);
  EXPECT_GT(repeated(chosen->plan), 0);
  EXPECT_LT(chosen->plan.prediction.stepSeconds, none->plan.prediction.stepSeconds);
  const plan::Reason &why = whyOf(chosen->plan, "recompute");
  EXPECT_EQ(why.basis, plan::Basis::Fastest);
  const plan::Trial *keepsAll = plan::findTrial(why, "none");
  ASSERT_TRUE(keepsAll);
  EXPECT_EQ(keepsAll->outcome, plan::Outcome::Slower);
  EXPECT_NEAR(keepsAll->seconds, none->plan.prediction.stepSeconds, 0.05 * keepsAll->seconds);
}

/// The search does not try stage 2 again with fewer layers, and the plan still has its trial.
TEST(Automatic, saysWhatCameOfEveryStage) {
  std::unique_ptr<Compiled> compiled = compileJob(quickstart());
  ASSERT_TRUE(compiled);
  ASSERT_TRUE(plan::findTrial(whyOf(compiled->plan, "recompute"), "full"));
  const plan::Reason &why = whyOf(compiled->plan, "zero_stage");
  EXPECT_EQ(why.taken, "3");
  const plan::Trial *second = plan::findTrial(why, "2");
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->wholeParameters);
  EXPECT_EQ(second->outcome, plan::Outcome::DoesNotFit);
  ASSERT_EQ(second->shortages.size(), 1u);
  EXPECT_EQ(second->shortages[0].of, plan::Lack::Arena);
  EXPECT_EQ(second->shortages[0].tier, plan::Tier::Device);
  EXPECT_EQ(second->shortages[0].largest.at(0).name, "parameter");
}

/// The plan quotes the bytes that "none" lacks, and the class that fills the device. So many bytes more are
/// enough.
TEST(Automatic, quotesAShortageThatIsOne) {
  std::unique_ptr<Compiled> compiled = compileJob(quickstart());
  ASSERT_TRUE(compiled);
  const plan::Trial *keepsAll = plan::findTrial(whyOf(compiled->plan, "recompute"), "none");
  ASSERT_TRUE(keepsAll);
  EXPECT_EQ(keepsAll->outcome, plan::Outcome::DoesNotFit);
  ASSERT_EQ(keepsAll->shortages.size(), 1u);
  EXPECT_EQ(keepsAll->shortages[0].tier, plan::Tier::Device);
  EXPECT_EQ(keepsAll->shortages[0].largest.at(0).name, "activation");
  const int64_t missing = keepsAll->shortages[0].bytes;
  const int64_t page = 4096, capacity = (9 << 20) + (missing + page - 1) / page * page;
  Job larger = quickstart();
  larger.training["recompute"] = "none";
  larger.hardware["device"]["capacity"] = capacity;
  TemporaryFolder folder;
  Result<plan::Plan> plan = tryCompile(larger, folder);
  EXPECT_TRUE(plan) << plan.status().message();
}

/// The machine has room for all residuals.
TEST(CheckpointsAway, areMadeAndChangeNoBit) {
  const Job job = tinyGpt2(2, 2).with({{"zero_stage", 3}, {"recompute", "auto"}});
  std::unique_ptr<Compiled> plain = compileJob(job);
  ASSERT_TRUE(plain);
  ASSERT_EQ(json::parse(plain->plan.strategy)["recompute"], "none");
  EXPECT_TRUE(tiersOf(plain->plan, plan::BufferClass::Checkpoint).empty());
  const Outcome expected = train(*plain);
  for (const char *tier : {"host", "nvme"}) {
    std::unique_ptr<Compiled> away = compileJob(job.with({{"placement", {{"checkpoint", tier}}}}));
    ASSERT_TRUE(away);
    EXPECT_EQ(json::parse(away->plan.strategy)["recompute"], "full");
    const std::vector<plan::Tier> visited = tiersOf(away->plan, plan::BufferClass::Checkpoint);
    ASSERT_FALSE(visited.empty());
    EXPECT_EQ(plan::textOf(visited.back()), tier);
    const plan::Reason &why = whyOf(away->plan, "recompute");
    EXPECT_EQ(why.basis, plan::Basis::Implied);
    ASSERT_EQ(why.rests.size(), 1u);
    EXPECT_EQ(plan::textOf(why.rests[0].tier), tier);
    expectSameBits(expected, train(*away));
  }
}

/// A named strategy says only where states rest. Checkpoints go to another tier only if
/// `--offload-checkpoints` asks for it.
TEST(CheckpointsAway, areNotAskedForByAnyStrategyByName) {
  Job job = tinyGpt2(2, 2);
  job.training.erase("recompute"); // else the training file would set it where the strategy does not
  job.strategy = "zero-infinity-nvme";
  std::unique_ptr<Compiled> named = compileJob(job);
  ASSERT_TRUE(named);
  EXPECT_EQ(json::parse(named->plan.strategy)["recompute"], "none")
      << plan::reasonText(whyOf(named->plan, "recompute"));
}

TEST(CheckpointsAway, areRefusedWhereNothingMakesThem) {
  for (const char *recompute : {"none", "selective"})
    for (const json &home : {json("host"), json{{"*", "device"}, {"h.0.map", "nvme"}}}) {
      TemporaryFolder folder;
      Result<plan::Plan> plan = tryCompile(
          tinyGpt2(2, 2).with({{"recompute", recompute}, {"placement", {{"checkpoint", home}}}}), folder);
      ASSERT_FALSE(plan);
      EXPECT_EQ(plan.status().code(), ExitCode::BadInput);
      const std::string tier = home.is_string() ? "host" : "nvme";
      EXPECT_TRUE(plan.status().message().ends_with(
          "training.json: recompute \"" + std::string(recompute) +
          "\" makes no activation checkpoints, but placement.checkpoint asks for them on \"" + tier +
          "\": leave one of the two out"))
          << plan.status().message();
    }
}

TEST(Automatic, moreLayersThanThereAreAreRefused) {
  TemporaryFolder folder;
  for (const std::string recompute : {"layers:3", "every:3"}) {
    Result<plan::Plan> plan = tryCompile(tinyGpt2(2, 2).with({{"recompute", recompute}}), folder);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.status().code(), ExitCode::BadInput);
    EXPECT_EQ(plan.status().message(), "recompute: \"" + recompute + "\": the model has 2 layers");
  }
}

} // namespace
