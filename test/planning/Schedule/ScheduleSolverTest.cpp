// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Schedule/ScheduleSolver.h"

#include "planning/Schedule/ScheduleChecker.h"
#include "test/planning/Schedule/RandomSchedule.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <utility>

using namespace windlass;
using namespace windlass::planning;
using test::randomSchedule;

namespace {

constexpr int64_t kRoom = int64_t(1) << 40;

ScheduleSolution solved(const ScheduleProblem &problem) {
  Result<ScheduleSolution> solution = solveSchedule(problem);
  EXPECT_TRUE(solution.isOk()) << solution.status().message();
  if (!solution)
    return {};
  Status checked = checkSchedule(problem, *solution);
  EXPECT_TRUE(checked.isOk()) << checked.message();
  return solution.take();
}

ScheduleProblem parsed(std::string_view text) {
  Result<ScheduleProblem> problem = parseSchedule(text);
  EXPECT_TRUE(problem.isOk()) << problem.status().message();
  if (!problem)
    return {};
  return problem.take();
}

std::string refusal(std::string_view text) {
  Result<ScheduleProblem> problem = parseSchedule(text);
  return problem ? solveSchedule(*problem).status().message() : problem.status().message();
}

size_t positionOf(const ScheduleSolution &solution, uint32_t task) {
  return std::find(solution.order.begin(), solution.order.end(), task) - solution.order.begin();
}

uint32_t add(ScheduleProblem &problem, Task task) {
  problem.tasks.push_back(std::move(task));
  return static_cast<uint32_t>(problem.tasks.size() - 1);
}

/// Layers of a ZeRO-3 backward pass: gather, compute, reduce-scatter.
ScheduleProblem layers(int count, double compute, double gather, int64_t bytes, int64_t capacity) {
  ScheduleProblem problem;
  problem.capacity = {capacity, kRoom, kRoom};
  for (int layer = 0; layer < count; ++layer) {
    uint32_t whole = static_cast<uint32_t>(problem.buffers.size());
    problem.buffers.push_back({plan::Tier::Device, bytes});
    problem.buffers.push_back({plan::Tier::Device, bytes});
    uint32_t got = add(problem, {plan::Lane::Gg, TaskKind::Fetch, gather, layer, {}, {whole}});
    Task launch{plan::Lane::Compute, TaskKind::Work, compute, -1, {got}, {whole, whole + 1}};
    if (layer > 0)
      launch.predecessors.push_back(got - 2);
    uint32_t launched = add(problem, launch);
    add(problem, {plan::Lane::Gg, TaskKind::Drain, gather / 2, -1, {launched}, {whole + 1}});
  }
  return problem;
}

} // namespace

TEST(ScheduleSolver, AFetchRunsUnderTheWorkBeforeIt) {
  ScheduleSolution solution = solved(parsed("capacity device=100 host=0 nvme=0\n"
                                            "credits nc=1 cg=1 gg=1\n"
                                            "buffer tier=device bytes=10\n"
                                            "task lane=compute kind=work seconds=4\n"
                                            "task lane=gg kind=fetch seconds=3 group=0 buffers=0\n"
                                            "task lane=compute kind=work seconds=4 after=0,1 buffers=0\n"));
  EXPECT_EQ(solution.makespan, 8);
  EXPECT_EQ(solution.start[1], 0);
}

TEST(ScheduleSolver, WithoutOverlapProgramOrderIsKept) {
  ScheduleProblem problem = layers(4, 1, 1, 8, kRoom);
  problem.overlap = false;
  ScheduleSolution solution = solved(problem);
  EXPECT_TRUE(std::is_sorted(solution.order.begin(), solution.order.end()));
  problem.overlap = true;
  EXPECT_LT(solved(problem).makespan, solution.makespan);
}

TEST(ScheduleSolver, ComputeDoesNotWaitForADrain) {
  ScheduleSolution solution = solved(layers(3, 2, 0.5, 8, kRoom));
  EXPECT_DOUBLE_EQ(solution.makespan, 0.5 + 3 * 2 + 0.25); // first gather, three layers, last drain
}

TEST(ScheduleSolver, WorkOvertakesWorkThatWaitsForADrain) {
  ScheduleSolution solution = solved(parsed("capacity device=0 host=0 nvme=0\n"
                                            "task lane=compute kind=work seconds=1\n"
                                            "task lane=gg kind=drain seconds=5 after=0\n"
                                            "task lane=compute kind=work seconds=1 after=1\n"
                                            "task lane=compute kind=work seconds=3 after=0\n"));
  EXPECT_EQ(solution.makespan, 7);
  EXPECT_EQ(solution.order, (std::vector<uint32_t>{0, 1, 3, 2}));
}

/// If the host would run out of work, a drain for the host goes before drains that no task waits for.
TEST(ScheduleSolver, ADrainThatFeedsAnIdleLaneGoesBeforeOneThatFeedsNone) {
  const ScheduleSolution solution = solved(parsed("capacity device=0 host=0 nvme=0\n"
                                                  "task lane=cg_out kind=drain seconds=1\n"
                                                  "task lane=cg_out kind=drain seconds=1\n"
                                                  "task lane=cg_out kind=drain seconds=1\n"
                                                  "task lane=host_compute kind=work seconds=2 after=2\n"
                                                  "task lane=cg_out kind=drain seconds=1\n"
                                                  "task lane=host_compute kind=work seconds=2 after=4\n"));
  EXPECT_EQ(solution.order, (std::vector<uint32_t>{2, 0, 3, 4, 1, 5})) << "the host is fed just in time";
  EXPECT_EQ(solution.makespan, 5);
}

/// A lane that has work does not need an early drain, and program order is kept.
TEST(ScheduleSolver, ADrainThatFeedsABusyLaneWaitsItsTurn) {
  const ScheduleSolution solution = solved(parsed("capacity device=0 host=0 nvme=0\n"
                                                  "task lane=host_compute kind=work seconds=9\n"
                                                  "task lane=cg_out kind=drain seconds=1\n"
                                                  "task lane=cg_out kind=drain seconds=1\n"
                                                  "task lane=host_compute kind=work seconds=2 after=2\n"));
  EXPECT_EQ(solution.order, (std::vector<uint32_t>{0, 1, 2, 3}));
}

TEST(ScheduleSolver, CreditsLimitHowFarFetchesRunAhead) {
  for (int64_t credit : {1, 2, 4}) {
    ScheduleProblem problem = layers(8, 10, 0.5, 8, kRoom);
    problem.credits = {credit, credit, credit};
    ScheduleSolution solution = solved(problem);
    // Layer l has the tasks gather 3l and launch 3l + 1. Exactly `credit` gathers come before launch 1 of
    // layer 0.
    size_t ahead = 0;
    for (uint32_t layer = 0; layer < 8; ++layer)
      ahead += positionOf(solution, 3 * layer) < positionOf(solution, 1);
    EXPECT_LE(ahead, static_cast<size_t>(credit));
    EXPECT_GE(ahead, 1u);
  }
}

/// Passes that are spared fetch as far ahead as credits allow where memory is plenty, and no farther than is
/// of use where they would fill it. An update needs all of its fetches.
TEST(ScheduleSolver, PassesSpareMemoryThatTheirFetchesWouldFill) {
  constexpr uint32_t kLayers = 16;
  const auto ahead = [](bool spares, int32_t phase, int64_t capacity) {
    ScheduleProblem problem = layers(kLayers, 10, 0.5, 8, capacity);
    problem.sparesPasses = spares;
    problem.credits = {kLayers, kLayers, kLayers};
    for (Task &task : problem.tasks)
      task.phase = task.kind == TaskKind::Work ? phase : 0;
    const ScheduleSolution solution = solved(problem);
    EXPECT_DOUBLE_EQ(solution.makespan, 0.5 + 10 * kLayers + 0.25);
    int gathers = 0; // before the first launch, or under it
    for (uint32_t layer = 0; layer < kLayers; ++layer)
      gathers += solution.start[3 * layer] < solution.start[4];
    return gathers;
  };
  constexpr int64_t kFilled = 8 * kLayers + 16;
  EXPECT_EQ(ahead(true, 0, kRoom), kLayers);
  EXPECT_EQ(ahead(false, 0, kFilled), kLayers);
  EXPECT_LE(ahead(true, 0, kFilled), 5);
  EXPECT_EQ(ahead(true, kUpdatePhase, kFilled), kLayers);
}

TEST(ScheduleSolver, AFetchStandsBehindItsPhase) {
  std::string_view text = "capacity device=0 host=0 nvme=0\n"
                          "task lane=compute kind=work seconds=2\n"
                          "task lane=compute kind=work seconds=2 phase=1 after=0\n"
                          "task lane=nc_in kind=fetch seconds=1 group=0 not_before=1\n"
                          "task lane=host_compute kind=work seconds=1 phase=2 after=1,2\n";
  ScheduleSolution solution = solved(parsed(text));
  EXPECT_GT(positionOf(solution, 2), positionOf(solution, 1));
  EXPECT_EQ(solution.makespan, 5);
}

TEST(ScheduleSolver, MemoryIsNeverExceeded) {
  ScheduleProblem roomy = layers(6, 1, 0.5, 100, kRoom), tight = layers(6, 1, 0.5, 100, 200);
  ScheduleSolution fast = solved(roomy), slow = solved(tight);
  EXPECT_TRUE(slow.fits);
  EXPECT_LE(slow.peak[0], 200);
  EXPECT_GT(fast.peak[0], 200);
  EXPECT_LT(fast.makespan, slow.makespan);
}

TEST(ScheduleSolver, WhatDoesNotFitInProgramOrderIsSaidNotToFit) {
  ScheduleSolution solution = solved(layers(3, 1, 1, 100, 199));
  EXPECT_FALSE(solution.fits);
  EXPECT_EQ(solution.peak[0], 200);
}

TEST(ScheduleSolver, MalformedProblemsAreRefused) {
  EXPECT_EQ(refusal("task lane=compute after=0"), "task 0: predecessor 0 does not stand before it");
  EXPECT_EQ(refusal("task lane=compute seconds=-1"), "task 0: seconds must be zero or more");
  EXPECT_EQ(refusal("task lane=compute buffers=0"), "task 0: there is no buffer 0");
  EXPECT_EQ(refusal("buffer bytes=1\ntask buffers=0,0"), "task 0: a buffer is named twice");
  EXPECT_EQ(refusal("buffer bytes=-5"), "buffer 0: bytes must be zero or more and 2^60 in all, is -5");
  EXPECT_EQ(refusal("task lane=warp"), "line 1: lane: no such word: \"warp\"");
  EXPECT_EQ(refusal("overlap maybe"), "line 1: overlap: must be on or off, is \"maybe\"");
  EXPECT_EQ(refusal("spare nobody"), "line 1: spare: must be passes, is \"nobody\"");
}

TEST(ScheduleSolver, RandomProblemsPassTheChecker) {
  int faster = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    ScheduleProblem problem = randomSchedule(random);
    ScheduleSolution solution = solved(problem);
    EXPECT_TRUE(solution.fits) << "seed " << seed;
    problem.overlap = false;
    double inOrder = solved(problem).makespan;
    EXPECT_LE(solution.makespan, inOrder);
    faster += solution.makespan < inOrder;
  }
  EXPECT_GT(faster, 100);
}

/// Solves a problem again with what its solution says to be enough memory. Returns whether that is less.
static bool isTheSameWithEnough(ScheduleProblem problem) {
  const ScheduleSolution solution = solved(problem);
  const std::array<int64_t, 3> capacity = std::exchange(problem.capacity, solution.enough);
  EXPECT_TRUE(std::ranges::equal(solution.enough, capacity, std::less_equal()));
  const bool isLess = solution.enough != capacity;
  for (bool spares : {problem.sparesPasses, problem.sparesPasses || isLess}) {
    problem.sparesPasses = spares;
    const ScheduleSolution again = solved(problem);
    EXPECT_EQ(again.order, solution.order);
    EXPECT_EQ(again.start, solution.start);
    EXPECT_EQ(again.fits, solution.fits);
  }
  return isLess;
}

TEST(ScheduleSolver, MemoryThatIsEnoughChangesNothing) {
  int less = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    less += isTheSameWithEnough(randomSchedule(random));
  }
  EXPECT_GT(less, 100);
}

/// The same where sparing passes changes the order.
TEST(ScheduleSolver, MemoryThatIsEnoughChangesNothingWherePassesAreSpared) {
  int less = 0, spared = 0;
  for (int64_t capacity = 8 * 3; capacity < 8 * 32; capacity += 5) {
    SCOPED_TRACE("capacity " + std::to_string(capacity));
    ScheduleProblem problem = layers(16, 10, 0.5, 8, capacity);
    problem.credits = {16, 16, 16};
    less += isTheSameWithEnough(problem);
    const std::vector<uint32_t> order = solved(problem).order;
    problem.sparesPasses = true;
    less += isTheSameWithEnough(problem);
    spared += solved(problem).order != order;
  }
  EXPECT_GT(less, 10);
  EXPECT_GT(spared, 10);
}

TEST(ScheduleSolver, TheTextFormReadsBack) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    ScheduleProblem problem = randomSchedule(random);
    problem.sparesPasses = seed % 2 == 0;
    std::string text = printSchedule(problem);
    EXPECT_EQ(parsed(text).sparesPasses, problem.sparesPasses);
    EXPECT_EQ(printSchedule(parsed(text)), text);
    EXPECT_EQ(solved(parsed(text)).order, solved(problem).order);
  }
}

TEST(ScheduleSolver, TwentyThousandTasksComeCloseToTheBound) {
  ScheduleProblem problem = layers(6'700, 1e-3, 9e-4 / 1.5, 1 << 20, 8 << 20);
  ScheduleSolution solution = solved(problem);
  EXPECT_LT(solution.makespan, 1.01 * solution.lowerBound);
}
