// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan small enough to work out by hand, and the rules of every run.
#include "runtime/base/Cores.h"
#include "runtime/base/F16.h"
#include "runtime/plan/Layout.h"
#include "test/runtime/executor/TestHost.h"
#include "test/support/Folders.h"
#include "test/support/Sections.h"
#include "test/support/SyntheticPlan.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <thread>

using namespace windlass;
using namespace windlass::plan;
using windlass::test::TestHost;

namespace {

constexpr int64_t kRanks = 2, kPiece = 64, kShard = 4096;

/// feed x -> upload -> sum over ranks -> offload -> NVMe -> back -> report, as the loss that every step
/// reports.
Plan sumThroughEveryTier(ElementType type = ElementType::F32, int64_t piece = kPiece, bool staged = false) {
  const int64_t padded = (piece + kShard - 1) / kShard * kShard;
  Plan plan;
  plan.mesh = {{"dp", kRanks}};
  plan.programs[0].ranks = plan.ranks();
  plan.nvmeDepth = 2;
  plan.training.microBatches = 1;
  plan.inputs = {{"x", ElementType::F32, {kRanks * piece / 4}, InputRole::Features}};
  plan.training.globalBatch = kRanks * plan.inputs[0].shape[0];
  auto buffer = [&](const char *name, Tier tier, int64_t bytes) {
    plan.programs[0].buffers.push_back({name, BufferClass::Staging, tier, 0, bytes, false});
    return Operand{static_cast<uint32_t>(plan.programs[0].buffers.size() - 1), 0, bytes, {}};
  };
  Section section;
  auto add = [&](Opcode op, Lane lane, std::vector<Operand> operands) -> Instruction & {
    Instruction &instruction = section.instructions.emplace_back();
    instruction.op = op;
    instruction.lane = lane;
    instruction.operands = std::move(operands);
    instruction.origin = {"sum", "x", Phase::Forward};
    bool copies = op == Opcode::Upload || op == Opcode::Offload || op == Opcode::Read || op == Opcode::Write;
    instruction.bytesMoved = copies ? instruction.operands[0].bytes : 0;
    return instruction;
  };
  Operand fed = buffer("fed", Tier::Host, kRanks * piece),
          whole = buffer("whole", Tier::Device, kRanks * piece),
          shard = buffer("shard", Tier::Device, padded), staging = buffer("staging", Tier::Host, padded),
          file = buffer("file", Tier::Nvme, padded), back = buffer("back", Tier::Host, padded);
  add(Opcode::Feed, Lane::HostCompute, {fed}).item = "x";
  add(Opcode::Upload, Lane::CgIn, {fed, whole});
  Instruction &sum = add(Opcode::ReduceScatter, Lane::Gg, {shard, whole});
  sum.pieceBytes = {piece};
  sum.type = type;
  sum.staged = staged;
  if (staged)
    sum.operands.push_back(buffer("transport", Tier::Device, kShard));
  add(Opcode::Offload, Lane::CgOut, {shard, staging});
  add(Opcode::Write, Lane::NcOut, {staging, file});
  add(Opcode::Read, Lane::NcIn, {file, back});
  add(Opcode::Report, Lane::HostCompute, {back}).item = "loss";
  section.name = "only";
  plan.programs[0].sections.push_back(section);
  test::setSchedules(plan);
  test::packBuffers(plan);
  test::addWaits(plan);
  return plan;
}

/// Feeds x[i] = 100 r + i to rank r.
class CountingHost final : public StepHost {
public:
  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override {
    for (size_t i = 0; i < bytes.size() / 4; ++i) {
      float value = static_cast<float>(100 * request.rank + static_cast<int64_t>(i));
      std::memcpy(bytes.data() + 4 * i, &value, 4);
    }
    return Status::ok();
  }
  Status report(const ItemRequest &request, std::span<const std::byte> bytes) override {
    sums[request.rank].resize(bytes.size() / 4);
    std::memcpy(sums[request.rank].data(), bytes.data(), bytes.size());
    return Status::ok();
  }
  std::vector<float> sums[kRanks];
};

/// Feeds every number of f16 to rank 0, and finite ones to rank 1.
class HalvesHost final : public StepHost {
public:
  static constexpr int64_t kHalves = 1 << 16;
  static uint16_t half(int64_t rank, int64_t i) {
    return static_cast<uint16_t>(rank == 0 ? i : i * 40503 & 0xFBFF);
  }
  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override {
    for (int64_t i = 0; i < kHalves; ++i) {
      const uint16_t value = half(request.rank, i);
      std::memcpy(bytes.data() + 2 * i, &value, 2);
    }
    return Status::ok();
  }
  Status report(const ItemRequest &request, std::span<const std::byte> bytes) override {
    std::memcpy(sums.data() + request.rank * kHalves / kRanks, bytes.data(), bytes.size());
    return Status::ok();
  }
  std::vector<uint16_t> sums = std::vector<uint16_t>(kHalves);
};

class BothExecutors : public testing::TestWithParam<bool> {
protected:
  ExecutorOptions options() const {
    ExecutorOptions options;
    options.reference = GetParam();
    options.scratchFolder = WINDLASS_BINARY_DIR;
    return options;
  }
  std::unique_ptr<Executor> open(const Plan &plan, const ExecutorOptions &options) {
    auto executor = Executor::create(plan, options);
    EXPECT_TRUE(executor) << executor.status().message();
    return executor ? executor.take() : nullptr;
  }
};

TEST_P(BothExecutors, sumThroughEveryTier) {
  for (bool staged : {false, true}) { // in staging memory of the plan, or in the transport's
    Plan plan = sumThroughEveryTier(ElementType::F32, kPiece, staged);
    auto executor = open(plan, options());
    ASSERT_TRUE(executor);
    CountingHost host;
    Status status = executor->run(plan::Purpose::Train, host);
    ASSERT_TRUE(status) << status.message();
    for (int64_t rank = 0; rank < kRanks; ++rank)
      for (int64_t i = 0; i < kShard / 4; ++i)
        ASSERT_EQ(host.sums[rank][i], i < kPiece / 4 ? 100.0f + 2.0f * (rank * kPiece / 4 + i) : 0.0f);
    const ExecutorCounters &moved = executor->counters();
    EXPECT_EQ(moved.uploadedBytes, kRanks * kRanks * kPiece);
    EXPECT_EQ(moved.offloadedBytes, kRanks * kShard);
    EXPECT_EQ(moved.nvmeBytesWritten, kRanks * kShard);
    EXPECT_EQ(moved.nvmeBytesRead, kRanks * kShard);
    EXPECT_EQ(moved.collectiveBytes, kRanks * kRanks * kPiece);
  }
}

TEST_P(BothExecutors, halvesAreSummedAsFloatsAndRoundedOnce) {
  Plan plan = sumThroughEveryTier(ElementType::F16, 2 * HalvesHost::kHalves / kRanks);
  auto executor = open(plan, options());
  ASSERT_TRUE(executor);
  HalvesHost host;
  Status status = executor->run(plan::Purpose::Train, host);
  ASSERT_TRUE(status) << status.message();
  for (int64_t i = 0; i < HalvesHost::kHalves; ++i)
    ASSERT_EQ(host.sums[i], roundToF16(widenF16(HalvesHost::half(0, i)) + widenF16(HalvesHost::half(1, i))))
        << HalvesHost::half(0, i) << " and " << HalvesHost::half(1, i);
}

TEST_P(BothExecutors, bytesOutsideEveryBufferKeepTheCanary) {
  Plan plan = sumThroughEveryTier();
  for (plan::Arena &arena : plan.programs[0].arenas)
    arena.bytes = arena.capacity = arena.bytes + 8192;
  ExecutorOptions withCanary = options();
  withCanary.canary = 0xC3;
  auto executor = open(plan, withCanary);
  ASSERT_TRUE(executor);
  CountingHost host;
  ASSERT_TRUE(executor->run(plan::Purpose::Train, host));
  for (int64_t rank = 0; rank < kRanks; ++rank)
    for (Tier tier : {Tier::Device, Tier::Host}) {
      std::vector<std::byte> bytes(executor->arena(rank, tier).begin(), executor->arena(rank, tier).end());
      for (const Buffer &buffer : plan.programs[0].buffers)
        if (buffer.tier == tier)
          std::fill_n(bytes.begin() + buffer.offset, buffer.bytes, std::byte{0xC3});
      EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0xC3}; }));
    }
  EXPECT_TRUE(executor->arena(0, Tier::Nvme).empty());
}

TEST_P(BothExecutors, anUnsoundPlanIsRefused) {
  Plan plan = sumThroughEveryTier();
  for (Instruction &instruction : plan.programs[0].sections[0].instructions)
    instruction.waits.clear();
  auto executor = Executor::create(plan, options());
  ASSERT_FALSE(executor);
  EXPECT_EQ(executor.status().code(), ExitCode::BadInput);
}

TEST_P(BothExecutors, aSectionThePlanLacksIsNamed) {
  Plan plan = sumThroughEveryTier();
  auto executor = open(plan, options());
  ASSERT_TRUE(executor);
  CountingHost host;
  Status status = executor->run(plan::Purpose::Sample, host);
  EXPECT_EQ(status.code(), ExitCode::BadInput);
  EXPECT_EQ(status.message(), "the plan has no schedule \"sample\"");
}

TEST_P(BothExecutors, bytesOutsideABufferAreRefused) {
  Plan plan = sumThroughEveryTier();
  auto executor = open(plan, options());
  ASSERT_TRUE(executor);
  std::vector<std::byte> bytes(64);
  Operand file{4, 0, kShard, {}};
  EXPECT_TRUE(executor->writeBytes(1, file, kShard - 64, bytes));
  EXPECT_EQ(executor->writeBytes(1, file, kShard - 63, bytes).code(), ExitCode::Internal);
  EXPECT_EQ(executor->readBytes(0, file, -1, bytes).code(), ExitCode::Internal);
}

/// The times of the instructions of the last step must agree with their waits.
TEST_P(BothExecutors, theTraceKeepsEveryWait) {
  Plan plan = test::makeSyntheticPlan({.seed = 3, .ranks = 2, .microBatches = 4, .layers = 3});
  ExecutorOptions traced = options();
  traced.recordTrace = traced.recordWork = true;
  auto executor = open(plan, traced);
  ASSERT_TRUE(executor);
  TestHost host(2);
  ASSERT_TRUE(executor->run(plan::Purpose::Train, host));
  double work = 0;
  std::map<std::pair<int64_t, int64_t>, std::vector<TraceEvent>> sections; // by rank and micro-batch
  for (const TraceEvent &event : executor->trace()) {
    ASSERT_GE(event.end, event.start);
    const Lane lane = plan.programs[0].sections[event.section].instructions[event.instruction].lane;
    ASSERT_TRUE(isNvmeLane(lane) ? event.work == 0 : event.work >= 0);
    work += event.work;
    sections[{event.rank, event.microBatch}].push_back(event);
  }
  EXPECT_GT(work, 0);
  ASSERT_EQ(sections.size(), 8u);
  int checked = 0;
  for (auto &[place, events] : sections) {
    const Section &section = plan.programs[0].sections[events[0].section];
    ASSERT_EQ(events.size(), section.instructions.size());
    std::vector<uint32_t> ordinals = laneOrdinals(section);
    for (const TraceEvent &event : events)
      for (const Wait &wait : section.instructions[event.instruction].waits)
        for (size_t i = 0; i < ordinals.size() && !wait.isPrevious(); ++i)
          if (section.instructions[i].lane == wait.lane && ordinals[i] == wait.ordinal) {
            EXPECT_GE(event.start, events[i].end);
            ++checked;
          }
  }
  EXPECT_GT(checked, 100);
}

/// A step that reports losses one micro-batch later, from a buffer with this number of slots.
Plan lossesOneBehind(int64_t slots) {
  Plan plan;
  plan.mesh = {{"dp", 1}};
  plan.programs[0].ranks = plan.ranks();
  plan.training.microBatches = 5;
  plan.inputs = {{"x", ElementType::F32, {16}, InputRole::Features}};
  plan.training.globalBatch = 80;
  plan.programs[0].arenas = {{Tier::Host, 4096 + slots * 64, 0, 8192}};
  plan.programs[0].buffers = {{"home", BufferClass::Parameter, Tier::Host, 0, 4096, true},
                              {"kept", BufferClass::Feed, Tier::Host, 4096, 64, true, kEveryRank, slots}};
  plan.programs[0].states = {{"w",
                              StateClass::Parameter,
                              ElementType::F32,
                              {1024},
                              "frozen",
                              {},
                              "w",
                              0,
                              1024,
                              true,
                              {0, 0, 4096, {}}}};
  Instruction feed, report;
  feed.op = Opcode::Feed;
  feed.lane = report.lane = Lane::HostCompute;
  feed.operands = report.operands = {{1, 0, 64, {}}};
  feed.item = "x";
  report.op = Opcode::Report;
  report.item = "loss";
  report.microBatch = -1;
  plan.programs[0].sections = {{"warm", 1, {feed}}, {"both", 1, {feed, report}}, {"drain", 1, {report}}};
  plan.programs[0].train = {{0, 1}, {1, 4}, {2, 1}};
  return plan;
}

/// Feeds the number of the micro-batch as x. The loss of a micro-batch must be its x.
class NumberedHost final : public StepHost {
public:
  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override {
    const std::vector<float> number(bytes.size() / 4, static_cast<float>(request.microBatch));
    std::memcpy(bytes.data(), number.data(), bytes.size());
    return Status::ok();
  }
  Status report(const ItemRequest &request, std::span<const std::byte> bytes) override {
    float first;
    std::memcpy(&first, bytes.data(), 4);
    found.emplace_back(request.microBatch, first);
    return Status::ok();
  }
  std::vector<std::pair<int64_t, float>> found;
};

TEST_P(BothExecutors, slotsKeepWhatALaterRunReads) {
  Plan plan = lossesOneBehind(2);
  auto executor = open(plan, options());
  ASSERT_TRUE(executor);
  for (int step = 0; step < 2; ++step) {
    NumberedHost host;
    Status status = executor->run(plan::Purpose::Train, host);
    ASSERT_TRUE(status) << status.message();
    EXPECT_EQ(host.found,
              (std::vector<std::pair<int64_t, float>>{{0, 0.f}, {1, 1.f}, {2, 2.f}, {3, 3.f}, {4, 4.f}}));
  }
  EXPECT_EQ(Executor::create(lossesOneBehind(1), options()).status().message().find("the plan is not sound"),
            0u);
}

/// Lanes that share nothing: a slow feed with the report of the loss, and a state that is uploaded and
/// offloaded.
Plan lanesWithoutWaits() {
  Plan plan;
  plan.mesh = {{"dp", 1}};
  plan.programs[0].ranks = plan.ranks();
  plan.training.microBatches = 4;
  plan.inputs = {{"slow", ElementType::F32, {16}, InputRole::Features}};
  plan.training.globalBatch = 64;
  plan.programs[0].buffers = {{"fed", BufferClass::Feed, Tier::Host, 0, 64, false},
                              {"home", BufferClass::Parameter, Tier::Host, 0, 4096, true},
                              {"copy", BufferClass::Parameter, Tier::Device, 0, 4096, false}};
  Operand fed{0, 0, 64, {}}, home{1, 0, 4096, {}}, copy{2, 0, 4096, {}};
  plan.programs[0].states = {
      {"w", StateClass::Parameter, ElementType::F32, {1024}, "frozen", {}, "w", 0, 1024, true, home}};
  Instruction feed, report, upload, offload;
  feed.op = Opcode::Feed;
  feed.lane = Lane::HostCompute;
  feed.operands = {fed};
  feed.item = "slow";
  report.op = Opcode::Report;
  report.lane = Lane::HostCompute;
  report.operands = {fed};
  report.item = "loss";
  upload.op = Opcode::Upload;
  upload.lane = Lane::CgIn;
  upload.operands = {home, copy};
  upload.bytesMoved = offload.bytesMoved = home.bytes;
  offload.op = Opcode::Offload;
  offload.lane = Lane::CgOut;
  offload.operands = {copy, home};
  for (const char *name : {"first", "middle", "last"})
    plan.programs[0].sections.push_back({name, 1, {feed, report, upload, offload}});
  test::setSchedules(plan);
  test::packBuffers(plan);
  test::addWaits(plan);
  return plan;
}

class SlowHost final : public StepHost {
public:
  Status feed(const ItemRequest &, std::span<std::byte>) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return Status::ok();
  }
  Status report(const ItemRequest &, std::span<const std::byte>) override { return Status::ok(); }
};

TEST_P(BothExecutors, noSectionStartsBeforeTheOneTwoPlacesBackIsComplete) {
  Plan plan = lanesWithoutWaits();
  ExecutorOptions traced = options();
  traced.recordTrace = true;
  auto executor = open(plan, traced);
  ASSERT_TRUE(executor);
  SlowHost host;
  ASSERT_TRUE(executor->run(plan::Purpose::Train, host));
  std::span<const TraceEvent> events = executor->trace();
  ASSERT_EQ(events.size(), 16u);
  for (const TraceEvent &late : events)
    for (const TraceEvent &early : events)
      if (early.microBatch + 2 <= late.microBatch) {
        EXPECT_GE(late.start, early.end) << late.microBatch << " after " << early.microBatch;
      }
}

/// The processors of the threads of this process whose names begin with `prefix`.
std::set<std::string> processorsOfThreads(const std::string &prefix) {
  std::set<std::string> found;
  for (const auto &thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm"), name);
    std::ifstream status(thread.path() / "status");
    for (std::string line; name.starts_with(prefix) && std::getline(status, line);)
      if (line.starts_with("Cpus_allowed_list:"))
        found.insert(line);
  }
  return found;
}

TEST(ConcurrentRanks, divideTheCoresWhereTheyAreBound) {
  ExecutorOptions options;
  options.scratchFolder = WINDLASS_BINARY_DIR;
  for (bool areBound : {false, true}) {
    options.bindRanks = areBound;
    auto executor = Executor::create(sumThroughEveryTier(), options);
    ASSERT_TRUE(executor) << executor.status().message();
    const std::set<std::string> first = processorsOfThreads("r0 "), second = processorsOfThreads("r1 ");
    EXPECT_EQ(first.size(), 1U) << "all lanes of a rank";
    EXPECT_EQ(second.size(), 1U);
    const bool canDivide = !partOfRank(processorsHere(), 0, kRanks).empty() && processorsHere().size() > 1;
    EXPECT_EQ(first != second, areBound && canDivide);
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, BothExecutors, testing::Values(false, true),
                         [](const auto &info) { return info.param ? "reference" : "concurrent"; });

} // namespace
