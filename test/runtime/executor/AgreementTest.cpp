// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random plans give the same bytes on both executors.
#include "test/runtime/executor/Agreement.h"
#include "runtime/plan/Groups.h"
#include "test/runtime/executor/TestHost.h"
#include "test/support/Folders.h"
#include "test/support/PipelinePlan.h"
#include "test/support/SyntheticPlan.h"
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <tuple>

using namespace windlass;
using namespace windlass::test;

namespace {

void expectBothAgree(const SyntheticOptions &synthetic, ExecutorOptions options, int64_t threadsPerRank = 1) {
  SCOPED_TRACE("seed " + std::to_string(synthetic.seed) + ", ranks " + std::to_string(synthetic.ranks) +
               ", micro-batches " + std::to_string(synthetic.microBatches));
  plan::Plan plan = makeSyntheticPlan(synthetic);
  plan.training.threadsPerRank = threadsPerRank;
  options.scratchFolder = WINDLASS_BINARY_DIR;
  options.canary = 0x5A;
  ExecutorOptions reference = options;
  reference.reference = true;
  expectAgreement(plan, {reference, {}}, {options, {}});
}

TEST(Agreement, randomPlansLeaveTheSameBytesOnBothExecutors) {
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    SyntheticOptions synthetic;
    synthetic.seed = seed;
    synthetic.ranks = 1 + static_cast<int64_t>(seed % 4);
    synthetic.microBatches = 1 + static_cast<int64_t>(seed / 4 % 5);
    synthetic.layers = 2 + static_cast<int64_t>(seed % 3);
    synthetic.nvmeDepth = 1 + static_cast<int64_t>(seed % 5);
    expectBothAgree(synthetic, {});
    if (HasFatalFailure())
      return;
  }
}

TEST(Agreement, groupsThatHoldCopiesLeaveTheSameBytes) {
  for (int64_t replicas : {2, 3})
    for (int64_t microBatches : {1, 2, 3})
      expectBothAgree({.seed = static_cast<uint64_t>(3 * replicas + microBatches),
                       .ranks = 2 * replicas,
                       .microBatches = microBatches,
                       .layers = 4,
                       .replicas = replicas},
                      {});
}

TEST(Agreement, bothNvmeEnginesLeaveTheSameBytes) {
  for (NvmeEngine engine : {NvmeEngine::IoUring, NvmeEngine::Threads})
    for (bool direct : {false, true}) {
      ExecutorOptions options;
      options.nvmeEngine = engine;
      options.directIo = direct;
      expectBothAgree({.seed = 5, .ranks = 2, .microBatches = 3, .layers = 4}, options);
    }
}

TEST(Agreement, severalThreadsPerRankLeaveTheSameBytes) {
  expectBothAgree({.seed = 6, .ranks = 2, .microBatches = 2, .layers = 3}, {}, 2);
}

TEST(Agreement, pipelinesLeaveTheSameBytes) {
  for (int64_t stages : {2, 4})
    for (int64_t dataRanks : {1, 2}) {
      SCOPED_TRACE(std::to_string(stages) + " stages of " + std::to_string(dataRanks));
      ExecutorOptions options;
      options.canary = 0x5A;
      ExecutorOptions reference = options;
      reference.reference = true;
      expectAgreement(makePipelinePlan({stages, 5, dataRanks}), {reference, {}}, {options, {}});
      if (HasFatalFailure())
        return;
    }
}

/// Keeps the bytes of every loss, by step, micro-batch and data rank.
class LossHost final : public StepHost {
public:
  explicit LossHost(const plan::Plan &plan) : plan(plan), dice(plan.ranks()) {}

  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override {
    return dice.feed(request, bytes);
  }
  Status report(const ItemRequest &request, std::span<const std::byte> bytes) override {
    std::lock_guard lock(mutex);
    losses[{dice.step, request.microBatch, dataPlace(plan, request.rank)}].assign(bytes.begin(), bytes.end());
    return Status::ok();
  }

  const plan::Plan &plan;
  TestHost dice;
  std::mutex mutex;
  std::map<std::tuple<int64_t, int64_t, int64_t>, std::vector<std::byte>> losses;
};

/// The result of a plan after some steps: losses, and states by class and name.
struct Outcome {
  decltype(LossHost::losses) losses;
  std::map<std::pair<plan::StateClass, std::string>, std::vector<std::byte>> states;

  bool operator==(const Outcome &) const = default;
};

Outcome outcomeOf(const plan::Plan &plan) {
  Outcome outcome;
  std::unique_ptr<Executor> executor = open(plan, {});
  LossHost host(plan);
  initialise(plan, *executor);
  for (host.dice.step = 0; host.dice.step < 3; ++host.dice.step)
    EXPECT_TRUE(executor->run(plan::Purpose::Train, host));
  outcome.losses = host.losses;
  for (const plan::Program &program : plan.programs)
    for (const plan::State &state : program.states) {
      std::vector<std::byte> &bytes = outcome.states[{state.cls, state.name}];
      bytes.resize(static_cast<size_t>(state.home.bytes));
      EXPECT_TRUE(executor->readBytes(program.firstRank, state.home, 0, bytes));
    }
  return outcome;
}

TEST(Agreement, howAPipelineIsCutChangesNoBit) {
  const Outcome whole = outcomeOf(makePipelinePlan({.stages = 1, .microBatches = 6}));
  EXPECT_EQ(whole.losses.size(), 3u * 6 * 2);
  EXPECT_EQ(whole.states.size(), 4u * 3);
  for (int64_t stages : {2, 4})
    EXPECT_TRUE(outcomeOf(makePipelinePlan({.stages = stages, .microBatches = 6})) == whole) << stages;
}

} // namespace
