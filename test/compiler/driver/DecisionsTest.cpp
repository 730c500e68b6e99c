// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decisions do not change results: plans of one numerics record give equal bits under all decisions. Each
// case first checks, from the plan alone, that its decision is in force and has changed the plan.
#include "runtime/plan/Enums.h"
#include "runtime/plan/Layout.h"
#include "test/compiler/driver/StepUsers.h"
#include "test/support/EndToEnd.h"
#include "test/support/Repeats.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace windlass;
using namespace windlass::test;
using plan::BufferClass;
using plan::Opcode;
using plan::Tier;

namespace {

/// The tiers on which the homes of a class rest. For activation checkpoints: all tiers that they visit.
std::vector<Tier> homesOf(const plan::Plan &plan, BufferClass cls) {
  std::set<Tier> tiers;
  for (const plan::Buffer &buffer : plan.programs[0].buffers)
    if (buffer.cls == cls && (buffer.persistent || cls == BufferClass::Checkpoint))
      tiers.insert(buffer.tier);
  return {tiers.begin(), tiers.end()};
}

int64_t countRepeats(const plan::Plan &plan) {
  return countTraining(
      plan, [&](const plan::Instruction &instruction) { return repeatsForward(plan, instruction); });
}

/// The largest number of fetches of a kind that are open at once. A fetch is open until an instruction uses
/// the buffers that it wrote.
size_t mostAhead(const plan::Plan &plan, Opcode fetch) {
  size_t most = 0;
  for (const plan::Section &section : plan.programs[0].sections) {
    std::vector<std::set<uint32_t>> open; // buffers of each fetch that is not used yet
    for (const plan::Instruction &instruction : section.instructions) {
      std::set<uint32_t> written;
      for (size_t i = 0; i < instruction.operands.size(); ++i) {
        const uint32_t buffer = instruction.operands[i].buffer;
        if (instruction.op == fetch && plan::writes(accessOf(plan, instruction, i)))
          written.insert(buffer);
        else
          std::erase_if(open, [&](const std::set<uint32_t> &buffers) { return buffers.contains(buffer); });
      }
      if (!written.empty())
        open.push_back(written);
      most = std::max(most, open.size());
    }
  }
  return most;
}

/// The number of fetches of a kind that do not wait for the launch before their first user.
int64_t countIssuedAhead(const plan::Plan &plan, Opcode fetch) {
  StepUsers step(plan);
  int64_t count = 0;
  for (uint32_t event = 0; event < step.events().size(); ++event) {
    std::optional<uint32_t> user = step.firstUser(event);
    if (step.events()[event].get().op != fetch || !user)
      continue;
    std::optional<uint32_t> before = step.launchBefore(*user);
    count += !before || !step.isOrdered(*before, event);
  }
  return count;
}

/// A decision, and a check of the plan with it against the plan of the base.
struct Decision {
  std::string name;
  json patch;
  std::function<void(const plan::Plan &base, const plan::Plan &decided)> expectInForce;
};

/// Parameters are not sharded: whole parameters rest on a tier, and come to the device where launches read
/// them. Gradients are reduced as soon as they exist, so that stages 1 and 2 hold the same bytes
/// (docs/analysis.md).
Decision stage(int64_t stage, Tier parameters) {
  return {"zero_stage_" + std::to_string(stage) + "_parameters_" + std::string(plan::textOf(parameters)),
          {{"zero_stage", stage}, {"placement", {{"param", plan::textOf(parameters)}}}},
          [stage, parameters](const plan::Plan &base, const plan::Plan &decided) {
            EXPECT_EQ(homesOf(decided, BufferClass::Parameter), std::vector<Tier>{parameters});
            for (const plan::State &state : decided.programs[0].states)
              EXPECT_EQ(state.sharded, state.cls == plan::StateClass::Parameter ? stage == 3 : stage >= 1)
                  << state.name;
            EXPECT_LT(countTraining(decided, ofOpcode(Opcode::AllGather)),
                      countTraining(base, ofOpcode(Opcode::AllGather)));
          }};
}

/// The second layer's parameters stay on every rank from the forward to the backward pass.
Decision keptGathered() {
  return {"kept_gathered",
          {{"reshard_after_forward", {{"h.1.decay.0", false}, {"h.1.no_decay.0", false}}}},
          [](const plan::Plan &base, const plan::Plan &decided) {
            auto ofLayer = [](const std::string &layer) {
              return [layer](const plan::Instruction &instruction) {
                return instruction.op == Opcode::AllGather && instruction.origin.function == layer;
              };
            };
            EXPECT_EQ(countTraining(decided, ofLayer("h.0")), countTraining(base, ofLayer("h.0")));
            EXPECT_LT(countTraining(decided, ofLayer("h.1")), countTraining(base, ofLayer("h.1")));
          }};
}

/// Equal layers have unequal stages, so that whole parameters of one lie beside shards of the other.
Decision mixedStages() {
  return {"mixed_stages",
          {{"zero_stage", {{"*", 3}, {"h.0.decay.0", 2}, {"h.1.decay.0", 1}, {"h.1.no_decay.0", 0}}},
           {"placement", {{"param", {{"*", "nvme"}, {"h.0.decay.0", "device"}}}}}},
          [](const plan::Plan &, const plan::Plan &decided) {
            std::set<std::string> whole;
            for (const plan::State &state : decided.programs[0].states)
              if (!state.sharded)
                whole.insert(decided.programs[0].buffers[state.home.buffer].name);
            std::set<std::string> expected;
            for (const std::string &name : whole)
              if (name.starts_with("h.1.no_decay.0.") || name.starts_with("h.0.decay.0.parameter") ||
                  name.starts_with("h.1.decay.0.parameter"))
                expected.insert(name);
            EXPECT_EQ(whole, expected);
            for (const char *bucket : {"h.0.decay.0.parameter", "h.1.decay.0.parameter",
                                       "h.1.no_decay.0.parameter", "h.1.no_decay.0.momentum"})
              EXPECT_TRUE(std::ranges::any_of(whole, [&](const std::string &name) {
                return name.starts_with(bucket);
              })) << bucket;
          }};
}

const std::map<std::string, std::vector<BufferClass>> kPlacedClasses = {
    {"param", {BufferClass::Parameter}},
    {"grad", {BufferClass::Gradient}},
    {"master", {BufferClass::Master}},
    {"moments", {BufferClass::Momentum, BufferClass::Variance}}};

Decision placement(const std::string &cls, Tier tier) {
  std::string name = "placement_" + cls + "_" + std::string(plan::textOf(tier));
  json patch = {{"placement", {{cls, plan::textOf(tier)}}}};
  return {name, patch, [cls, tier](const plan::Plan &, const plan::Plan &decided) {
            for (BufferClass buffers : kPlacedClasses.at(cls))
              EXPECT_EQ(homesOf(decided, buffers), std::vector<Tier>{tier}) << plan::textOf(buffers);
          }};
}

Decision checkpoints(Tier tier) {
  json patch = {{"recompute", "full"}, {"placement", {{"checkpoint", plan::textOf(tier)}}}};
  return {"checkpoints_" + std::string(plan::textOf(tier)), patch,
          [tier](const plan::Plan &base, const plan::Plan &decided) {
            EXPECT_EQ(countRepeats(base), 0);
            EXPECT_GT(countRepeats(decided), 0);
            std::vector<Tier> visited = homesOf(decided, BufferClass::Checkpoint);
            ASSERT_FALSE(visited.empty());
            EXPECT_EQ(visited.back(), tier);
          }};
}

/// Credits are an upper bound: the planner may find that fewer are enough.
Decision prefetch(int64_t credits) {
  return {"prefetch_" + std::to_string(credits),
          {{"prefetch", {{"nc", credits}, {"cg", credits}, {"gg", credits}}}},
          [credits](const plan::Plan &, const plan::Plan &decided) {
            EXPECT_LE(mostAhead(decided, Opcode::AllGather), static_cast<size_t>(credits));
            EXPECT_EQ(mostAhead(decided, Opcode::AllGather) > 1, credits > 1);
            // A chunk of the update is read from NVMe as a whole: a master or a parameter, and two moments.
            EXPECT_LE(mostAhead(decided, Opcode::Read), static_cast<size_t>(3 * credits));
            EXPECT_EQ(mostAhead(decided, Opcode::Read) > 3, credits > 1);
          }};
}

Decision noOverlap() {
  return {"no_overlap", {{"overlap", false}}, [](const plan::Plan &base, const plan::Plan &decided) {
            EXPECT_GT(mostAhead(base, Opcode::AllGather), 1u);
            EXPECT_EQ(mostAhead(decided, Opcode::AllGather), 1u);
            for (Opcode fetch : {Opcode::AllGather, Opcode::Upload, Opcode::Read})
              EXPECT_LT(countIssuedAhead(decided, fetch), countIssuedAhead(base, fetch))
                  << plan::textOf(fetch);
          }};
}

/// The buckets are larger than those of the base.
Decision bucket(const std::string &size) {
  return {"bucket_" + size, {{"bucket", size}}, [](const plan::Plan &base, const plan::Plan &decided) {
            EXPECT_LT(countTraining(decided, ofOpcode(Opcode::ReduceScatter)),
                      countTraining(base, ofOpcode(Opcode::ReduceScatter)));
          }};
}

/// Norms, biases and positions are whole on every rank. All other parameters are sharded.
Decision persistence() {
  return {"persistence",
          {{"persistence", 4096}, {"placement", {{"param", "device"}}}},
          [](const plan::Plan &base, const plan::Plan &decided) {
            for (const plan::State &state : decided.programs[0].states)
              EXPECT_EQ(state.sharded, state.cls != plan::StateClass::Parameter ||
                                           (state.group == "decay" && state.name != "transformer.wpe.weight"))
                  << state.name;
            EXPECT_LT(countTraining(decided, ofOpcode(Opcode::AllGather)),
                      countTraining(base, ofOpcode(Opcode::AllGather)));
          }};
}

/// Each bucket rests whole on one rank, on any tier.
Decision broadcast(Tier tier) {
  const std::string_view word = plan::textOf(tier);
  return {"broadcast_from_" + std::string(word),
          {{"gather", "broadcast"}, {"placement", {{"param", word}, {"grad", word}, {"moments", word}}}},
          [tier](const plan::Plan &base, const plan::Plan &decided) {
            EXPECT_EQ(homesOf(decided, BufferClass::Parameter), std::vector<Tier>{tier});
            EXPECT_EQ(countTraining(decided, ofOpcode(Opcode::Broadcast)),
                      countTraining(base, ofOpcode(Opcode::AllGather)) - 1); // slots of the norm
            std::set<int64_t> owners;
            for (const plan::State &state : decided.programs[0].states)
              owners.insert(decided.programs[0].buffers[state.home.buffer].owner);
            EXPECT_EQ(owners, (std::set<int64_t>{0, 1}));
          }};
}

/// Gradients are whole on every rank before each rank takes its shard.
Decision allReduce() {
  return {"all_reduce",
          {{"zero_stage", 1}, {"reduce", "all"}, {"placement", {{"param", "device"}}}},
          [](const plan::Plan &, const plan::Plan &decided) {
            auto ofGradients = [](const plan::Instruction &instruction) {
              return instruction.op == Opcode::AllGather && instruction.origin.phase == plan::Phase::Backward;
            };
            EXPECT_EQ(countTraining(decided, ofGradients),
                      countTraining(decided, ofOpcode(Opcode::ReduceScatter)));
          }};
}

/// Of the two layers, only the first keeps its input.
Decision recomputeEverySecond() {
  return {
      "recompute_every_2", {{"recompute", "every:2"}}, [](const plan::Plan &base, const plan::Plan &decided) {
        EXPECT_EQ(countRepeats(base), 0);
        EXPECT_GT(countRepeats(decided), 0);
        std::set<std::string> kept;
        for (const plan::Buffer &buffer : decided.programs[0].buffers)
          if (buffer.cls == BufferClass::Checkpoint)
            kept.insert(buffer.name);
        EXPECT_EQ(kept.size(), 1u) << "inputs kept of two layers";
      }};
}

/// The first of two layers is recomputed. The second keeps its residuals.
Decision recomputeFirst() {
  return {"recompute_layers_1",
          {{"recompute", "layers:1"}},
          [](const plan::Plan &base, const plan::Plan &decided) {
            EXPECT_EQ(countRepeats(base), 0);
            std::set<std::string> repeated;
            for (const plan::Section &section : decided.programs[0].sections)
              for (const plan::Instruction &instruction : section.instructions)
                if (repeatsForward(decided, instruction))
                  repeated.insert(instruction.origin.function);
            EXPECT_EQ(repeated, std::set<std::string>{"h.0"});
          }};
}

/// The part of a job that both sides of a comparison have in common.
struct Setting {
  std::string compute;
  bool drops = false; ///< a model with dropout

  std::string name() const { return compute + (drops ? "_dropout" : ""); }
  auto operator<=>(const Setting &) const = default;
};

struct Case {
  Setting setting;
  Decision decision;
};

void PrintTo(const Case &testCase, std::ostream *out) {
  *out << testCase.setting.name() << " " << testCase.decision.name;
}

constexpr double kOverflowsOnce = 0x1p20;

/// The job has two ranks and three micro-batches, so that its sections are first, middle and last.
Job baseJob(const Setting &setting) {
  json placed = {{"param", "nvme"}, {"grad", "host"}, {"moments", "nvme"}, {"checkpoint", "device"}};
  if (setting.compute != "fp32")
    placed["master"] = "host";
  json precision = {{"compute", setting.compute}};
  if (setting.compute == "fp16") // the scale is so high that the first of three steps is skipped
    precision["initial_loss_scale"] = kOverflowsOnce;
  Job job = tinyGpt2(2, 3).with({{"precision", precision},
                                 {"zero_stage", 3},
                                 {"reshard_after_forward", {{"*", true}}},
                                 {"micro_batch_order", "horizontal"},
                                 {"bucket", "64KiB"},
                                 {"prefetch", {{"nc", 2}, {"cg", 2}, {"gg", 2}}},
                                 {"placement", placed}});
  if (setting.drops)
    job.model.update({{"embd_pdrop", 0.1}, {"attn_pdrop", 0.2}, {"resid_pdrop", 0.3}});
  return job;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string compute : {"fp32", "bf16"}) {
    std::vector<Decision> decisions = {keptGathered(), mixedStages(),          persistence(),
                                       noOverlap(),    bucket("128KiB"),       bucket("8MiB"),
                                       allReduce(),    recomputeEverySecond(), recomputeFirst()};
    for (int64_t credits : {1, 2, 3, 4})
      decisions.push_back(prefetch(credits));
    for (Tier tier : {Tier::Device, Tier::Host, Tier::Nvme}) {
      for (int64_t whole : {0, 1, 2})
        decisions.push_back(stage(whole, tier));
      for (const std::string cls : {"param", "grad", "moments"})
        decisions.push_back(placement(cls, tier));
      if (compute == "bf16")
        decisions.push_back(placement("master", tier));
      decisions.push_back(checkpoints(tier));
      decisions.push_back(broadcast(tier));
    }
    for (const Decision &decision : decisions) // a decision of the base would be compared with itself
      if (const Job base = baseJob({compute}); base.with(decision.patch).training != base.training)
        all.push_back({{compute}, decision});
    // Kernels draw the masks of dropout. These decisions change who computes a value, how often and in which
    // order.
    for (const Decision &decision :
         {stage(0, Tier::Device), checkpoints(Tier::Host), recomputeEverySecond(), noOverlap()})
      all.push_back({{compute, /*drops=*/true}, decision});
  }
  // For fp16, the decisions that move the states which a skipped step must not change.
  std::vector<Decision> halves = {persistence(),         allReduce(), stage(0, Tier::Device),
                                  broadcast(Tier::Nvme), noOverlap(), recomputeEverySecond()};
  for (Tier tier : {Tier::Device, Tier::Nvme})
    for (const std::string cls : {"grad", "master"})
      halves.push_back(placement(cls, tier));
  for (const std::string cls : {"param", "moments"})
    halves.push_back(placement(cls, Tier::Device));
  for (const Decision &decision : halves)
    all.push_back({{"fp16"}, decision});
  return all;
}

struct Base {
  std::unique_ptr<Compiled> compiled;
  Outcome outcome;
};

/// Compiles and trains the base of a setting once.
const Base &baseOf(const Setting &setting) {
  static std::map<Setting, Base> bases;
  Base &base = bases[setting];
  if (!base.compiled && (base.compiled = compileJob(baseJob(setting))))
    base.outcome = train(*base.compiled);
  return base;
}

class Decisions : public ::testing::TestWithParam<Case> {};

TEST_P(Decisions, giveTheSameBits) {
  const auto &[setting, decision] = GetParam();
  const Base &base = baseOf(setting);
  std::unique_ptr<Compiled> decided = compileJob(baseJob(setting).with(decision.patch));
  ASSERT_TRUE(base.compiled && decided);
  ASSERT_EQ(decided->plan.numerics, base.compiled->plan.numerics);
  decision.expectInForce(base.compiled->plan, decided->plan);
  EXPECT_NE(programText(base.compiled->plan), programText(decided->plan));
  expectSameBits(base.outcome, train(*decided));
  RunSettings reference;
  reference.executor.reference = true;
  expectSameBits(base.outcome, train(*decided, reference));
}

/// A commit that changes the order of a kernel's sums changes this number, so that checkpoints resume with a
/// note.
TEST(NumericsRecord, saysTheOrderOfKernels) {
  EXPECT_EQ(json::parse(baseOf({"fp32"}).compiled->plan.numerics)["kernel_order"], 2);
}

TEST(Dropout, changesTheLoss) {
  const std::vector<double> kept = baseOf({"fp32"}).outcome.losses,
                            dropped = baseOf({"fp32", true}).outcome.losses;
  ASSERT_EQ(kept.size(), dropped.size());
  for (size_t step = 0; step < kept.size(); ++step)
    EXPECT_GT(std::fabs(dropped[step] - kept[step]), 1e-4) << step;
}

TEST(LossScale, isHalvedOnceInTheRunsThatAreCompared) {
  EXPECT_EQ(baseOf({"fp16"}).outcome.skipped, (std::vector<bool>{true, false, false}));
}

/// Each further credit lets reads go further ahead: it is not only a bound. In fp32, three credits bring all
/// of the two buckets with which the update begins before the norm is known. The reads after them are issued
/// behind the norm.
TEST(Prefetch, goesFurtherWithEveryCredit) {
  const std::map<std::string, int64_t> mostCredits = {{"fp32", 3}, {"bf16", 4}};
  for (const auto &[compute, most] : mostCredits) {
    size_t before = 0;
    for (int64_t credits = 1; credits <= most; ++credits) {
      std::unique_ptr<Compiled> compiled = compileJob(baseJob({compute}).with(prefetch(credits).patch));
      ASSERT_TRUE(compiled);
      const size_t ahead = mostAhead(compiled->plan, Opcode::Read);
      EXPECT_GT(ahead, before) << compute << ", prefetch " << credits;
      before = ahead;
    }
  }
}

/// The shard of one rank is the whole unit: under every decision no collective is left, and the bits are the
/// same.
TEST(OneRank, hasNoCollectives) {
  for (const std::string compute : {"fp32", "bf16", "fp16"}) {
    auto job = [&](int64_t stage, Tier tier) {
      const std::string_view word = plan::textOf(tier);
      return tinyGpt2(1, 3).with({{"precision", {{"compute", compute}}},
                                  {"zero_stage", stage},
                                  {"bucket", "64KiB"},
                                  {"placement", {{"param", word}, {"grad", word}, {"moments", word}}}});
    };
    std::unique_ptr<Compiled> base = compileJob(job(3, Tier::Device));
    ASSERT_TRUE(base);
    const Outcome expected = train(*base);
    for (int64_t stage : {0, 3})
      for (Tier tier : {Tier::Device, Tier::Host, Tier::Nvme}) {
        SCOPED_TRACE(compute + " " + std::to_string(stage) + " " + std::string(plan::textOf(tier)));
        std::unique_ptr<Compiled> decided = compileJob(job(stage, tier));
        ASSERT_TRUE(decided);
        EXPECT_EQ(homesOf(decided->plan, BufferClass::Parameter), std::vector<Tier>{tier});
        EXPECT_EQ(countTraining(decided->plan, ofOpcode(Opcode::AllGather)), 0);
        EXPECT_EQ(countTraining(decided->plan, ofOpcode(Opcode::ReduceScatter)), 0);
        expectSameBits(expected, train(*decided));
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, Decisions, ::testing::ValuesIn(cases()), [](const auto &info) {
  return info.param.setting.name() + "_" + info.param.decision.name;
});

} // namespace
