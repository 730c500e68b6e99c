// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/LaneState.h"

#include <algorithm>
#include <cmath>

namespace windlass::model {

Moment::Moment(const std::vector<RankState> &ranks, uint64_t run, const RunRange &repeated,
               const TaskCounts &before, double now)
    : run(run), now(now) {
  // A lane that waits for what comes after the repeated runs stays there while these pass.
  auto counted = [&](uint64_t other) { return other >= repeated.end ? other : other - run + repeated.begin; };
  for (const RankState &rank : ranks) {
    counts.insert(counts.end(), {rank.completeRuns - run, rank.open[run % 2], rank.open[(run + 1) % 2]});
    times.push_back(std::max(0.0, rank.diskFree - now));
    for (size_t index = 0; index < kLanes; ++index) {
      const LaneState &lane = rank.lanes[index];
      counts.insert(counts.end(), {counted(lane.run), lane.place, lane.completed - before[index]});
      times.push_back(std::max(0.0, lane.linkFree - now));
      for (const Flight &flight : lane.flights) {
        counts.insert(counts.end(), {counted(flight.run), flight.number});
        times.insert(times.end(), {flight.left, std::max(0.0, flight.end - now), flight.weight});
      }
    }
  }
}

bool Moment::isAlike(const Moment &other) const {
  const double grain = 1e-12 + std::max(now, other.now) * 1e-12;
  return counts == other.counts &&
         std::ranges::equal(times, other.times, [&](double a, double b) { return std::abs(a - b) <= grain; });
}

void passRuns(std::vector<RankState> &ranks, uint64_t runs, double period, const RunRange &repeated,
              const TaskCounts &tasks) {
  const double passed = static_cast<double>(runs) * period;
  auto pass = [&](uint64_t &run) { run += run >= repeated.end ? 0 : runs; };
  for (RankState &rank : ranks) {
    rank.completeRuns += runs;
    if (runs % 2 == 1)
      std::swap(rank.open[0], rank.open[1]);
    rank.diskFree += passed;
    rank.settled += passed;
    for (size_t index = 0; index < kLanes; ++index) {
      LaneState &lane = rank.lanes[index];
      pass(lane.run);
      lane.completed += runs * tasks[index];
      lane.awaitedTasks = 0;
      lane.linkFree += passed;
      for (Flight &flight : lane.flights) {
        pass(flight.run);
        flight.end += passed;
      }
    }
  }
}

} // namespace windlass::model
