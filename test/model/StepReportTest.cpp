// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/StepReport.h"
#include "test/support/PipelinePlan.h"
#include "test/support/Sections.h"

#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::model;
using plan::Lane;
using plan::Opcode;
using plan::Tier;

namespace {

/// Two ranks. Every rate is 100 per second, and links have a latency of a second.
Machine slowMachine() {
  Machine machine;
  machine.ranksPerNode = 2;
  machine.deviceCapacity = 1 << 20;
  machine.hostCapacity = 4 << 20;
  machine.rates.fill({100, false});
  machine.rates[static_cast<size_t>(RateId::HostLink)] = {}; // transfers do not share host memory
  machine.cgLatency = machine.ggLatency = 1;
  return machine;
}

plan::Instruction instruction(Opcode op, Lane lane, int64_t bytes) {
  plan::Instruction made;
  made.op = op;
  made.lane = lane;
  made.bytesMoved = bytes;
  return made;
}

plan::Instruction product(plan::Phase phase) {
  plan::Instruction made = instruction(Opcode::Launch, Lane::Compute, 0);
  made.kernel = 0;
  made.end = 10;
  made.origin.phase = phase;
  return made;
}

/// One product in each direction and one recomputed product, of 1000 FLOP each; an upload and a gather of 100
/// bytes.
plan::Plan smallPlan() {
  plan::Plan plan;
  plan.mesh = {{"dp", 2}};
  plan.programs[0].ranks = 2;
  plan.programs[0].arenas = {{Tier::Device, 2 << 20, 1 << 19}, {Tier::Host, 1 << 20, 1 << 20}};
  plan.training.globalBatch = 8;
  plan.inputs = {{"tokens", plan::ElementType::I32, {4, 5}}};
  plan.kernels.resize(1);
  plan.kernels[0].kind = plan::KernelKind::Matmul;
  plan.kernels[0].flops = 1000;
  plan.kernels[0].bytes = 500;
  plan.kernels[0].extent = 10;
  plan.programs[0].sections = {
      {"only",
       1,
       {product(plan::Phase::Forward), product(plan::Phase::Recompute), product(plan::Phase::Backward),
        instruction(Opcode::Upload, Lane::CgIn, 100), instruction(Opcode::AllGather, Lane::Gg, 100)}}};
  test::setSchedules(plan);
  return plan;
}

StepReport reported(const plan::Plan &plan, const Machine &machine) {
  Result<Simulation> simulation = simulateStep(plan, machine);
  EXPECT_TRUE(simulation.isOk()) << simulation.status().message();
  return simulation ? reportStep(plan, machine, *simulation) : StepReport();
}

/// Stages share the host of their node by what they need.
TEST(StepReport, aStageMayTakeWhatTheOthersOfItsNodeLeave) {
  plan::Plan plan = test::makePipelinePlan({.stages = 2, .microBatches = 4, .dataRanks = 1});
  const Machine machine = slowMachine(); // 4 MiB for two ranks
  for (int64_t mebibytes : {3, 4}) {
    for (auto [stage, bytes] : {std::pair(0, mebibytes << 20), std::pair(1, int64_t(1) << 20)}) {
      std::erase_if(plan.programs[stage].arenas,
                    [](const plan::Arena &arena) { return arena.tier == Tier::Host; });
      plan.programs[stage].arenas.push_back({Tier::Host, bytes, bytes});
    }
    Result<Simulation> simulation = simulateStep(plan, machine);
    ASSERT_TRUE(simulation) << simulation.status().message();
    EXPECT_EQ(reportStep(plan, machine, *simulation).fits(), mebibytes == 3) << mebibytes;
  }
}

} // namespace

TEST(StepReport, ProductsAreHeldAgainstThePeakOfAllRanks) {
  const StepReport report = reported(smallPlan(), slowMachine());
  EXPECT_DOUBLE_EQ(report.prediction.stepSeconds, 30);
  EXPECT_DOUBLE_EQ(report.flops.model, 4000); // of two ranks, without recomputation
  EXPECT_DOUBLE_EQ(report.flops.computed, 6000);
  EXPECT_DOUBLE_EQ(report.flops.modelShare, 20.0 / 30);
  EXPECT_DOUBLE_EQ(report.flops.computedShare, 1);
  EXPECT_DOUBLE_EQ(report.examplesPerSecond, 8.0 / 30);
  EXPECT_DOUBLE_EQ(report.tokensPerSecond, 8.0 * 5 / 30);
}

/// A product of two tensor-parallel ranks, which reads one buffer and writes another.
plan::Instruction productOf(uint32_t from, uint32_t to) {
  plan::Instruction made = product(plan::Phase::Forward);
  made.operands = {{from, 0, 8, {}}, {to, 0, 8, {}}};
  return made;
}

/// Buffer 0 is whole on both ranks, and 1 is a part of a state.
TEST(StepReport, ProductsThatTensorRanksComputeAlikeCountOnceForTheModel) {
  plan::Plan plan = smallPlan();
  plan.mesh = {{"dp", 1}, {"tp", 2, plan::AxisKind::Tensor}};
  plan.kernels[0].args = {plan::Access::Read, plan::Access::Write};
  plan::Program &program = plan.programs[0];
  program.buffers.assign(5, {});
  program.states.assign(1, {});
  program.states[0].home = {1, 0, 8, {}};
  program.states[0].split = {.whole = {4}, .axis = 1, .period = 4, .width = 2};
  plan::Instruction gather = instruction(Opcode::AllGather, Lane::Gg, 4);
  gather.operands = {{3, 0, 8, {}}, {4, 0, 8, {}}};
  gather.axes = {1};
  plan::Instruction own = productOf(0, 2); // of the rank's own place in the whole
  own.operands[0].bytes = 4;
  own.operands[0].stride = {0, 4};
  using Step = std::vector<plan::Instruction>;
  for (const auto &[step, model] : {std::pair(Step{productOf(0, 2)}, 1000.0),
                                    {Step{own}, 2000.0},
                                    {Step{productOf(1, 3)}, 2000.0},
                                    {Step{productOf(1, 3), productOf(3, 2)}, 4000.0},
                                    {Step{productOf(1, 3), gather, productOf(4, 2)}, 3000.0}}) {
    program.sections = {{"only", 1, step}};
    test::setSchedules(plan);
    const StepReport report = reported(plan, slowMachine());
    EXPECT_DOUBLE_EQ(report.flops.model, model);
    EXPECT_DOUBLE_EQ(report.flops.modelShare / report.flops.computedShare, model / report.flops.computed);
  }
}

TEST(StepReport, LinksCarryBytesAtTheirRateWithoutLatency) {
  const StepReport report = reported(smallPlan(), slowMachine());
  ASSERT_EQ(report.links.size(), 2u);
  EXPECT_EQ(report.links[0].rate, RateId::CgIn);
  EXPECT_DOUBLE_EQ(report.links[0].seconds, 1);
  EXPECT_EQ(report.links[1].rate, RateId::Gg);
  EXPECT_DOUBLE_EQ(report.links[1].seconds, 0.5); // the other rank's half
  ASSERT_EQ(report.lanes.size(), 3u);
  EXPECT_EQ(report.lanes[0].lane, Lane::Compute);
  EXPECT_EQ(report.lanes[0].instructions, 3);
  EXPECT_DOUBLE_EQ(report.lanes[0].bytes, 1500);
  EXPECT_DOUBLE_EQ(report.lanes[2].busy, 2); // an upload, with its latency
  EXPECT_DOUBLE_EQ(report.transferSeconds, 3.5);
  EXPECT_DOUBLE_EQ(report.exposedSeconds, 0); // all of it overlaps with products
}

TEST(StepReport, TheDiskIsBusyWithRequests) {
  plan::Plan plan = smallPlan();
  plan.programs[0].sections[0].instructions.push_back(instruction(Opcode::Read, Lane::NcIn, 100));
  Machine machine = slowMachine();
  machine.nvmeCapacity = 1 << 20;
  machine.nvmeLatency = 5;
  const auto seconds = [&] {
    const StepReport report = reported(plan, machine);
    const auto link = std::ranges::find(report.links, RateId::NvmeRead, &LinkUse::rate);
    return link == report.links.end() ? 0 : link->seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(), 2); // both ranks' bytes
  machine.nvmeRequestTime = 3;
  EXPECT_DOUBLE_EQ(seconds(), 2 + 2 * 3);
}

TEST(StepReport, TiersSayWhatTheyAreShortOf) {
  StepReport report = reported(smallPlan(), slowMachine());
  ASSERT_EQ(report.tiers.size(), 2u);
  EXPECT_EQ(report.tiers[0].shortBy(), 1 << 20);
  EXPECT_EQ(report.tiers[0].mostLive, 1 << 19);
  EXPECT_EQ(report.tiers[1].capacity, 2 << 20); // its half of the node's
  EXPECT_EQ(report.tiers[1].shortBy(), 0);
  EXPECT_FALSE(report.fits());
}

TEST(StepReport, RanksAndTiersMustBeThere) {
  plan::Plan plan = smallPlan();
  Machine machine = slowMachine();
  EXPECT_TRUE(checkSuits(plan, machine).isOk());
  plan.programs[0].arenas.push_back({Tier::Nvme, 4096, 4096});
  EXPECT_EQ(checkSuits(plan, machine).message(),
            "the plan keeps 4.00 KiB of each rank on nvme, which the machine does not have");
  machine.ranksPerNode = 4;
  EXPECT_EQ(checkSuits(plan, machine).message(),
            "the plan is for 2 ranks, the machine has 4: a plan of other ranks is compiled anew");
}

TEST(StepReport, KernelsOfADeviceDoNotRunOnCores) {
  plan::Plan plan = smallPlan();
  plan.backend = "cuda";
  Machine machine = slowMachine();
  EXPECT_TRUE(checkSuits(plan, machine).isOk());
  machine.sharedCores = 8;
  EXPECT_EQ(checkSuits(plan, machine).message(),
            "shared_cores: its kernels run on the host's cores, but those of the backend 'cuda' do not");
}
