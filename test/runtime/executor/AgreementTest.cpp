// Random plans on both executors: the same bytes everywhere.
#include "runtime/plan/Enums.h"
#include "test/runtime/executor/TestHost.h"
#include "test/support/SyntheticPlan.h"
#include <gtest/gtest.h>
#include <random>

using namespace windlass;
using namespace windlass::test;

namespace {

std::unique_ptr<Executor> open(const plan::Plan &plan, const ExecutorOptions &options) {
  auto executor = Executor::create(plan, options);
  EXPECT_TRUE(executor) << executor.status().message();
  return executor ? executor.take() : nullptr;
}

/// Every rank starts from its own bytes, the same ones for every executor.
void initialise(const plan::Plan &plan, Executor &executor) {
  for (int64_t rank = 0; rank < plan.ranks(); ++rank)
    for (size_t s = 0; s < plan.states.size(); ++s) {
      const plan::Operand &home = plan.states[s].home;
      std::mt19937 random(static_cast<unsigned>(31 * s + (plan.states[s].sharded ? rank : 0)));
      std::uniform_real_distribution<float> value(-0.1f, 0.1f);
      std::vector<float> values(home.bytes / sizeof(float));
      for (float &v : values)
        v = value(random);
      ASSERT_TRUE(executor.writeBytes(rank, home, 0, std::as_bytes(std::span(values))));
    }
}

void expectSameStates(const plan::Plan &plan, Executor &a, Executor &b) {
  for (int64_t rank = 0; rank < plan.ranks(); ++rank)
    for (const plan::State &state : plan.states) {
      std::vector<std::byte> one(state.home.bytes), other(state.home.bytes);
      ASSERT_TRUE(a.readBytes(rank, state.home, 0, one));
      ASSERT_TRUE(b.readBytes(rank, state.home, 0, other));
      ASSERT_EQ(one, other) << "rank " << rank << ", state " << state.name;
    }
}

/// All bytes but library scratch, which holds addresses.
std::vector<std::byte> meaningfulBytes(const plan::Plan &plan, const Executor &executor, int64_t rank,
                                       plan::Tier tier) {
  std::span<const std::byte> arena = executor.arena(rank, tier);
  std::vector<std::byte> bytes(arena.begin(), arena.end());
  for (const plan::Buffer &buffer : plan.buffers)
    if (buffer.tier == tier && buffer.cls == plan::BufferClass::Workspace)
      std::fill_n(bytes.begin() + buffer.offset, buffer.bytes, std::byte{0});
  return bytes;
}

void expectSameArenas(const plan::Plan &plan, const Executor &a, const Executor &b) {
  for (int64_t rank = 0; rank < plan.ranks(); ++rank)
    for (plan::Tier tier : {plan::Tier::Device, plan::Tier::Host})
      ASSERT_TRUE(meaningfulBytes(plan, a, rank, tier) == meaningfulBytes(plan, b, rank, tier))
          << "rank " << rank << ", " << textOf(tier);
}

void expectAgreement(const SyntheticOptions &synthetic, ExecutorOptions options, int64_t threadsPerRank = 1) {
  SCOPED_TRACE("seed " + std::to_string(synthetic.seed) + ", ranks " + std::to_string(synthetic.ranks) +
               ", micro-batches " + std::to_string(synthetic.microBatches));
  plan::Plan plan = makeSyntheticPlan(synthetic);
  plan.training.threadsPerRank = threadsPerRank;
  options.scratchFolder = WINDLASS_BINARY_DIR;
  options.canary = 0x5A;
  ExecutorOptions reference = options;
  reference.reference = true;
  auto expected = open(plan, reference), actual = open(plan, options);
  ASSERT_TRUE(expected && actual);
  initialise(plan, *expected);
  initialise(plan, *actual);
  TestHost expectedHost(synthetic.ranks), actualHost(synthetic.ranks);
  for (int step = 0; step < 3; ++step) {
    expectedHost.step = actualHost.step = step;
    Status one = expected->runStep(expectedHost), other = actual->runStep(actualHost);
    ASSERT_TRUE(one) << one.message();
    ASSERT_TRUE(other) << other.message();
    expectSameStates(plan, *expected, *actual);
    expectSameArenas(plan, *expected, *actual);
    ASSERT_EQ(expectedHost.fingerprints, actualHost.fingerprints);
  }
  ASSERT_TRUE(expected->runForward(plan::SectionKind::Evaluate, expectedHost));
  ASSERT_TRUE(actual->runForward(plan::SectionKind::Evaluate, actualHost));
  ASSERT_EQ(expectedHost.fingerprints, actualHost.fingerprints);
  EXPECT_GT(actualHost.reports[0], 0);
  EXPECT_EQ(expected->counters().nvmeBytesRead, actual->counters().nvmeBytesRead);
  EXPECT_EQ(expected->counters().nvmeBytesWritten, actual->counters().nvmeBytesWritten);
  EXPECT_EQ(expected->counters().uploadedBytes, actual->counters().uploadedBytes);
  EXPECT_EQ(expected->counters().offloadedBytes, actual->counters().offloadedBytes);
  EXPECT_EQ(expected->counters().collectiveBytes, actual->counters().collectiveBytes);
}

TEST(Agreement, randomPlansLeaveTheSameBytesOnBothExecutors) {
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    SyntheticOptions synthetic;
    synthetic.seed = seed;
    synthetic.ranks = 1 + static_cast<int64_t>(seed % 4);
    synthetic.microBatches = 1 + static_cast<int64_t>(seed / 4 % 5);
    synthetic.layers = 2 + static_cast<int64_t>(seed % 3);
    synthetic.nvmeDepth = 1 + static_cast<int64_t>(seed % 5);
    expectAgreement(synthetic, {});
    if (HasFatalFailure())
      return;
  }
}

TEST(Agreement, bothNvmeEnginesLeaveTheSameBytes) {
  for (NvmeEngine engine : {NvmeEngine::IoUring, NvmeEngine::Threads})
    for (bool direct : {false, true}) {
      ExecutorOptions options;
      options.nvmeEngine = engine;
      options.directIo = direct;
      expectAgreement({.seed = 5, .ranks = 2, .microBatches = 3, .layers = 4}, options);
    }
}

TEST(Agreement, severalThreadsPerRankLeaveTheSameBytes) {
  expectAgreement({.seed = 6, .ranks = 2, .microBatches = 2, .layers = 3}, {}, 2);
}

} // namespace
