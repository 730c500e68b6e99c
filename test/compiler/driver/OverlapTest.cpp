// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of the quickstart, by its waits and on the simulated clock: transfers overlap with computation,
// and homes follow from the machine's rates.
#include "compiler/driver/Compile.h"
#include "model/Simulator.h"
#include "runtime/plan/Reasons.h"
#include "test/compiler/driver/StepUsers.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/Folders.h"
#include "test/support/TestTarget.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>

using namespace windlass;
using namespace windlass::test;
using nlohmann::json;
using plan::BufferClass;
using plan::Lane;
using plan::Opcode;
using plan::Phase;

namespace {

const std::string kExample = WINDLASS_SOURCE_DIR "/examples/gpt2-bytes";
const std::string kHere = WINDLASS_SOURCE_DIR "/test/compiler/driver";

json readJson(const std::string &path) { return json::parse(readText(path)); }

/// Plans the quickstart for a machine, with keys of its training file replaced. Generates no kernels.
plan::Plan planQuickstart(const json &machine, const json &trainingPatch = json::object()) {
  TemporaryFolder folder;
  json training = readJson(kExample + "/training.json");
  training.merge_patch(trainingPatch);
  CompileRequest request;
  request.model = kExample;
  request.training = folder.write("training.json", training.dump());
  request.hardware = folder.write("machine.json", machine.dump());
  request.targetCpu = testTarget();
  Result<plan::Plan> plan = compile(request);
  EXPECT_TRUE(plan) << plan.status().message();
  return plan ? *plan : plan::Plan();
}

json quickstartMachine() { return readJson(kExample + "/machine.json"); }

/// The machine of the quickstart without shared cores: every rank has links and cores of its own, as with
/// paced links.
json ownHardware() {
  json machine = quickstartMachine();
  machine.erase("shared_cores");
  return machine;
}

//===----------------------------------------------------------------------===//
// From the waits
//===----------------------------------------------------------------------===//

/// Counts the transfers of some phases whose bytes a launch uses. Returns the share of their bytes that is
/// issued with no path from the launch before this user on its lane.
double shareIssuedAhead(const StepUsers &step, std::initializer_list<Phase> phases) {
  double all = 0, ahead = 0;
  for (uint32_t event = 0; event < step.events().size(); ++event) {
    const plan::Instruction &transfer = step.events()[event].get();
    std::optional<uint32_t> user = step.firstUser(event);
    if (!user || std::find(phases.begin(), phases.end(), transfer.origin.phase) == phases.end())
      continue;
    std::optional<uint32_t> before = step.launchBefore(*user);
    all += static_cast<double>(transfer.bytesMoved);
    if (!before || !step.isOrdered(*before, event))
      ahead += static_cast<double>(transfer.bytesMoved);
  }
  EXPECT_GT(all, 1 << 20);
  return ahead / all;
}

/// The plan with its instructions one after the other.
plan::Plan inSeries(plan::Plan plan) {
  for (plan::Section &section : plan.programs[0].sections) {
    std::vector<uint32_t> ordinals = plan::laneOrdinals(section);
    for (size_t i = 1; i < section.instructions.size(); ++i) {
      Lane before = section.instructions[i - 1].lane;
      section.instructions[i].waits.clear();
      if (before != section.instructions[i].lane)
        section.instructions[i].waits.push_back({before, ordinals[i - 1], {}});
    }
  }
  return plan;
}

std::vector<uint32_t> eventsWhere(const StepUsers &step,
                                  const std::function<bool(const plan::Instruction &)> &filter) {
  std::vector<uint32_t> found;
  for (uint32_t event = 0; event < step.events().size(); ++event)
    if (filter(step.events()[event].get()))
      found.push_back(event);
  return found;
}

/// The share of the bytes of transfers that have a launch beside them which does not wait for them. Where
/// memory is short, a launch may wait for the bytes that a transfer frees.
double shareUnderCompute(const StepUsers &step, const std::vector<uint32_t> &transfers) {
  auto launches = eventsWhere(step, [](const plan::Instruction &instruction) {
    return instruction.op == Opcode::Launch && instruction.lane == Lane::Compute;
  });
  double all = 0, under = 0;
  for (uint32_t transfer : transfers) {
    auto next = std::find_if(launches.begin(), launches.end(),
                             [&](uint32_t launch) { return !step.isOrdered(launch, transfer); });
    if (next == launches.end() || step.firstUser(transfer) == *next)
      continue;
    all += static_cast<double>(step.events()[transfer].get().bytesMoved);
    if (!step.isOrdered(transfer, *next))
      under += static_cast<double>(step.events()[transfer].get().bytesMoved);
  }
  EXPECT_GT(all, 1 << 20);
  return under / all;
}

bool touchesMoment(const plan::Plan &plan, const plan::Instruction &instruction) {
  return std::ranges::any_of(instruction.operands, [&](const plan::Operand &operand) {
    const plan::Buffer &buffer = plan.programs[0].buffers[operand.buffer];
    return buffer.persistent && (buffer.cls == BufferClass::Momentum || buffer.cls == BufferClass::Variance);
  });
}

class OverlapFromWaits : public testing::Test {
protected:
  static void SetUpTestSuite() {
    plan = std::make_unique<plan::Plan>(planQuickstart(quickstartMachine()));
    step = std::make_unique<StepUsers>(*plan);
  }
  static void TearDownTestSuite() {
    step.reset();
    plan.reset();
  }

  static std::vector<uint32_t> eventsWhere(const std::function<bool(const plan::Instruction &)> &filter) {
    return ::eventsWhere(*step, filter);
  }

  static std::unique_ptr<plan::Plan> plan;
  static std::unique_ptr<StepUsers> step;
};
std::unique_ptr<plan::Plan> OverlapFromWaits::plan;
std::unique_ptr<StepUsers> OverlapFromWaits::step;

TEST_F(OverlapFromWaits, TransfersOfEachPassAreIssuedBeforeTheLaunchBeforeTheirUser) {
  double forward = shareIssuedAhead(*step, {Phase::Forward});
  double backward = shareIssuedAhead(*step, {Phase::Recompute, Phase::Backward});
  RecordProperty("forward", std::to_string(forward));
  RecordProperty("backward", std::to_string(backward));
  EXPECT_GE(forward, 0.8);
  EXPECT_GE(backward, 0.8);
}

/// A check of shareIssuedAhead: in a plan whose instructions run one after the other, almost nothing is
/// issued ahead.
TEST(OverlapInSeries, NothingIsIssuedAhead) {
  plan::Plan plan = inSeries(
      planQuickstart(quickstartMachine(), {{"overlap", false}, {"placement", {{"moments", "nvme"}}}}));
  StepUsers step(plan);
  EXPECT_LE(shareIssuedAhead(step, {Phase::Forward}), 0.2);
  EXPECT_LE(shareIssuedAhead(step, {Phase::Recompute, Phase::Backward}), 0.2);
}

TEST_F(OverlapFromWaits, TheFirstReadOfAMomentRunsUnderTheBackwardPass) {
  auto backward = eventsWhere([](const plan::Instruction &instruction) {
    return instruction.op == Opcode::Launch && instruction.lane == Lane::Compute &&
           instruction.origin.phase == Phase::Backward;
  });
  auto reads = eventsWhere([](const plan::Instruction &instruction) {
    return instruction.op == Opcode::Read && touchesMoment(*plan, instruction);
  });
  ASSERT_FALSE(backward.empty());
  ASSERT_FALSE(reads.empty()) << "the quickstart's moments are meant to rest on NVMe";
  EXPECT_FALSE(step->isOrdered(backward.back(), reads.front()));
}

/// Each rank has its own cores, since a copy that takes the cores of computation gains nothing from overlap.
/// Gradients are added on the host, since on the device the next launch may be the addition of the sum. The
/// device has room, since a launch may wait for the bytes that a reduce-scatter frees where it has none.
TEST(OverlapOnOwnHardware, ComputeGoesOnUnderAReduceScatter) {
  json machine = ownHardware();
  machine["device"]["capacity"] = "12MiB";
  plan::Plan plan = planQuickstart(machine, {{"placement", {{"grad", "host"}}}});
  StepUsers step(plan);
  const double under = shareUnderCompute(step, eventsWhere(step, [](const plan::Instruction &instruction) {
                                           return instruction.op == Opcode::ReduceScatter;
                                         }));
  RecordProperty("under", std::to_string(under));
  EXPECT_GE(under, 0.9);
}

/// The result of a reduce-scatter of a gradient leaves the device while the backward pass goes on.
TEST(OverlapOfOffloads, ComputeGoesOnUnderTheOffloadOfAGradient) {
  const plan::Plan plan = planQuickstart(quickstartMachine(), {{"placement", {{"grad", "host"}}}});
  const StepUsers step(plan);
  std::vector<uint32_t> reduced; ///< buffers that a reduce-scatter writes
  for (const plan::Event &event : step.events())
    if (event.get().op == Opcode::ReduceScatter)
      reduced.push_back(event.get().operands.front().buffer);
  auto offloads = eventsWhere(step, [&](const plan::Instruction &instruction) {
    return instruction.op == Opcode::Offload && instruction.origin.phase == Phase::Backward &&
           std::find(reduced.begin(), reduced.end(), instruction.operands.front().buffer) != reduced.end();
  });
  ASSERT_FALSE(offloads.empty()) << "gradients rest off the device";
  EXPECT_GE(shareUnderCompute(step, offloads), 0.9);
}

/// Collects the chunks of the update in order: the reads of moments and their writes, by the launch between
/// them. All moments rest on NVMe, so that the host has room for more than one chunk.
TEST(OverlapOfChunks, AChunkIsReadWhileTheOneBeforeIsWritten) {
  const plan::Plan plan = planQuickstart(quickstartMachine(), {{"placement", {{"moments", "nvme"}}}});
  const StepUsers step(plan);
  std::map<uint32_t, std::pair<std::vector<uint32_t>, std::vector<uint32_t>>> chunks;
  for (uint32_t event = 0; event < step.events().size(); ++event) {
    const plan::Instruction &instruction = step.events()[event].get();
    if (!touchesMoment(plan, instruction))
      continue;
    // A read that brings the rest of a block, so that a part of the block can be written, has no launch of
    // its own.
    if (auto user = step.firstUser(event); user && instruction.op == Opcode::Read)
      chunks[*user].first.push_back(event);
    if (auto producer = step.producer(event); producer && instruction.op == Opcode::Write)
      chunks[*producer].second.push_back(event);
  }
  ASSERT_GT(chunks.size(), 8u);
  for (auto chunk = chunks.begin(), next = std::next(chunk); next != chunks.end(); ++chunk, ++next)
    for (uint32_t read : next->second.first)
      for (uint32_t write : chunk->second.second)
        EXPECT_FALSE(step.isOrdered(write, read)) << step.events()[read].get().origin.what << " waits for "
                                                  << step.events()[write].get().origin.what;
}

/// The quickstart on two nodes of two ranks, with slow links between the nodes. Each node has a copy of the
/// states. Gradients are on the device, so that no sum waits for a link to the host.
plan::Plan planOnTwoNodes() {
  json machine = readJson(kExample + "/four-links.json");
  machine.erase("ranks");
  machine.merge_patch(
      {{"nodes", 2}, {"devices_per_node", 2}, {"links", {{"nodes", {{"bandwidth", "250MB/s"}}}}}});
  return planQuickstart(
      machine,
      {{"zero_stage", 3}, {"placement", {{"grad", "device"}}}, {"parallel", {{"data", 4}, {"shard", 2}}}});
}

/// The gradients of a bucket are summed over the groups as soon as its group has added them up. The sum does
/// not wait for the next launch after the addition, which belongs to the backward pass of another bucket. The
/// gradients of the last launches of the pass have no launch to overlap with.
TEST(OverlapAcrossGroups, ASumOfGradientsWaitsForItsOwnBucketAlone) {
  plan::Plan plan = planOnTwoNodes();
  StepUsers step(plan);
  const std::vector<int64_t> across = {0};
  double all = 0, atOnce = 0, under = 0;
  for (uint32_t sum = 0; sum < step.events().size(); ++sum) {
    const plan::Instruction &instruction = step.events()[sum].get();
    if (instruction.op != Opcode::ReduceScatter || instruction.axes != across)
      continue;
    EXPECT_EQ(instruction.lane, Lane::Nodes);
    std::optional<uint32_t> added = step.producer(sum);
    ASSERT_TRUE(added);
    EXPECT_TRUE(step.isOrdered(*added, sum));
    uint32_t next = *added + 1;
    auto isLaunch = [&](uint32_t event) {
      const plan::Instruction &candidate = step.events()[event].get();
      return candidate.op == Opcode::Launch && candidate.lane == Lane::Compute;
    };
    while (next < step.events().size() && !isLaunch(next))
      ++next;
    ASSERT_LT(next, step.events().size());
    all += static_cast<double>(instruction.bytesMoved);
    if (step.isOrdered(next, sum))
      continue;
    atOnce += static_cast<double>(instruction.bytesMoved);
    if (step.events()[next].get().origin.phase != Phase::Update && !step.isOrdered(sum, next))
      under += static_cast<double>(instruction.bytesMoved);
  }
  RecordProperty("at_once", std::to_string(atOnce / all));
  RecordProperty("under", std::to_string(under / all));
  EXPECT_GT(all, 1 << 20);
  EXPECT_GE(atOnce, 0.9 * all);
  EXPECT_GE(under, 0.8 * all);
}

//===----------------------------------------------------------------------===//
// On the simulated clock
//===----------------------------------------------------------------------===//

/// The links are so slow that transfers take 60 to 90 % of the time of computation.
json slowLinks() {
  json machine = ownHardware();
  machine["links"] = {{"cg", {{"in", "13GB/s"}, {"out", "13GB/s"}}}, {"gg", {{"bandwidth", "13GB/s"}}}};
  machine["nvme"]["read"] = "6GB/s";
  machine["nvme"]["write"] = "5.4GB/s";
  return machine;
}

struct PacedStep {
  double seconds = 0, compute = 0, busiest = 0, transfers = 0;
};

PacedStep playPaced(const json &machine, bool overlap) {
  plan::Plan plan = planQuickstart(machine, {{"overlap", overlap}});
  Result<model::Machine> parsed = model::parseMachine(machine.dump(), "machine.json");
  Result<model::Simulation> simulation = model::simulateStep(plan, *parsed, model::Links::Paced);
  EXPECT_TRUE(simulation) << simulation.status().message();
  PacedStep step;
  if (!simulation)
    return step;
  step.seconds = simulation->stepSeconds;
  step.compute = simulation->busy[static_cast<size_t>(Lane::Compute)];
  step.busiest = *std::max_element(simulation->busy.begin(), simulation->busy.end());
  for (Lane lane : {Lane::Gg, Lane::CgIn, Lane::CgOut, Lane::NcIn, Lane::NcOut})
    step.transfers += simulation->busy[static_cast<size_t>(lane)];
  return step;
}

TEST(OverlapOnTheClock, AStepTakesLittleMoreThanItsBusiestLane) {
  PacedStep overlapped = playPaced(slowLinks(), true), alone = playPaced(slowLinks(), false);
  RecordProperty("overlapped", std::to_string(overlapped.seconds / overlapped.busiest));
  RecordProperty("alone", std::to_string(alone.seconds / overlapped.busiest));
  EXPECT_GE(overlapped.transfers, 0.6 * overlapped.compute);
  EXPECT_LE(overlapped.transfers, 0.9 * overlapped.compute);
  EXPECT_LE(overlapped.seconds, 1.25 * overlapped.busiest);
  EXPECT_GE(alone.seconds, 1.3 * overlapped.busiest) << "of the same step, whatever lanes do on their own";
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

/// The tier of every home, by name.
std::map<std::string, plan::Tier> homesOf(const plan::Plan &plan) {
  std::map<std::string, plan::Tier> homes;
  for (const plan::Buffer &buffer : plan.programs[0].buffers)
    if (buffer.persistent)
      homes[buffer.name] = buffer.tier;
  return homes;
}

/// The rate of writes to the disk, as the price of a home on NVMe quotes it.
double writeRateQuoted(const plan::Plan &plan) {
  for (const plan::Reason &why : plan.reasons)
    for (const plan::Trial &trial : why.trials)
      if (trial.price.rate.key == "nvme.write")
        return trial.price.rate.perSecond;
  return 0;
}

TEST(PlacementIsDecided, ByOneRate) {
  json fast = readJson(kHere + "/fast_writes.json"), slow = readJson(kHere + "/slow_writes.json");
  json difference = json::diff(fast, slow);
  ASSERT_EQ(difference.size(), 1u) << difference.dump(1);
  ASSERT_EQ(difference[0]["path"], "/nvme/write");
  const json repeated = {{"recompute", "layers:2"}}; // fixed, so that only homes may differ
  plan::Plan onFast = planQuickstart(fast, repeated), onSlow = planQuickstart(slow, repeated);
  EXPECT_NE(homesOf(onFast), homesOf(onSlow));
  EXPECT_EQ(writeRateQuoted(onFast), 1e9);
  EXPECT_EQ(writeRateQuoted(onSlow), 1e8);
}

} // namespace
