// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Prefetch/PrefetchSolver.h"

#include "planning/Prefetch/PrefetchChecker.h"
#include "test/planning/Schedule/RandomSchedule.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::planning;

namespace {

constexpr int64_t kRoom = int64_t(1) << 40;
constexpr Credits kAll{1000, 1000, 1000};

PrefetchWindow solved(const ScheduleProblem &problem) {
  PrefetchWindow window = solvePrefetch(problem);
  Status checked = checkPrefetch(problem, window);
  EXPECT_TRUE(checked.isOk()) << checked.message() << "\n" << printSchedule(problem);
  return window;
}

struct Layer {
  double read, upload, gather, compute; ///< seconds
};

/// The parameters of every layer come from the disk in three hops, and then the layer computes.
ScheduleProblem chainOf(const std::vector<Layer> &layers) {
  ScheduleProblem problem;
  problem.capacity = {kRoom, kRoom, kRoom};
  for (const Layer &layer : layers) {
    const uint32_t first = static_cast<uint32_t>(problem.tasks.size());
    const int32_t group = static_cast<int32_t>(first / 4);
    problem.tasks.push_back({plan::Lane::NcIn, TaskKind::Fetch, layer.read, group, {}, {}});
    problem.tasks.push_back({plan::Lane::CgIn, TaskKind::Fetch, layer.upload, group, {first}, {}});
    problem.tasks.push_back({plan::Lane::Gg, TaskKind::Fetch, layer.gather, group, {first + 1}, {}});
    problem.tasks.push_back({plan::Lane::Compute, TaskKind::Work, layer.compute, -1, {first + 2}, {}});
  }
  return problem;
}

/// The starts of all launches, and the end of the step, if a group on a link begins no earlier than the user
/// of the group `credits` before it.
std::vector<double> launches(const std::vector<Layer> &layers, const Credits &credits) {
  std::array<double, kLinks.size()> free{};
  std::vector<double> starts;
  double computed = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    double arrived = 0;
    for (auto [link, seconds] : {std::pair(Link::Nc, layers[i].read), std::pair(Link::Cg, layers[i].upload),
                                 std::pair(Link::Gg, layers[i].gather)}) {
      const size_t ahead = static_cast<size_t>(credits.of(link));
      double &end = free[static_cast<size_t>(link)];
      arrived = end = std::max({end, arrived, i >= ahead ? starts[i - ahead] : 0}) + seconds;
    }
    starts.push_back(std::max(arrived, computed));
    computed = starts.back() + layers[i].compute;
  }
  starts.push_back(computed);
  return starts;
}

Credits creditsOf(const PrefetchWindow &window) {
  return {window.of(Link::Nc).credits, window.of(Link::Cg).credits, window.of(Link::Gg).credits};
}

} // namespace

/// In an even step, Little's law gives the credits: the number of periods that a fetch takes until its user
/// begins.
TEST(PrefetchSolver, EvenLayersNeedLatencyOverPeriod) {
  for (double latency : {0.1, 0.5, 1.0, 2.0, 3.5})
    for (double period : {4.0, 5.0, 10.0}) {
      Layer even{latency + 0.25, latency + 0.125, latency, period};
      PrefetchWindow window = solved(chainOf(std::vector<Layer>(20, even)));
      double toUser = 0;
      for (auto [link, seconds] : {std::pair(Link::Gg, even.gather), std::pair(Link::Cg, even.upload),
                                   std::pair(Link::Nc, even.read)}) {
        toUser += seconds;
        EXPECT_EQ(window.of(link).credits, std::ceil(toUser / period)) << latency << " s, " << period << " s";
        EXPECT_NEAR(window.of(link).seconds, toUser, 1e-6);
      }
    }
}

/// Gathers of groups across nodes have a lane of their own, and share the credits of gathers between
/// neighbours.
TEST(PrefetchSolver, BothLanesBetweenRanksShareCredits) {
  const ScheduleProblem one = chainOf(std::vector<Layer>(20, {0, 0, 3.5, 4}));
  ScheduleProblem apart = one, mixed = one;
  for (size_t gather = 2; gather < one.tasks.size(); gather += 4) {
    apart.tasks[gather].lane = plan::Lane::Nodes;
    if (gather % 8 == 2)
      mixed.tasks[gather].lane = plan::Lane::Nodes;
  }
  ASSERT_EQ(creditsOf(solved(one)).gg, 1);
  EXPECT_EQ(creditsOf(solved(apart)).gg, 1);
  EXPECT_EQ(creditsOf(solved(mixed)).gg, 1);
  // Each lane is free for longer than a single one.
  for (Layer slower : {Layer{0, 0, 4.5, 4}, Layer{0, 0, 7, 4}}) {
    ScheduleProblem problem = chainOf(std::vector<Layer>(20, slower));
    for (size_t gather = 2; gather < problem.tasks.size(); gather += 8)
      problem.tasks[gather].lane = plan::Lane::Nodes;
    EXPECT_EQ(creditsOf(solved(problem)).gg, 2) << slower.gather << " s";
  }
}

TEST(PrefetchSolver, WhatIsSlowerThanItsUsersGoesNoFurtherAhead) {
  PrefetchWindow window = solved(chainOf(std::vector<Layer>(20, {0, 0, 5, 1})));
  EXPECT_EQ(window.of(Link::Gg).credits, 1); // the link is never idle
}

/// A long gather after many short launches begins while the gathers before it are not used yet.
TEST(PrefetchSolver, OneLongFetchDecides) {
  std::vector<Layer> layers(8, {0, 0, 0.25, 1});
  layers[6].gather = 3;
  PrefetchWindow window = solved(chainOf(layers));
  const LinkWindow &gather = window.of(Link::Gg);
  EXPECT_EQ(gather.credits, 3);
  ASSERT_TRUE(gather.fetch);
  EXPECT_EQ(*gather.fetch, 4u * 6 + 2);
  EXPECT_EQ(gather.user, 4u * 6 + 3);
  EXPECT_EQ(gather.seconds, 3);
  EXPECT_EQ(gather.late, 1);
  EXPECT_EQ(gather.longest, *gather.fetch);
}

/// The second gather takes almost no time, but it is the last of two: meanwhile the first one runs.
TEST(PrefetchSolver, TheLongestFillsTheWindow) {
  PrefetchWindow window = solved(parseSchedule("task lane=compute kind=work seconds=1\n"
                                               "task lane=gg kind=fetch seconds=3 group=0\n"
                                               "task lane=gg kind=fetch seconds=0.125 group=1\n"
                                               "task lane=compute kind=work seconds=1 after=0,2\n"
                                               "task lane=compute kind=work seconds=1 after=1,3\n")
                                     .take());
  const LinkWindow &gather = window.of(Link::Gg);
  EXPECT_EQ(gather.credits, 2);
  EXPECT_EQ(gather.fetch, 2u);
  EXPECT_EQ(gather.late, 1.125);
  EXPECT_EQ(gather.longest, 1u);
  EXPECT_EQ(gather.longestAhead, 4.125);
}

/// With its credits no launch waits for a fetch that could be earlier. With one credit less on a link some
/// launch waits, and the step is no faster.
TEST(PrefetchSolver, AsManyAsAreNeededAndNoMore) {
  int moreThanOne = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::vector<Layer> layers(2 + random() % 20);
    for (Layer &layer : layers) // sums of whole numbers are exact
      for (double *seconds : {&layer.read, &layer.upload, &layer.gather, &layer.compute})
        *seconds = static_cast<double>(random() % 8);
    const Credits needed = creditsOf(solved(chainOf(layers)));
    const std::vector<double> best = launches(layers, kAll);
    EXPECT_EQ(launches(layers, needed), best) << "seed " << seed;
    for (Link link : kLinks) {
      if (needed.of(link) == 1)
        continue;
      ++moreThanOne;
      Credits fewer = kAll;
      fewer.of(link) = needed.of(link) - 1;
      const std::vector<double> slower = launches(layers, fewer);
      EXPECT_NE(slower, best) << "seed " << seed;
      for (size_t i = 0; i < best.size(); ++i)
        EXPECT_GE(slower[i], best[i]) << "seed " << seed;
    }
  }
  EXPECT_GT(moreThanOne, 300);
}

/// Drains share lanes, groups have several fetches, and phases hold some fetches back.
TEST(PrefetchSolver, RandomProblemsPassTheChecker) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    solved(test::randomSchedule(random));
  }
}

TEST(PrefetchSolver, ALinkThatFetchesNothingHasOneCredit) {
  PrefetchWindow window = solved(ScheduleProblem());
  for (Link link : kLinks) {
    EXPECT_EQ(window.of(link).credits, 1);
    EXPECT_FALSE(window.of(link).fetch);
  }
}
