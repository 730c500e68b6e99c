// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every named strategy is in force in its plan, and trains the same bits as any other. A plan's record of its
// decisions makes the same decisions when it is given as the strategy.
#include "test/support/EndToEnd.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace windlass;
using namespace windlass::test;
using plan::BufferClass;
using plan::Lane;
using plan::Tier;

namespace {

Job job(const std::string &compute, const std::string &strategy) {
  Job job = tinyGpt2(2, 2).with({{"precision", {{"compute", compute}}}});
  job.training.erase("zero_stage"); // else the training file would set keys where the strategy does not
  job.training.erase("recompute");
  job.strategy = strategy;
  return job;
}

/// The tiers on which the homes of a class rest.
std::vector<Tier> homesOf(const plan::Plan &plan, BufferClass cls) {
  std::set<Tier> tiers;
  for (const plan::Buffer &buffer : plan.programs[0].buffers)
    if (buffer.cls == cls && buffer.persistent)
      tiers.insert(buffer.tier);
  return {tiers.begin(), tiers.end()};
}

/// The lanes of the optimizer's kernels.
std::set<Lane> updateLanes(const plan::Plan &plan) {
  std::set<Lane> lanes;
  for (const plan::Section &section : plan.programs[0].sections)
    for (const plan::Instruction &instruction : section.instructions)
      if (instruction.op == plan::Opcode::Launch && instruction.origin.what.starts_with("update ") &&
          instruction.origin.phase == plan::Phase::Update)
        lanes.insert(instruction.lane);
  return lanes;
}

struct Named {
  std::string name;
  int64_t stage;
  Tier param, grad, update; ///< homes of parameters, gradients, masters and moments
  bool owned = false;       ///< each bucket rests on one rank
};

const Named kNamed[] = {
    {"data-parallel", 0, Tier::Device, Tier::Device, Tier::Device},
    {"zero-1", 1, Tier::Device, Tier::Device, Tier::Device},
    {"zero-2", 2, Tier::Device, Tier::Device, Tier::Device},
    {"zero-3", 3, Tier::Device, Tier::Device, Tier::Device},
    {"zero-offload", 2, Tier::Device, Tier::Host, Tier::Host},
    {"zero-3-offload", 3, Tier::Host, Tier::Host, Tier::Host, true},
    {"zero-infinity-cpu", 3, Tier::Host, Tier::Host, Tier::Host},
    {"zero-infinity-nvme", 3, Tier::Nvme, Tier::Nvme, Tier::Nvme},
};

class Strategies : public ::testing::TestWithParam<std::tuple<std::string, Named>> {};

TEST_P(Strategies, areInForceAndChangeNoBit) {
  const auto &[compute, named] = GetParam();
  std::unique_ptr<Compiled> base = compileJob(job(compute, "auto")),
                            decided = compileJob(job(compute, named.name));
  ASSERT_TRUE(base && decided);
  const plan::Plan &plan = decided->plan;
  for (const plan::State &state : plan.programs[0].states) {
    const bool held = state.cls == plan::StateClass::Parameter ? named.stage == 3 : named.stage >= 1;
    EXPECT_EQ(state.sharded, held && !named.owned) << state.name;
    EXPECT_EQ(plan.programs[0].buffers[state.home.buffer].owner != plan::kEveryRank, named.owned)
        << state.name;
  }
  EXPECT_EQ(countTraining(plan, ofOpcode(plan::Opcode::Broadcast)) > 0, named.owned);
  EXPECT_EQ(homesOf(plan, BufferClass::Parameter), std::vector{named.param});
  EXPECT_EQ(homesOf(plan, BufferClass::Gradient), std::vector{named.grad});
  EXPECT_EQ(homesOf(plan, BufferClass::Momentum), std::vector{named.update});
  EXPECT_EQ(homesOf(plan, BufferClass::Variance), std::vector{named.update});
  if (compute == "bf16")
    EXPECT_EQ(homesOf(plan, BufferClass::Master), std::vector{named.update});
  EXPECT_EQ(updateLanes(plan), std::set{named.update == Tier::Device ? Lane::Compute : Lane::HostCompute});
  ASSERT_EQ(plan.numerics, base->plan.numerics);
  expectSameBits(train(*base), train(*decided));
}

INSTANTIATE_TEST_SUITE_P(Named, Strategies,
                         ::testing::Combine(::testing::Values("fp32", "bf16"), ::testing::ValuesIn(kNamed)),
                         [](const auto &info) {
                           std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param).name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

int64_t launchesOf(const plan::Plan &plan, const std::string &what) {
  return countTraining(plan, [&](const plan::Instruction &instruction) {
    return instruction.op == plan::Opcode::Launch && instruction.origin.what == what;
  });
}

/// The owner of sixteen pieces makes their norm slots in one launch, on any tier, and the sums are those of
/// ranks that make one slot each.
TEST(Owners, ofManyPiecesMakeTheirSlotsAtOnce) {
  const Job pieces = tinyGpt2(16, 1).with({{"zero_stage", 3}, {"persistence", 0}});
  std::unique_ptr<Compiled> base = compileJob(pieces);
  ASSERT_TRUE(base);
  const int64_t units = launchesOf(base->plan, "norm slot");
  EXPECT_GT(units, 1);
  const Outcome losses = train(*base);
  auto withOwners = [&](const std::string &tier, const json &stages) {
    return compileJob(pieces.with({{"gather", "broadcast"},
                                   {"zero_stage", stages},
                                   {"placement", {{"param", tier}, {"grad", tier}, {"moments", tier}}}}));
  };
  for (const std::string tier : {"device", "host", "nvme"}) {
    std::unique_ptr<Compiled> owned = withOwners(tier, 3);
    ASSERT_TRUE(owned) << tier;
    EXPECT_EQ(launchesOf(owned->plan, "norm slot"), units + 1) << tier; // and one that puts slots into rows
    expectSameBits(losses, train(*owned));
  }
  // Every rank makes its own slot of a bucket that rests in pieces. In this mix, owners make the slots of
  // their buckets one by one.
  std::unique_ptr<Compiled> mixed = withOwners("host", {{"*", 3}, {"h.0.decay.0", 1}});
  ASSERT_TRUE(mixed);
  EXPECT_GT(launchesOf(mixed->plan, "norm slot"), units + 1);
  expectSameBits(losses, train(*mixed));
}

/// In one step, the host updates the states of a class that rest on the host, and the device those on the
/// device. An update runs where masters rest; in fp32, where parameters rest.
TEST(Updates, areSharedByHostAndDevice) {
  for (const std::string compute : {"fp32", "bf16"}) {
    const std::string updated = compute == "fp32" ? "param" : "master";
    json placed = {{"param", "device"}, {"grad", "device"}, {"moments", "device"}, {updated, "device"}};
    const Job base = job(compute, "").with({{"zero_stage", 3}, {"placement", placed}});
    placed[updated] = placed["moments"] = {{"*", "device"}, {"h.1.decay.0", "host"}};
    std::unique_ptr<Compiled> device = compileJob(base),
                              both = compileJob(base.with({{"placement", placed}}));
    ASSERT_TRUE(device && both);
    EXPECT_EQ(homesOf(both->plan, BufferClass::Momentum), (std::vector{Tier::Device, Tier::Host}));
    for (const plan::Buffer &buffer : both->plan.programs[0].buffers) {
      const bool isHost = buffer.tier == Tier::Host, isNamed = buffer.name.starts_with("h.1.decay.0.");
      EXPECT_TRUE(!buffer.persistent || buffer.cls != BufferClass::Momentum || isHost == isNamed)
          << buffer.name;
    }
    auto updatesOn = [](const plan::Plan &plan, plan::Lane lane) {
      return countTraining(plan, [&](const plan::Instruction &instruction) {
        return instruction.op == plan::Opcode::Launch && instruction.lane == lane &&
               instruction.origin.phase == plan::Phase::Update &&
               std::ranges::any_of(instruction.operands, [&](const plan::Operand &operand) {
                 return plan.programs[0].buffers[operand.buffer].cls == BufferClass::Momentum;
               });
      });
    };
    EXPECT_EQ(updatesOn(device->plan, plan::Lane::HostCompute), 0);
    EXPECT_GT(updatesOn(both->plan, plan::Lane::HostCompute), 0);
    EXPECT_GT(updatesOn(both->plan, plan::Lane::Compute), 0);
    EXPECT_EQ(updatesOn(both->plan, plan::Lane::Compute) + updatesOn(both->plan, plan::Lane::HostCompute),
              updatesOn(device->plan, plan::Lane::Compute));
    EXPECT_LT(updatesOn(both->plan, plan::Lane::HostCompute), updatesOn(both->plan, plan::Lane::Compute));
    ASSERT_EQ(both->plan.numerics, device->plan.numerics);
    expectSameBits(train(*device), train(*both));
  }
}

/// The machine is so small that homes are mixed.
TEST(StrategyRecord, givenBackDecidesTheSame) {
  Job small = job("fp32", "auto");
  small.hardware["device"]["capacity"] = "1100KiB";
  small.hardware["host"]["capacity"] = "600KiB";
  std::unique_ptr<Compiled> first = compileJob(small);
  ASSERT_TRUE(first);
  EXPECT_GT(homesOf(first->plan, BufferClass::Parameter).size() +
                homesOf(first->plan, BufferClass::Momentum).size() +
                homesOf(first->plan, BufferClass::Gradient).size(),
            3u)
      << "homes are not mixed";
  small.strategy = first->folder.write("strategy.json", first->plan.strategy);
  std::unique_ptr<Compiled> again = compileJob(small);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->plan.strategy, first->plan.strategy);
  expectSameBits(train(*first), train(*again));
}

/// The record also keeps stages by bucket.
TEST(StrategyRecord, ofMixedStagesDecidesTheSame) {
  Job mixed = job("bf16", "")
                  .with({{"zero_stage", {{"*", 3}, {"h.0.decay.0", 1}}}, {"placement", {{"grad", "host"}}}});
  std::unique_ptr<Compiled> first = compileJob(mixed), plain = compileJob(job("bf16", "zero-2"));
  ASSERT_TRUE(first && plain);
  EXPECT_EQ(json::parse(first->plan.strategy)["zero_stage"], (json{{"*", 3}, {"h.0.decay.0", 1}}));
  mixed.strategy = first->folder.write("strategy.json", first->plan.strategy);
  std::unique_ptr<Compiled> again = compileJob(mixed);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->plan.strategy, first->plan.strategy);
  EXPECT_EQ(programText(again->plan), programText(first->plan));
  expectSameBits(train(*plain), train(*again));
}

TEST(StrategyRecord, anotherModelsBucketIsRefused) {
  Job other = job("fp32", "");
  TemporaryFolder folder;
  other.strategy = folder.write(
      "s.json", R"({"format": "windlass.strategy/1", "placement": {"param": {"h.9.decay.0": "host"}}})");
  Result<plan::Plan> plan = tryCompile(other, folder);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.status().code(), ExitCode::BadInput);
  EXPECT_NE(plan.status().message().find("placement.param: no \"h.9.decay.0\" in this model"),
            std::string::npos)
      << plan.status().message();
  other.strategy = folder.write(
      "s.json", R"({"format": "windlass.strategy/1", "zero_stage": {"*": 3, "h.9.decay.0": 2}})");
  plan = tryCompile(other, folder);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.status().code(), ExitCode::BadInput);
  const std::string stages = plan.status().message();
  other.strategy = folder.write(
      "s.json",
      R"({"format": "windlass.strategy/1", "zero_stage": 3, "reshard_after_forward": {"h.9.decay.0": false}})");
  plan = tryCompile(other, folder);
  ASSERT_FALSE(plan);
  EXPECT_NE(
      plan.status().message().find("reshard_after_forward: no \"h.9.decay.0\" in this model, did you mean"),
      std::string::npos)
      << plan.status().message();
  EXPECT_NE(stages.find("zero_stage: no \"h.9.decay.0\" in this model, did you mean"), std::string::npos)
      << stages;
}

} // namespace
