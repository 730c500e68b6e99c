// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Combined decisions: every two values of every two decisions occur together in some plan of a small model.
// Each plan has its decisions in force, passes the checker, writes exactly the bytes that it planned on every
// tier, and trains the same bits as any other plan of its numerics record.
#include "compiler/training/Strategy.h"
#include "test/support/Canaries.h"
#include "test/support/Repeats.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace windlass;
using namespace windlass::test;
using plan::BufferClass;
using plan::Tier;

namespace {

struct Decision {
  std::string name;
  std::vector<std::string> values;
};

/// The first three decisions choose the numerics record. The others must not change a bit.
const Decision kDecisions[] = {
    {"model", {"gpt2", "gpt2_dropout", "llama"}},
    {"compute", {"fp32", "bf16", "fp16"}},
    {"tiles", {"whole", "tiled", "blocks"}},
    {"strategy",
     {"auto", "data-parallel", "zero-1", "zero-2", "zero-3", "zero-offload", "zero-3-offload",
      "zero-infinity-cpu", "zero-infinity-nvme"}},
    {"recompute", {"none", "selective", "full", "every:2", "layers:1", "activations"}},
    {"checkpoint", {"device", "host", "nvme"}},
    {"collectives", {"plain", "broadcast", "all-reduce"}},
    {"order", {"horizontal", "vertical"}},
    {"reshard", {"on", "off"}},
    {"prefetch", {"1", "4"}},
    {"overlap", {"on", "off"}},
};
constexpr size_t kCount = std::size(kDecisions);
constexpr size_t kOfRecord = 3;

using Choice = std::array<size_t, kCount>; ///< one value per decision
using Pair = std::array<size_t, 4>;        ///< decision, value, a later decision, value

/// Values of two decisions that no plan combines: together they would place checkpoints that do not exist, or
/// ask for collectives of another stage.
const std::set<std::string> kNever[][2] = {
    {{"none", "selective"}, {"host", "nvme"}},
    {{"data-parallel", "zero-1", "zero-2", "zero-offload"}, {"broadcast"}},
    {{"data-parallel", "zero-2", "zero-3", "zero-offload", "zero-3-offload", "zero-infinity-cpu",
      "zero-infinity-nvme"},
     {"all-reduce"}},
};

bool isPossible(const Pair &pair) {
  return std::ranges::none_of(kNever, [&](auto &never) {
    return never[0].contains(kDecisions[pair[0]].values[pair[1]]) &&
           never[1].contains(kDecisions[pair[2]].values[pair[3]]);
  });
}

std::set<Pair> pairsOf(const Choice &choice) {
  std::set<Pair> pairs;
  for (size_t a = 0; a < kCount; ++a)
    for (size_t b = a + 1; b < kCount; ++b)
      pairs.insert({a, choice[a], b, choice[b]});
  return pairs;
}

std::set<Pair> everyPair() {
  std::set<Pair> pairs;
  for (size_t a = 0; a < kCount; ++a)
    for (size_t b = a + 1; b < kCount; ++b)
      for (size_t v = 0; v < kDecisions[a].values.size(); ++v)
        for (size_t w = 0; w < kDecisions[b].values.size(); ++w)
          if (isPossible({a, v, b, w}))
            pairs.insert({a, v, b, w});
  return pairs;
}

/// Draws fifty choices around a pair that is still missing, and takes the choice that covers most missing
/// pairs, until no pair is missing.
std::vector<Choice> coveringChoices() {
  std::vector<Choice> all;
  std::mt19937 random(7);
  for (std::set<Pair> missing = everyPair(); !missing.empty();) {
    Choice best{};
    size_t most = 0;
    for (int trial = 0; trial < 50; ++trial) {
      Choice choice;
      const Pair &seed = *std::next(missing.begin(), static_cast<ptrdiff_t>(random() % missing.size()));
      do {
        for (size_t i = 0; i < kCount; ++i)
          choice[i] = random() % kDecisions[i].values.size();
        choice[seed[0]] = seed[1];
        choice[seed[2]] = seed[3];
      } while (!std::ranges::all_of(pairsOf(choice), isPossible));
      size_t covered = 0;
      for (const Pair &pair : pairsOf(choice))
        covered += missing.count(pair);
      if (covered > most) {
        most = covered;
        best = choice;
      }
    }
    for (const Pair &pair : pairsOf(best))
      missing.erase(pair);
    all.push_back(best);
  }
  return all;
}

std::string valueOf(const Choice &choice, const std::string &decision) {
  for (size_t i = 0; i < kCount; ++i)
    if (kDecisions[i].name == decision)
      return kDecisions[i].values[choice[i]];
  return "";
}

std::string nameOf(const Choice &choice, size_t decisions = kCount) {
  std::string name;
  for (size_t i = 0; i < decisions; ++i)
    name += (i ? "_" : "") + kDecisions[i].values[choice[i]];
  for (char &letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter)))
      letter = '_';
  return name;
}

/// The value of "recompute" in a strategy file.
json recomputeOf(const Choice &choice) {
  const std::string word = valueOf(choice, "recompute");
  if (word != "activations")
    return word;
  const std::map<std::string, std::string> layers = {
      {"gpt2", "block"}, {"gpt2_dropout", "block.train"}, {"llama", "layer"}};
  return {{"keep", {{layers.at(valueOf(choice, "model")), {"attention.0", "matmul.0"}}}}};
}

/// The job with the decisions on which the numerics record depends.
Job jobOf(const Choice &choice) {
  const std::string model = valueOf(choice, "model");
  Job job = model == "llama" ? tinyLlama(2, 2) : tinyGpt2(2, 2);
  if (model == "gpt2_dropout")
    for (const char *rate : {"embd_pdrop", "attn_pdrop", "resid_pdrop"})
      job.model[rate] = 0.1;
  job.training["precision"] = {{"compute", valueOf(choice, "compute")}};
  if (valueOf(choice, "tiles") == "tiled")
    job.training["tile"] = {{"limit", "16KiB"}, {"activation", "8KiB"}};
  if (valueOf(choice, "tiles") == "blocks")
    job.training["tile"] = {{"attention", "4KiB"}};
  return job;
}

/// The other decisions, as a strategy file.
std::string strategyOf(const Choice &choice) {
  Result<Decisions> named = readStrategy(valueOf(choice, "strategy"));
  EXPECT_TRUE(named) << named.status().message();
  json strategy = json::parse(writeStrategy(*named));
  const int64_t prefetch = std::stoll(valueOf(choice, "prefetch"));
  strategy["recompute"] = recomputeOf(choice);
  strategy["placement"]["checkpoint"] = valueOf(choice, "checkpoint");
  if (valueOf(choice, "collectives") == "broadcast")
    strategy["gather"] = "broadcast";
  if (valueOf(choice, "collectives") == "all-reduce")
    strategy["reduce"] = "all";
  strategy["prefetch"] = {{"nc", prefetch}, {"cg", prefetch}, {"gg", prefetch}};
  strategy["micro_batch_order"] = valueOf(choice, "order");
  strategy["reshard_after_forward"] = valueOf(choice, "reshard") == "on";
  strategy["overlap"] = valueOf(choice, "overlap") == "on";
  return strategy.dump();
}

std::unique_ptr<Compiled> compileChoice(const Choice &choice) {
  TemporaryFolder folder;
  Job job = jobOf(choice);
  job.strategy = folder.write("strategy.json", strategyOf(choice));
  return compileJob(job);
}

/// The outcome of a plain plan of the same numerics record, which is trained once.
const Outcome &plainOutcome(const Choice &choice, const std::string &numerics) {
  static std::map<std::string, std::pair<std::string, Outcome>> known;
  auto [entry, isNew] = known.try_emplace(nameOf(choice, kOfRecord));
  if (isNew)
    if (std::unique_ptr<Compiled> plain = compileJob(jobOf(choice)))
      entry->second = {plain->plan.numerics, train(*plain)};
  EXPECT_EQ(entry->second.first, numerics);
  return entry->second.second;
}

void expectInForce(const plan::Plan &plan, const Choice &choice) {
  const json taken = json::parse(plan.strategy);
  EXPECT_EQ(taken["recompute"], recomputeOf(choice));
  EXPECT_EQ(taken["micro_batch_order"], valueOf(choice, "order"));
  EXPECT_EQ(taken["reshard_after_forward"], valueOf(choice, "reshard") == "on");
  EXPECT_EQ(taken["overlap"], valueOf(choice, "overlap") == "on");
  EXPECT_EQ(taken["prefetch"]["nc"], std::stoll(valueOf(choice, "prefetch")));
  const std::string collectives = valueOf(choice, "collectives");
  EXPECT_EQ(countTraining(plan, ofOpcode(plan::Opcode::Broadcast)) > 0,
            collectives == "broadcast" || valueOf(choice, "strategy") == "zero-3-offload");
  EXPECT_EQ(taken["reduce"], collectives == "all-reduce" ? "all" : "scatter");
  EXPECT_EQ(json::parse(plan.numerics)["attention_blocking"].is_null(), valueOf(choice, "tiles") != "blocks");
  const std::string recompute = valueOf(choice, "recompute");
  // Attention is one operation, so that selective recomputation keeps as much as "none" does.
  const bool repeats = recompute != "none" && recompute != "selective",
             isTiled = valueOf(choice, "tiles") == "tiled";
  const int64_t repeated = countTraining(
      plan, [&](const plan::Instruction &instruction) { return repeatsForward(plan, instruction); });
  if (repeats)
    EXPECT_GT(repeated, 0);
  else if (!isTiled) // tiles recompute wide activations
    EXPECT_EQ(repeated, 0);
  if (repeats) {
    const std::map<std::string, std::vector<Tier>> onTheWay = {
        {"device", {Tier::Device}},
        {"host", {Tier::Device, Tier::Host}},
        {"nvme", {Tier::Device, Tier::Host, Tier::Nvme}}};
    EXPECT_EQ(tiersOf(plan, BufferClass::Checkpoint), onTheWay.at(valueOf(choice, "checkpoint")));
  }
  EXPECT_EQ(std::ranges::any_of(plan.programs[0].states,
                                [](const plan::State &state) { return !state.slice.whole.empty(); }),
            isTiled);
}

class Pairwise : public ::testing::TestWithParam<Choice> {};

TEST_P(Pairwise, doesAsDecidedAndChangesNoBit) {
  std::unique_ptr<Compiled> compiled = compileChoice(GetParam());
  ASSERT_TRUE(compiled);
  expectInForce(compiled->plan, GetParam());
  const Outcome outcome = expectOnlyPlannedBytes(*compiled);
  expectSameBits(plainOutcome(GetParam(), compiled->plan.numerics), outcome);
}

INSTANTIATE_TEST_SUITE_P(All, Pairwise, ::testing::ValuesIn(coveringChoices()),
                         [](const auto &info) { return nameOf(info.param); });

TEST(PairwiseChoices, coverEveryPair) {
  std::set<Pair> missing = everyPair();
  for (const Choice &choice : coveringChoices())
    for (const Pair &pair : pairsOf(choice))
      missing.erase(pair);
  EXPECT_TRUE(missing.empty());
}

} // namespace
