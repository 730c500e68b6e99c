// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/Canaries.h"
#include "runtime/plan/SectionSchedule.h"

#include "runtime/plan/Enums.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/Layout.h"
#include "runtime/training/step/StepHosts.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace windlass::test {

using plan::BufferClass;
using plan::Tier;

namespace {

constexpr std::byte kOne{0xA5}, kOther{0x5A};

/// The plan with a buffer over every gap of its NVMe arena, so that gaps can be written and read like
/// buffers.
plan::Plan withNvmeGaps(plan::Plan plan) {
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (const plan::Buffer &buffer : plan.programs[0].buffers)
    if (buffer.tier == Tier::Nvme)
      taken.push_back({buffer.offset, buffer.offset + buffer.bytes});
  const plan::Arena *arena = plan::arenaOf(plan.programs[0], Tier::Nvme);
  if (!arena)
    return plan;
  taken.push_back({arena->bytes, arena->bytes});
  std::sort(taken.begin(), taken.end());
  int64_t end = 0;
  for (auto [from, to] : taken) {
    if (from > end)
      plan.programs[0].buffers.push_back({"gap", BufferClass::Staging, Tier::Nvme, end, from - end, false});
    end = std::max(end, to);
  }
  return plan;
}

void fillNvme(const plan::Plan &plan, Executor &executor, std::byte canary) {
  for (int64_t rank = 0; rank < plan.ranks(); ++rank)
    for (uint32_t i = 0; i < plan.programs[0].buffers.size(); ++i)
      if (plan.programs[0].buffers[i].tier == Tier::Nvme) {
        std::vector<std::byte> bytes(plan.programs[0].buffers[i].bytes, canary);
        ASSERT_TRUE(executor.writeBytes(rank, {i, 0, plan.programs[0].buffers[i].bytes, {}}, 0, bytes));
      }
}

std::vector<std::byte> arenaBytes(const plan::Plan &plan, Executor &executor, int64_t rank, Tier tier) {
  if (tier != Tier::Nvme) {
    std::span<const std::byte> arena = executor.arena(rank, tier);
    return {arena.begin(), arena.end()};
  }
  std::vector<std::byte> bytes(plan::arenaOf(plan.programs[0], tier)->bytes);
  for (uint32_t i = 0; i < plan.programs[0].buffers.size(); ++i)
    if (const plan::Buffer &buffer = plan.programs[0].buffers[i]; buffer.tier == tier) {
      std::span part(bytes.data() + buffer.offset, static_cast<size_t>(buffer.bytes));
      EXPECT_TRUE(executor.readBytes(rank, {i, 0, buffer.bytes, {}}, 0, part));
    }
  return bytes;
}

void runForwardSections(const plan::Plan &plan, Executor &executor) {
  auto data = openData("synthetic:5", plan);
  ASSERT_TRUE(data) << data.status().message();
  auto batches = Batches::create(plan, **data, 3, true);
  ASSERT_TRUE(batches) << batches.status().message();
  if (plan::serves(plan, plan::Purpose::Evaluate)) {
    ValidationHost validation(plan, *batches);
    validation.begin(0);
    ASSERT_TRUE(executor.run(plan::Purpose::Evaluate, validation));
  }
  if (plan::serves(plan, plan::Purpose::Sample)) {
    SamplingHost sampling(plan);
    const std::vector<int32_t> tokens = {1, 2, 3};
    sampling.begin(tokens);
    ASSERT_TRUE(executor.run(plan::Purpose::Sample, sampling));
  }
}

struct CanaryRun {
  Outcome outcome;
  std::map<std::pair<int64_t, Tier>, std::vector<std::byte>> arenas; ///< by rank and tier, after the run
};

CanaryRun runOverCanary(const Compiled &compiled, const plan::Plan &plan, int canary) {
  ExecutorOptions options;
  options.canary = canary;
  std::unique_ptr<Executor> executor = openExecutor(compiled, plan, options);
  if (!executor)
    return {};
  fillNvme(plan, *executor, static_cast<std::byte>(canary));
  CanaryRun run{trainOn(plan, *executor), {}};
  runForwardSections(plan, *executor);
  for (int64_t rank = 0; rank < plan.ranks(); ++rank)
    for (const plan::Arena &arena : plan.programs[0].arenas)
      run.arenas[{rank, arena.tier}] = arenaBytes(plan, *executor, rank, arena.tier);
  return run;
}

enum class Planned : uint8_t { Nothing, Contents, Scratch };

/// The planned bytes of one rank. The arena also has the buffers of other owners, which this rank must not
/// touch.
std::vector<Planned> plannedBytes(const plan::Plan &plan, const plan::Arena &arena, int64_t rank) {
  std::vector<Planned> planned(arena.bytes, Planned::Nothing);
  for (BufferClass pass : {BufferClass::Parameter, BufferClass::Workspace}) // scratch comes last
    for (const plan::Buffer &buffer : plan.programs[0].buffers)
      if (const bool scratch = buffer.cls == BufferClass::Workspace;
          buffer.tier == arena.tier && buffer.name != "gap" &&
          (buffer.owner == plan::kEveryRank || buffer.owner == plan::dataPlace(plan, rank)) &&
          scratch == (pass == BufferClass::Workspace))
        std::fill_n(planned.begin() + buffer.offset, buffer.bytes,
                    scratch ? Planned::Scratch : Planned::Contents);
  return planned;
}

/// The buffers that hold a byte, for messages.
std::string holdersOf(const plan::Plan &plan, Tier tier, int64_t at) {
  std::string names;
  for (const plan::Buffer &buffer : plan.programs[0].buffers)
    if (buffer.tier == tier && buffer.offset <= at && at < buffer.offset + buffer.bytes)
      names += "\"" + buffer.name + "\" at " + std::to_string(at - buffer.offset) + " of " +
               std::to_string(buffer.bytes) + " ";
  return names;
}

void expectOnlyPlanned(const plan::Plan &plan, const plan::Arena &arena, const CanaryRun &a,
                       const CanaryRun &b) {
  for (int64_t rank = 0; rank < plan.ranks(); ++rank) {
    const std::vector<Planned> planned = plannedBytes(plan, arena, rank);
    const auto &first = a.arenas.at({rank, arena.tier}), &second = b.arenas.at({rank, arena.tier});
    ASSERT_EQ(std::ssize(first), arena.bytes);
    for (int64_t at = 0; at < arena.bytes; ++at) {
      if (planned[at] == Planned::Nothing) {
        ASSERT_TRUE(first[at] == kOne && second[at] == kOther)
            << "rank " << rank << ", " << plan::textOf(arena.tier) << " byte " << at << " was written";
      }
      if (planned[at] == Planned::Contents) {
        ASSERT_EQ(first[at], second[at]) << "rank " << rank << ", " << plan::textOf(arena.tier) << " byte "
                                         << at << " was not written: " << holdersOf(plan, arena.tier, at);
      }
    }
  }
}

} // namespace

Outcome expectOnlyPlannedBytes(const Compiled &compiled) {
  const plan::Plan plan = withNvmeGaps(compiled.plan);
  CanaryRun a = runOverCanary(compiled, plan, static_cast<int>(kOne)),
            b = runOverCanary(compiled, plan, static_cast<int>(kOther));
  EXPECT_EQ(a.arenas.size(), plan.ranks() * plan.programs[0].arenas.size());
  EXPECT_EQ(b.arenas.size(), a.arenas.size());
  if (!::testing::Test::HasFailure())
    for (const plan::Arena &arena : plan.programs[0].arenas)
      expectOnlyPlanned(plan, arena, a, b);
  return a.outcome;
}

} // namespace windlass::test
