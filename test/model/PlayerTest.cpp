// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The player without plans: it runs the sections of the schedule, tasks wait by the rules, and equal runs
// that are skipped take the same time as played ones.
#include "model/Player.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace windlass;
using namespace windlass::model;
using plan::Lane;

namespace {

TimedTask task(Lane lane, double seconds, std::vector<TimedWait> waits = {}) {
  TimedTask task;
  task.lane = lane;
  task.seconds = seconds;
  task.waits = std::move(waits);
  return task;
}

PlayedTasks played(const TimedStep &step, Spans spans = Spans::Kept) {
  Result<PlayedTasks> result = play(step, spans);
  EXPECT_TRUE(result) << result.status().message();
  return result ? result.take() : PlayedTasks();
}

/// The ends of the tasks of rank 0.
std::vector<double> ends(const TimedStep &step) {
  const PlayedTasks result = played(step);
  std::vector<double> ends;
  for (const TimeSpan &span : result.spans.front())
    ends.push_back(span.end);
  return ends;
}

TEST(Player, runsWhatTheScheduleSays) {
  TimedStep step;
  step.programs[0].sections = {{"warm", {task(Lane::Compute, 1)}}, {"steady", {task(Lane::Compute, 10)}}};
  step.programs[0].schedule = {{1, 2}, {0, 3}, {1, 1}};
  EXPECT_EQ(ends(step), (std::vector<double>{10, 20, 21, 22, 23, 33}));
  step.programs[0].schedule = {{0, 1}};
  EXPECT_EQ(ends(step), std::vector<double>{1});
  step.programs[0].schedule = {};
  EXPECT_EQ(played(step).seconds, 0);
}

TEST(Player, aWaitForTheRunBeforeIsOneForItsSection) {
  TimedStep step;
  step.programs[0].sections = {{"fetch", {task(Lane::CgIn, 5)}},
                               {"work", {task(Lane::Compute, 1, {{Lane::CgIn, 1, 0}})}}};
  step.programs[0].schedule = {{0, 1}, {1, 2}};
  EXPECT_EQ(ends(step), (std::vector<double>{5, 6, 7})); // the second comes after work, and waits for nothing
  step.programs[0].schedule = {{1, 1}, {0, 1}, {1, 1}};
  EXPECT_EQ(ends(step), (std::vector<double>{1, 5, 6}));
}

TEST(Player, aRunWaitsForTheRunTwoPlacesBack) {
  TimedStep step;
  step.programs[0].sections = {
      {"long", {task(Lane::CgOut, 9)}}, {"short", {task(Lane::Compute, 1)}}, {"empty", {}}};
  step.programs[0].schedule = {{0, 1}, {1, 2}};
  EXPECT_EQ(ends(step), (std::vector<double>{9, 1, 10}));
  step.programs[0].schedule = {{2, 2}, {0, 1}, {2, 1}, {1, 1}};
  EXPECT_EQ(ends(step), (std::vector<double>{9, 10}));
}

TEST(Player, ofARankTasksOfOthersTakeNoTime) {
  TimedStep step;
  TimedTask first = task(Lane::CgIn, 3), second = task(Lane::CgIn, 4);
  first.owner = 0;
  second.owner = 1;
  step.programs[0].sections = {
      {"only", {first, second, task(Lane::Gg, 1, {{Lane::CgIn, 1}}), task(Lane::Compute, 2)}}};
  step.programs[0].schedule = {{0, 1}};
  step.programs[0].ranks = 2;
  const PlayedTasks both = played(step);
  EXPECT_EQ(both.spans[0][0].end, 3);
  EXPECT_EQ(both.spans[1][0].end, 0);
  EXPECT_EQ(both.spans[1][1].end, 4);
  EXPECT_EQ(both.spans[1][2].start, 3); // the collective waits for the owner's rank
  EXPECT_EQ(both.seconds, 4);
  step.programs[0].ranks = 1; // one rank stands for all, so that owners do not count
  EXPECT_EQ(played(step).seconds, 7);
}

/// Of what lanes share, a lane that could use more than all of it asks for all of it: how much faster it
/// would be alone changes nothing, neither for itself nor for the others.
TEST(Player, aLaneAsksForNoMoreThanAllThatIsShared) {
  auto endsOf = [](double ofHost, double seconds) {
    TimedStep step;
    step.sharedWeight[static_cast<size_t>(Lane::HostCompute)] = ofHost;
    step.sharedWeight[static_cast<size_t>(Lane::CgIn)] = 0.25;
    step.programs[0].sections = {{"only", {task(Lane::HostCompute, seconds), task(Lane::CgIn, 4)}}};
    step.programs[0].schedule = {{0, 1}};
    return ends(step);
  };
  EXPECT_EQ(endsOf(0.5, 4), (std::vector<double>{4, 4})) << "together they ask for less than all";
  EXPECT_EQ(endsOf(1, 4), (std::vector<double>{5, 5}));
  EXPECT_EQ(endsOf(2, 2), (std::vector<double>{5, 5}));
  EXPECT_EQ(endsOf(4, 1), (std::vector<double>{5, 5}));
  EXPECT_EQ(endsOf(4, 0), (std::vector<double>{0, 4}));
}

TEST(Player, saysWhichTaskWaitsForEver) {
  TimedStep step;
  step.programs[0].sections = {{"a", {task(Lane::Compute, 1)}},
                               {"b", {task(Lane::Compute, 1), task(Lane::Gg, 1, {{Lane::CgIn, 1}})}}};
  step.programs[0].schedule = {{0, 1}, {1, 1}};
  EXPECT_EQ(play(step, Spans::Forgotten).status().message(),
            "instruction 1 of section \"b\" waits for ever on lane \"gg\"");
}

/// Tasks of random lanes, seconds and owners, which wait for earlier tasks in their section and in the
/// section before it.
TimedStep randomStep(std::mt19937 &random, bool hasDisk) {
  auto below = [&](int64_t bound) { return static_cast<int64_t>(random() % static_cast<uint64_t>(bound)); };
  const std::vector<Lane> lanes =
      hasDisk ? std::vector{Lane::Compute, Lane::CgIn, Lane::NcIn, Lane::NcOut, Lane::Gg}
              : std::vector{Lane::Compute, Lane::Gg, Lane::CgIn, Lane::CgOut, Lane::Nodes};
  TimedStep step;
  step.programs[0].ranks = 1 + below(3);
  std::vector<std::array<uint32_t, kLanes>> counts;
  for (int64_t section = 0; section < 3; ++section) {
    step.programs[0].sections.push_back({"s" + std::to_string(section), {}});
    counts.emplace_back();
    for (int64_t i = below(12); i >= 0; --i) {
      TimedTask next = task(lanes[static_cast<size_t>(below(5))], static_cast<double>(below(50)) / 16);
      const bool meets = next.lane == Lane::Gg || next.lane == Lane::Nodes;
      next.owner = meets || below(2) ? kAllRanks : below(step.programs[0].ranks);
      next.link = next.lane == Lane::Gg ? RateId::Gg : RateId::Nodes;
      for (Lane lane : lanes) {
        const size_t index = static_cast<size_t>(lane);
        if (lane != next.lane && counts.back()[index] > 0 && below(3) == 0)
          next.waits.push_back({lane, static_cast<uint32_t>(1 + below(counts.back()[index]))});
        const int64_t before = below(section + 1); // sections may follow themselves
        if (before < section && counts[static_cast<size_t>(before)][index] > 0 && below(4) == 0)
          next.waits.push_back(
              {lane, static_cast<uint32_t>(1 + below(counts[static_cast<size_t>(before)][index])), before});
      }
      ++counts.back()[static_cast<size_t>(next.lane)];
      step.programs[0].sections.back().tasks.push_back(std::move(next));
    }
  }
  for (int64_t i = 0; i < 4; ++i)
    step.programs[0].schedule.push_back({static_cast<uint32_t>(below(3)), 1 + below(3)});
  return step;
}

/// The ends by rank and task, computed one after the other from the rules. No two lanes slow each other down.
std::vector<std::vector<double>> endsByTheRules(const TimedStep &step) {
  struct Run {
    uint32_t section;
    std::vector<std::array<std::vector<double>, kLanes>> ends; ///< by rank: the ends of each lane's tasks
  };
  const size_t ranks = static_cast<size_t>(step.programs[0].ranks);
  std::vector<std::vector<double>> all(ranks);
  std::vector<Run> runs;
  std::vector<std::array<double, kLanes>> free(ranks);
  // Of all runs up to the last, and up to the one before it.
  std::vector<double> drained(ranks), twoBack(ranks);
  for (const plan::SectionRuns &repeated : step.programs[0].schedule)
    for (int64_t i = 0; i < repeated.times; ++i) {
      runs.push_back({repeated.section, {}});
      runs.back().ends.resize(ranks);
      std::vector<double> latest = drained;
      for (const TimedTask &task : step.programs[0].sections[repeated.section].tasks) {
        const size_t lane = static_cast<size_t>(task.lane);
        std::vector<double> start(ranks);
        for (size_t rank = 0; rank < ranks; ++rank) {
          start[rank] = std::max(free[rank][lane], twoBack[rank]);
          for (const TimedWait &wait : task.waits) {
            const bool isHere = wait.before == kSameRun;
            if (!isHere && (runs.size() < 2 || runs[runs.size() - 2].section != wait.before))
              continue;
            const Run &run = runs[runs.size() - (isHere ? 1 : 2)];
            start[rank] =
                std::max(start[rank], run.ends[rank][static_cast<size_t>(wait.lane)][wait.ordinal - 1]);
          }
        }
        if (task.lane == Lane::Gg || task.lane == Lane::Nodes)
          start.assign(ranks, *std::ranges::max_element(start));
        for (size_t rank = 0; rank < ranks; ++rank) {
          const bool runsIt =
              ranks == 1 || task.owner == kAllRanks || task.owner == static_cast<int64_t>(rank);
          free[rank][lane] = start[rank] + (runsIt ? task.seconds : 0);
          runs.back().ends[rank][lane].push_back(free[rank][lane]);
          all[rank].push_back(free[rank][lane]);
          latest[rank] = std::max(latest[rank], free[rank][lane]);
        }
      }
      twoBack = drained;
      drained = latest;
    }
  return all;
}

TEST(Player, keepsToTheRulesOnRandomSteps) {
  std::mt19937 random(7);
  size_t severalRanks = 0;
  for (int i = 0; i < 300; ++i) {
    const TimedStep step = randomStep(random, /*hasDisk=*/false);
    const PlayedTasks result = played(step);
    const std::vector<std::vector<double>> expected = endsByTheRules(step);
    ASSERT_EQ(result.spans.size(), expected.size());
    for (size_t rank = 0; rank < expected.size(); ++rank) {
      ASSERT_EQ(result.spans[rank].size(), expected[rank].size());
      for (size_t task = 0; task < expected[rank].size(); ++task)
        ASSERT_NEAR(result.spans[rank][task].end, expected[rank][task], 1e-9) << i << ": " << task;
    }
    severalRanks += expected.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(severalRanks, 100u);
}

/// On shared cores, with a disk whose directions take turns.
TEST(Player, passesOverRunsThatAreAlike) {
  std::mt19937 random(11);
  for (int i = 0; i < 200; ++i) {
    TimedStep step = randomStep(random, /*hasDisk=*/true);
    step.sharedWeight.fill(0.75);
    step.nvmeDepth = 1 + i % 3;
    step.nvmeLatency = 0.125;
    step.nvmeDuplex = 1.25;
    for (TimedSection &section : step.programs[0].sections)
      for (TimedTask &task : section.tasks)
        task.requestWork = task.seconds / 8;
    step.programs[0].schedule[1].times = 40 + i % 2;
    step.programs[0].schedule[3].times = 100;
    EXPECT_NEAR(played(step, Spans::Forgotten).seconds, played(step).seconds, 1e-9 * played(step).seconds)
        << i;
  }
}

TEST(Player, passesOverAMillionRunsAtOnce) {
  TimedStep step;
  step.programs[0].sections = {{"first", {task(Lane::Compute, 3)}},
                               {"middle", {task(Lane::CgIn, 1), task(Lane::Compute, 2, {{Lane::CgIn, 1}})}},
                               {"last", {task(Lane::CgOut, 5, {{Lane::Compute, 1, 1}})}}};
  step.programs[0].schedule = {{0, 1}, {1, 1'000'000}, {2, 1}};
  EXPECT_NEAR(played(step, Spans::Forgotten).seconds, 2'000'008, 1e-3);
}

} // namespace
