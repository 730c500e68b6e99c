// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/executor/Agreement.h"
#include "runtime/executor/ConcurrentExecutor.h"
#include "runtime/executor/ReferenceExecutor.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/Layout.h"
#include "test/runtime/executor/TestHost.h"
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>

namespace windlass::test {

std::unique_ptr<Executor> open(const plan::Plan &shared, const Contestant &contestant) {
  const ExecutorOptions &options = contestant.options;
  const plan::Plan &plan = contestant.plan ? *contestant.plan : shared;
  Result<ExecutorParts> parts =
      ExecutorParts::create(plan, options, {}, contestant.backend ? contestant.backend() : nullptr);
  EXPECT_TRUE(parts) << parts.status().message();
  if (!parts)
    return nullptr;
  auto executor =
      options.reference ? ReferenceExecutor::create(parts.take()) : ConcurrentExecutor::create(parts.take());
  EXPECT_TRUE(executor) << executor.status().message();
  return executor ? executor.take() : nullptr;
}

void initialise(const plan::Plan &plan, Executor &executor) {
  for (int64_t rank = 0; rank < plan.ranks(); ++rank)
    for (const plan::State &state : programOf(plan, rank).states) {
      const plan::Operand &home = state.home;
      const int64_t place = state.sharded ? placeInGroup(plan, state.axes, rank) : 0;
      const std::string of = std::string(textOf(state.cls)) + " " + state.name + " " + std::to_string(place);
      std::seed_seq seed(of.begin(), of.end());
      std::mt19937 random(seed);
      std::uniform_real_distribution<float> value(-0.1f, 0.1f);
      std::vector<float> values(home.bytes / sizeof(float));
      for (float &v : values)
        v = value(random);
      ASSERT_TRUE(executor.writeBytes(rank, home, 0, std::as_bytes(std::span(values))));
    }
}

namespace {

void expectSameStates(const plan::Plan &plan, Executor &a, Executor &b) {
  for (int64_t rank = 0; rank < plan.ranks(); ++rank)
    for (const plan::State &state : programOf(plan, rank).states) {
      std::vector<std::byte> one(state.home.bytes), other(state.home.bytes);
      ASSERT_TRUE(a.readBytes(rank, state.home, 0, one));
      ASSERT_TRUE(b.readBytes(rank, state.home, 0, other));
      ASSERT_EQ(one, other) << "rank " << rank << ", state " << state.name;
    }
}

/// Expects equal states on ranks at one place of their groups, and different states at different places.
void expectCopies(const plan::Plan &plan, const plan::Program &program, Executor &executor) {
  for (const plan::State &state : program.states) {
    std::map<int64_t, std::vector<std::byte>> held; // by place
    for (int64_t rank = program.firstRank; rank <= program.lastRank(); ++rank) {
      if (!isHeld(plan, program, state.home, rank))
        continue;
      std::vector<std::byte> bytes(state.home.bytes);
      ASSERT_TRUE(executor.readBytes(rank, state.home, 0, bytes));
      const int64_t place = state.sharded ? placeInGroup(plan, state.axes, rank) : 0;
      ASSERT_EQ(held.try_emplace(place, bytes).first->second, bytes) << "rank " << rank << ", " << state.name;
    }
    ASSERT_TRUE(held.size() < 2 || held.at(0) != held.at(1));
  }
}

/// The bytes of an arena that buffers cover.
std::vector<std::byte> plannedBytes(const plan::Plan &plan, Executor &executor, int64_t rank,
                                    plan::Tier tier) {
  std::vector<std::byte> bytes(plan::arenaOf(programOf(plan, rank), tier)->bytes);
  for (uint32_t i = 0; i < programOf(plan, rank).buffers.size(); ++i)
    if (const plan::Buffer &buffer = programOf(plan, rank).buffers[i]; buffer.tier == tier) {
      std::span part = std::span(bytes).subspan(buffer.offset, buffer.bytes);
      EXPECT_TRUE(executor.readBytes(rank, {i, 0, buffer.bytes, {}}, 0, part));
    }
  return bytes;
}

/// Compares all bytes except library scratch, which holds addresses. Bytes between buffers are compared only
/// if both executors show their arenas.
void expectSameArenas(const plan::Plan &plan, Executor &a, Executor &b) {
  for (int64_t rank = 0; rank < plan.ranks(); ++rank)
    for (plan::Tier tier : {plan::Tier::Device, plan::Tier::Host}) {
      const bool shown = !a.arena(rank, tier).empty() && !b.arena(rank, tier).empty();
      auto bytesOf = [&](Executor &executor) {
        std::span<const std::byte> arena = executor.arena(rank, tier);
        auto bytes = shown ? std::vector<std::byte>(arena.begin(), arena.end())
                           : plannedBytes(plan, executor, rank, tier);
        for (const plan::Buffer &buffer : programOf(plan, rank).buffers)
          if (buffer.tier == tier && buffer.cls == plan::BufferClass::Workspace)
            std::fill_n(bytes.begin() + buffer.offset, buffer.bytes, std::byte{0});
        return bytes;
      };
      ASSERT_TRUE(bytesOf(a) == bytesOf(b)) << "rank " << rank << ", " << textOf(tier);
    }
}

void expectSameCounters(const ExecutorCounters &one, const ExecutorCounters &other) {
  EXPECT_EQ(one.nvmeBytesRead, other.nvmeBytesRead);
  EXPECT_EQ(one.nvmeBytesWritten, other.nvmeBytesWritten);
  EXPECT_EQ(one.uploadedBytes, other.uploadedBytes);
  EXPECT_EQ(one.offloadedBytes, other.offloadedBytes);
  EXPECT_EQ(one.collectiveBytes, other.collectiveBytes);
  EXPECT_EQ(one.messageBytes, other.messageBytes);
}

} // namespace

void expectAgreement(const plan::Plan &plan, const Contestant &one, const Contestant &other) {
  auto expected = open(plan, one), actual = open(plan, other);
  ASSERT_TRUE(expected && actual);
  initialise(plan, *expected);
  initialise(plan, *actual);
  TestHost expectedHost(plan.ranks()), actualHost(plan.ranks());
  for (int step = 0; step < 3; ++step) {
    expectedHost.step = actualHost.step = step;
    Status first = expected->run(plan::Purpose::Train, expectedHost),
           second = actual->run(plan::Purpose::Train, actualHost);
    ASSERT_TRUE(first) << first.message();
    ASSERT_TRUE(second) << second.message();
    expectSameStates(plan, *expected, *actual);
    expectSameArenas(plan, *expected, *actual);
    for (const plan::Program &program : plan.programs)
      expectCopies(plan, program, *actual);
    ASSERT_EQ(expectedHost.fingerprints, actualHost.fingerprints);
  }
  ASSERT_TRUE(expected->run(plan::Purpose::Evaluate, expectedHost));
  ASSERT_TRUE(actual->run(plan::Purpose::Evaluate, actualHost));
  ASSERT_EQ(expectedHost.fingerprints, actualHost.fingerprints);
  EXPECT_GT(std::accumulate(actualHost.reports.begin(), actualHost.reports.end(), int64_t{0}), 0);
  expectSameCounters(expected->counters(), actual->counters());
}

} // namespace windlass::test
