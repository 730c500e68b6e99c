// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Simulator.h"
#include "model/NodeTraffic.h"
#include "test/support/PipelinePlan.h"
#include "test/support/Sections.h"

#include <gtest/gtest.h>
#include <map>

using namespace windlass;
using namespace windlass::model;
using plan::Instruction;
using plan::Lane;
using plan::Opcode;

namespace {

/// One second per 100 bytes on every link and in every kernel, and no latencies.
Machine slowMachine() {
  Machine machine;
  machine.rates.fill({100, false});
  machine.rates[static_cast<size_t>(RateId::NvmeBoth)] = {}; // its directions do not share a rate
  machine.rates[static_cast<size_t>(RateId::HostLink)] = {}; // transfers do not share host memory
  return machine;
}

plan::Plan emptyPlan(int64_t microBatches = 1) {
  plan::Plan plan;
  plan.training.microBatches = microBatches;
  plan.kernels.resize(1);
  plan.kernels[0].bytes = 100; // one second
  plan.kernels[0].extent = 10;
  return plan;
}

Instruction launch(std::vector<plan::Wait> waits = {}, int64_t part = 10) {
  Instruction instruction;
  instruction.op = Opcode::Launch;
  instruction.lane = Lane::Compute;
  instruction.kernel = 0;
  instruction.end = part;
  instruction.waits = std::move(waits);
  return instruction;
}

Instruction transfer(Opcode op, Lane lane, int64_t bytes, std::vector<plan::Wait> waits = {}) {
  Instruction instruction;
  instruction.op = op;
  instruction.lane = lane;
  instruction.bytesMoved = bytes;
  instruction.waits = std::move(waits);
  return instruction;
}

Simulation simulated(plan::Plan plan, const Machine &machine, Links links = Links::Machine) {
  test::setSchedules(plan);
  Result<Simulation> simulation = simulateStep(plan, machine, links);
  EXPECT_TRUE(simulation.isOk()) << simulation.status().message();
  return simulation ? simulation.take() : Simulation();
}

} // namespace

TEST(Simulator, LanesRunBesideEachOtherAndWaitAsToldTo) {
  plan::Plan plan = emptyPlan();
  plan.programs[0].sections = {
      {"only",
       1,
       {transfer(Opcode::Upload, Lane::CgIn, 50), transfer(Opcode::Upload, Lane::CgIn, 100),
        launch({{Lane::CgIn, 1, {}}}), launch({{Lane::CgIn, 2, {}}}, 5)}}};
  Simulation simulation = simulated(plan, slowMachine());
  EXPECT_DOUBLE_EQ(simulation.events[1].start, 0.5);
  EXPECT_DOUBLE_EQ(simulation.events[2].start, 0.5);
  EXPECT_DOUBLE_EQ(simulation.events[3].start, 1.5);
  EXPECT_DOUBLE_EQ(simulation.stepSeconds, 2);
  EXPECT_DOUBLE_EQ(simulation.hiddenShare, 1.0 / 1.5);
  EXPECT_DOUBLE_EQ(simulation.exposedSeconds, 0.5);
  EXPECT_DOUBLE_EQ(simulation.boundSeconds, 1.5);
}

TEST(Simulator, CopiesAndKernelsOnTheSameCoresSlowEachOtherDown) {
  plan::Plan plan = emptyPlan();
  plan.programs[0].sections = {{"only", 1, {transfer(Opcode::Upload, Lane::CgIn, 50), launch()}}};
  Machine machine = slowMachine();
  EXPECT_DOUBLE_EQ(simulated(plan, machine).stepSeconds, 1);
  machine.sharedCores = 1;
  Simulation simulation = simulated(plan, machine);
  EXPECT_DOUBLE_EQ(simulation.events[0].end, 1); // half speed while both run
  EXPECT_DOUBLE_EQ(simulation.stepSeconds, 1.5);
  EXPECT_DOUBLE_EQ(simulation.boundSeconds, 1.5);
  EXPECT_DOUBLE_EQ(simulated(plan, machine, Links::Paced).stepSeconds,
                   1); // paced: links leave the cores alone
  machine.sharedCores = 2;
  EXPECT_DOUBLE_EQ(simulated(plan, machine).stepSeconds, 1);
}

TEST(Simulator, CopiesThroughTheSameHostMemorySlowEachOtherDown) {
  plan::Plan plan = emptyPlan();
  plan.programs[0].sections = {
      {"only",
       1,
       {transfer(Opcode::Upload, Lane::CgIn, 50), transfer(Opcode::Offload, Lane::CgOut, 100), launch()}}};
  Machine machine = slowMachine();
  EXPECT_DOUBLE_EQ(simulated(plan, machine).stepSeconds, 1);
  machine.rates[static_cast<size_t>(RateId::HostLink)] = {100, false};
  const Simulation simulation = simulated(plan, machine);
  EXPECT_DOUBLE_EQ(simulation.events[0].end, 1);   // half of the memory's rate while both copy
  EXPECT_DOUBLE_EQ(simulation.events[1].end, 1.5); // 50 bytes in the first second, then at full rate
  EXPECT_DOUBLE_EQ(simulation.events[2].end, 1);   // the device has its own memory
  EXPECT_DOUBLE_EQ(simulation.boundSeconds, 1.5);
  EXPECT_EQ(simulation.boundBy, "links.host");
}

/// A disk of 1000 bytes per second behind a host's memory of 100, which two ranks share: 50 for each.
TEST(Simulator, TheDiskIsNoFasterThanTheHostsMemory) {
  plan::Plan plan = emptyPlan();
  plan.programs[0].sections = {
      {"only",
       1,
       {transfer(Opcode::Read, Lane::NcIn, 50), transfer(Opcode::Read, Lane::NcIn, 50),
        transfer(Opcode::Write, Lane::NcOut, 100)}}};
  Machine machine = slowMachine();
  machine.ranksPerNode = 2;
  for (RateId direction : {RateId::NvmeRead, RateId::NvmeWrite})
    machine.rates[static_cast<size_t>(direction)] = {1000, false};
  EXPECT_DOUBLE_EQ(simulated(plan, machine).stepSeconds, 0.2); // half of the disk for each rank
  machine.rates[static_cast<size_t>(RateId::HostLink)] = {100, false};
  const Simulation both = simulated(plan, machine);
  EXPECT_DOUBLE_EQ(both.stepSeconds, 4); // 200 bytes at 50, in both directions together
  EXPECT_DOUBLE_EQ(both.boundSeconds, 4);
  EXPECT_EQ(both.boundBy, "links.host");
  plan.programs[0].sections[0].instructions.pop_back();
  const Simulation reads = simulated(plan, machine);
  EXPECT_DOUBLE_EQ(reads.events[0].end, 1);
  EXPECT_DOUBLE_EQ(reads.stepSeconds, 2);
  EXPECT_EQ(reads.boundBy, "links.host");
  machine.rates[static_cast<size_t>(RateId::HostLink)] = {2000, false}; // faster than the disk
  const Simulation disk = simulated(plan, machine);
  EXPECT_DOUBLE_EQ(disk.stepSeconds, 0.2);
  EXPECT_EQ(disk.boundBy, "nc_in");
  machine.rates[static_cast<size_t>(RateId::HostLink)] = {100, false};
  machine.sharedCores = 2; // whose rates have the host's memory in them
  EXPECT_DOUBLE_EQ(simulated(plan, machine).stepSeconds, 0.2);
}

TEST(Simulator, RequestsOfTheDiskTakeTheirPartOfSharedCores) {
  plan::Plan plan = emptyPlan();
  plan.programs[0].sections = {
      {"only",
       1,
       {transfer(Opcode::Read, Lane::NcIn, 50), transfer(Opcode::Read, Lane::NcIn, 50), launch()}}};
  Machine machine = slowMachine();
  machine.nvmeRequestWork = 0.25;
  EXPECT_DOUBLE_EQ(simulated(plan, machine).stepSeconds, 1); // each has its own hardware
  machine.sharedCores = 1;
  Simulation simulation = simulated(plan, machine);
  EXPECT_DOUBLE_EQ(simulation.events[0].end, 0.5); // the disk itself is not slower
  EXPECT_DOUBLE_EQ(simulation.events[1].end, 1);
  EXPECT_DOUBLE_EQ(simulation.stepSeconds, 1.5); // half of the core for a second, then all of it
  EXPECT_DOUBLE_EQ(simulation.boundSeconds, 1.5);
  EXPECT_EQ(simulation.boundBy, "compute");
  EXPECT_DOUBLE_EQ(simulation.events[0].work, 0.25);
  EXPECT_DOUBLE_EQ(simulation.events[2].work, 1);
}

/// Requests that ask for more than half of a core slow nothing down by more: the bound counts no more either.
TEST(Simulator, NoBoundIsAboveTheStepWhateverRequestsAskFor) {
  plan::Plan plan = emptyPlan();
  plan.programs[0].sections = {
      {"only",
       1,
       {transfer(Opcode::Read, Lane::NcIn, 1), transfer(Opcode::Read, Lane::NcIn, 900),
        transfer(Opcode::Write, Lane::NcOut, 50), launch()}}};
  Machine machine = slowMachine();
  machine.sharedCores = 1;
  for (double work : {0.1, 0.25, 0.5, 1.0, 8.0}) {
    machine.nvmeRequestWork = work;
    const Simulation simulation = simulated(plan, machine);
    EXPECT_LE(simulation.boundSeconds, simulation.stepSeconds * (1 + 1e-9)) << work;
  }
}

TEST(Simulator, ALongTransferIsSeveralRequests) {
  plan::Plan plan = emptyPlan();
  plan.programs[0].sections = {{"only", 1, {transfer(Opcode::Write, Lane::NcOut, (3 << 20) - 4096)}}};
  Machine machine = slowMachine();
  machine.nvmeRequestWork = 0.5;
  machine.sharedCores = 2;
  Simulation simulation = simulated(plan, machine);
  EXPECT_DOUBLE_EQ(simulation.events[0].work, 1.5);
}

TEST(Simulator, NvmeLatenciesOverlapUpToTheDepth) {
  plan::Plan plan = emptyPlan();
  for (int i = 0; i < 4; ++i) {
    plan.programs[0].sections.resize(1);
    plan.programs[0].sections[0].instructions.push_back(transfer(Opcode::Read, Lane::NcIn, 10));
  }
  Machine machine = slowMachine();
  machine.nvmeLatency = 1;
  machine.nvmeDepth = 4;
  const Simulation four = simulated(plan, machine);
  EXPECT_DOUBLE_EQ(four.stepSeconds, 1.4);
  EXPECT_DOUBLE_EQ(four.busy[static_cast<size_t>(Lane::NcIn)], 1.4); // of all four at once
  EXPECT_NEAR(four.boundSeconds, 0.4, 1e-12);                        // for any number of requests at once
  plan.nvmeDepth = 4; // the machine's depth counts, as for latencies and rates
  machine.nvmeDepth = 1;
  const Simulation one = simulated(plan, machine);
  EXPECT_DOUBLE_EQ(one.stepSeconds, 4.4);
  EXPECT_DOUBLE_EQ(one.busy[static_cast<size_t>(Lane::NcIn)], 4.4);
  EXPECT_DOUBLE_EQ(one.boundSeconds, 4.4);
}

TEST(Simulator, ReadsAndWritesShareADiskWhoseDirectionsTakeTurns) {
  plan::Plan plan = emptyPlan();
  plan.programs[0].sections = {
      {"only", 1, {transfer(Opcode::Read, Lane::NcIn, 100), transfer(Opcode::Write, Lane::NcOut, 100)}}};
  Machine machine = slowMachine();
  EXPECT_DOUBLE_EQ(simulated(plan, machine).stepSeconds, 1);
  machine.rates[static_cast<size_t>(RateId::NvmeBoth)] = {100, true};
  const Simulation turns = simulated(plan, machine);
  EXPECT_DOUBLE_EQ(turns.stepSeconds, 2);
  EXPECT_DOUBLE_EQ(turns.boundSeconds, 2);
  EXPECT_EQ(turns.boundBy, "nvme");
  // Paced: each link has its own clock.
  EXPECT_DOUBLE_EQ(simulated(plan, machine, Links::Paced).stepSeconds, 1);
  machine.rates[static_cast<size_t>(RateId::NvmeBoth)] = {150, true};
  EXPECT_DOUBLE_EQ(simulated(plan, machine).stepSeconds, 4.0 / 3);
  plan.programs[0].sections[0].instructions.pop_back(); // a single direction keeps its rate
  EXPECT_DOUBLE_EQ(simulated(plan, machine).stepSeconds, 1);
}

TEST(Simulator, MicroBatchesPlayFirstMiddleLast) {
  plan::Plan plan = emptyPlan(4);
  for (const char *name : {"first", "middle", "last"})
    plan.programs[0].sections.push_back(
        {name, 1, {launch(), transfer(Opcode::Offload, Lane::CgOut, 100, {{Lane::Compute, 1, {}}})}});
  plan.programs[0].sections[0].instructions.push_back(launch());
  Simulation simulation = simulated(plan, slowMachine());
  ASSERT_EQ(simulation.events.size(), 9u);
  EXPECT_EQ(simulation.events[3].microBatch, 1);
  EXPECT_EQ(simulation.events[5].section, 1u);
  EXPECT_DOUBLE_EQ(simulation.stepSeconds, 6); // five launches, and the last offload
}

TEST(Simulator, AWaitOnThePreviousSectionCountsInThatSection) {
  plan::Plan plan = emptyPlan(2);
  plan::Wait wait{Lane::CgOut, 0, {{0, 1}}};
  plan.programs[0].sections = {{"first", 1, {transfer(Opcode::Offload, Lane::CgOut, 300), launch()}},
                               {"last", 1, {launch({wait})}}};
  EXPECT_DOUBLE_EQ(simulated(plan, slowMachine()).events[2].start, 3);
}

TEST(Simulator, ASectionWaitsForTheOneTwoPlacesBack) {
  plan::Plan plan = emptyPlan(3);
  plan.programs[0].sections = {{"first", 1, {transfer(Opcode::Offload, Lane::CgOut, 500)}},
                               {"middle", 1, {launch()}},
                               {"last", 1, {launch()}}};
  Simulation simulation = simulated(plan, slowMachine());
  EXPECT_DOUBLE_EQ(simulation.events[1].start, 0);
  EXPECT_DOUBLE_EQ(simulation.events[2].start, 5);
}

TEST(Simulator, OwnersUseTheirOwnLinksAndCollectivesMeet) {
  plan::Plan plan = emptyPlan();
  plan.mesh = {{"dp", 2}};
  plan.programs[0].ranks = plan.ranks();
  auto buffer = [](plan::Tier tier, int64_t owner) {
    return plan::Buffer{"b", plan::BufferClass::Staging, tier, 0, 100, false, owner};
  };
  for (int64_t owner : {0, 1})
    for (plan::Tier tier : {plan::Tier::Host, plan::Tier::Device})
      plan.programs[0].buffers.push_back(buffer(tier, owner));
  plan.programs[0].buffers.push_back(buffer(plan::Tier::Device, plan::kEveryRank));
  auto on = [](Instruction instruction, uint32_t first, uint32_t second) {
    instruction.operands = {{first, 0, 100, {}}, {second, 0, 100, {}}};
    return instruction;
  };
  plan.programs[0].sections = {
      {"only",
       1,
       {on(transfer(Opcode::Upload, Lane::CgIn, 100), 0, 1),
        on(transfer(Opcode::Upload, Lane::CgIn, 100), 2, 3),
        on(transfer(Opcode::Broadcast, Lane::Gg, 50, {{Lane::CgIn, 1, {}}}), 1, 4),
        on(transfer(Opcode::Broadcast, Lane::Gg, 50, {{Lane::CgIn, 2, {}}}), 3, 4)}}};
  Simulation owned = simulated(plan, slowMachine());
  EXPECT_DOUBLE_EQ(owned.events[2].start, 1); // both have arrived over their owners' links
  EXPECT_DOUBLE_EQ(owned.stepSeconds, 2);     // all 50 bytes of each broadcast cross a link
  EXPECT_DOUBLE_EQ(owned.busy[static_cast<size_t>(Lane::CgIn)], 1);
  for (int64_t rank : {0, 1})
    for (size_t upload : {0, 1}) { // each takes a second on its owner alone
      const auto [start, end] = timesOf(plan, owned, rank)[upload];
      EXPECT_DOUBLE_EQ(end - start, static_cast<int64_t>(upload) == rank ? 1 : 0) << rank << ", " << upload;
    }
  for (plan::Buffer &each : plan.programs[0].buffers)
    each.owner = plan::kEveryRank;
  // Each rank brings both over its link, until 2, and the second broadcast follows.
  EXPECT_DOUBLE_EQ(simulated(plan, slowMachine()).stepSeconds, 2.5);
}

/// Two nodes of two ranks: a gather inside each node has the near rate, and a gather across nodes that of the
/// links between them.
TEST(Simulator, CollectivesGoAtTheLinkThatBindsTheirGroups) {
  plan::Plan plan = emptyPlan();
  plan.mesh = {{"dp_replicate", 2}, {"dp_shard", 2}};
  plan.programs[0].ranks = plan.ranks();
  Instruction inside = transfer(Opcode::AllGather, Lane::Gg, 100), across = inside, all = inside;
  inside.axes = {1};
  across.axes = {0};
  plan.programs[0].sections = {{"only", 1, {inside, across, all}}};
  Machine machine = slowMachine();
  machine.nodes = machine.ranksPerNode = 2;
  machine.rates[static_cast<size_t>(RateId::Nodes)] = {10, false};
  Simulation simulation = simulated(plan, machine);
  EXPECT_DOUBLE_EQ(simulation.events[0].end, 0.5);
  EXPECT_DOUBLE_EQ(simulation.events[1].end, 0.5 + 5);
  // All except one of four pieces enter a node, for both of its ranks at once.
  EXPECT_DOUBLE_EQ(simulation.events[2].end, 0.5 + 5 + 3.75);
  EXPECT_EQ(simulation.boundBy, kBetweenNodes);
  machine.rates[static_cast<size_t>(RateId::Nodes)] = {1000, false};
  EXPECT_EQ(simulated(plan, machine).boundBy, "gg");
}

/// Groups of a node gather inside it. Across nodes they only sum gradients, once a step in both directions.
TEST(Simulator, GroupsOfANodeAreNamedWhereTheyBringFewerBytesIntoIt) {
  Machine machine = slowMachine();
  machine.nodes = machine.ranksPerNode = 2;
  const Instruction gather = transfer(Opcode::AllGather, Lane::Gg, 100),
                    reduce = transfer(Opcode::ReduceScatter, Lane::Gg, 100);
  auto hint = [&](std::vector<Instruction> step, int64_t microBatches = 1) {
    plan::Plan plan = emptyPlan(microBatches);
    plan.mesh = {{"dp", 4}};
    plan.programs[0].ranks = plan.ranks();
    if (microBatches == 1)
      plan.programs[0].sections = {{"only", 1, step}};
    else
      plan.programs[0].sections = {{"first", 1, step}, {"last", 1, step}};
    test::setSchedules(plan);
    return shardThatSparesNodes(plan, machine);
  };
  EXPECT_EQ(hint({gather, reduce, gather}), 2); // stage 3
  EXPECT_EQ(hint({reduce, gather}), std::nullopt);
  EXPECT_EQ(hint({reduce, gather}, 2), 2); // in every micro-batch
  machine.nodes = 1;
  machine.ranksPerNode = 4;
  EXPECT_EQ(hint({gather, reduce, gather}), std::nullopt);
  machine.nodes = 4;
  machine.ranksPerNode = 1;
  EXPECT_EQ(hint({gather, reduce, gather}), std::nullopt); // a group of one rank has no shards
}

/// Exchanges across groups have links of their own only if groups are nodes.
TEST(Simulator, LanesOfCollectivesShareTheLinksOfANode) {
  plan::Plan plan = emptyPlan();
  plan.mesh = {{"dp_replicate", 2}, {"dp_shard", 2}};
  plan.programs[0].ranks = plan.ranks();
  Instruction inside = transfer(Opcode::AllGather, Lane::Gg, 100),
              across = transfer(Opcode::ReduceScatter, Lane::Nodes, 200);
  inside.axes = {1};
  across.axes = {0};
  plan.programs[0].sections = {{"only", 1, {inside, across}}};
  Machine machine = slowMachine();
  machine.nodes = machine.ranksPerNode = 2;
  Simulation apart = simulated(plan, machine);
  EXPECT_DOUBLE_EQ(apart.events[0].end, 0.5);
  EXPECT_DOUBLE_EQ(apart.events[1].end, 1);
  machine.nodes = 1;
  machine.ranksPerNode = 4;
  Simulation together = simulated(plan, machine);
  EXPECT_DOUBLE_EQ(together.events[0].end, 1);
  EXPECT_DOUBLE_EQ(together.events[1].end, 1.5);
}

TEST(Simulator, APlanThatNeverEndsIsRefused) {
  plan::Plan plan = emptyPlan();
  plan.programs[0].sections = {
      {"only",
       1,
       {launch({{Lane::CgIn, 1, {}}}), transfer(Opcode::Upload, Lane::CgIn, 1, {{Lane::Compute, 1, {}}})}}};
  plan.programs[0].train = {{0, 1}};
  EXPECT_EQ(simulateStep(plan, slowMachine()).status().message(),
            "instruction 0 of section \"only\" waits for ever on lane \"compute\"");
  plan.programs[0].train.clear();
  EXPECT_EQ(simulateStep(plan, slowMachine()).status().message(), "the plan has no schedule \"train\"");
}

TEST(Simulator, ThePredictionSaysWhatBounds) {
  plan::Plan plan = emptyPlan();
  plan.programs[0].sections = {{"only", 1, {transfer(Opcode::Read, Lane::NcIn, 900), launch()}}};
  Machine machine = slowMachine();
  plan::Prediction prediction = simulated(plan, machine).prediction(machine);
  EXPECT_EQ(prediction.boundBy, "nc_in");
  EXPECT_TRUE(prediction.declaredRates);
  ASSERT_EQ(prediction.busy.size(), 2u);
  EXPECT_DOUBLE_EQ(prediction.busy[1].second, 9);
}

/// In units of one product: stage 0 runs 2 forward and 3 backward (it needs no gradient of its input), stage
/// 1 runs 2 and 4, and both update with 6.
TEST(Simulator, ProgramsMeetAndElseRunBesideEachOther) {
  Machine machine = slowMachine();
  for (RateId link : {RateId::Gg, RateId::Nodes, RateId::CgIn, RateId::CgOut})
    machine.rates[static_cast<size_t>(link)].perSecond = 1e15;
  const double unit = 2 * 16 * 16 * 16 / 100.0;
  const plan::Plan plan = test::makePipelinePlan({.stages = 2, .microBatches = 8, .dataRanks = 1});
  Result<Simulation> simulation = simulateStep(plan, machine);
  ASSERT_TRUE(simulation) << simulation.status().message();
  // The last stage waits only for the first forward pass. After its last backward pass follows one of the
  // first stage.
  EXPECT_NEAR(simulation->stepSeconds, (2 + 8 * (2 + 4) + 3 + 6) * unit, 1e-6);
  std::map<std::pair<std::string, int64_t>, std::vector<std::pair<double, double>>> messages;
  for (const SimulatedEvent &event : simulation->events) {
    const Instruction &instruction =
        plan.programs[event.program].sections[event.section].instructions[event.instruction];
    if (instruction.peer != plan::kNoPeer)
      messages[{instruction.item, event.microBatch + instruction.microBatch}].emplace_back(event.start,
                                                                                           event.end);
  }
  EXPECT_EQ(messages.size(), 2u * 8);
  for (const auto &[message, ends] : messages) {
    ASSERT_EQ(ends.size(), 2u) << message.first << ", " << message.second;
    EXPECT_EQ(ends[0], ends[1]) << message.first << ", " << message.second;
  }
}
