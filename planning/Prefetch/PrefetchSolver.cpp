// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Prefetch/PrefetchSolver.h"

#include "planning/Schedule/ListScheduler.h"
#include "planning/Schedule/ScheduleSolver.h"
#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

namespace windlass::planning {
namespace {

/// The busy times of a lane, while its fetches are moved, the last one first.
class LaneTimes {
public:
  void take(double begin, double end) {
    double &last = taken[begin];
    last = std::max(last, end);
  }

  /// Adds a fetch. Fetches that are moved later do not fall behind those that follow them in program order.
  void takeFetch(uint32_t index, double begin, double end) {
    take(begin, end);
    auto next = behind.upper_bound(index);
    if (next != behind.end() && next->second <= begin)
      return;
    while (next != behind.begin() && std::prev(next)->second >= begin)
      behind.erase(std::prev(next));
    behind.emplace(index, begin);
  }

  /// The latest begin of so many free seconds that end by `deadline`.
  double latestFree(uint32_t index, double seconds, double deadline) const {
    if (auto next = behind.upper_bound(index); next != behind.end())
      deadline = std::min(deadline, next->second);
    double begin = deadline - seconds;
    for (auto next = taken.lower_bound(deadline); next != taken.begin();) {
      --next;
      if (next->second <= begin)
        break;
      begin = std::min(begin, next->first - seconds);
    }
    return begin;
  }

private:
  std::map<double, double> taken; ///< ends by begins; no two overlap
  std::map<uint32_t, double>
      behind; ///< by fetch: the earliest begin of all fetches with its index or a larger one
};

/// Moves every fetch to the latest begin that delays no successor, past other tasks of its lane. The fetch
/// that begins last moves first, so that each fetch finds at least its old place free.
void delayFetches(const ScheduleProblem &problem, ScheduleSolution &schedule) {
  std::vector<double> deadline(problem.tasks.size(), schedule.makespan);
  std::array<LaneTimes, plan::kLanes> lanes;
  auto settle = [&](uint32_t index) {
    for (uint32_t before : problem.tasks[index].predecessors)
      deadline[before] = std::min(deadline[before], schedule.start[index]);
  };
  std::vector<uint32_t> fetches;
  for (uint32_t index : schedule.order) {
    const Task &task = problem.tasks[index];
    if (task.kind == TaskKind::Fetch) {
      fetches.push_back(index);
      continue;
    }
    settle(index);
    lanes[static_cast<size_t>(task.lane)].take(schedule.start[index], schedule.start[index] + task.seconds);
  }
  std::stable_sort(fetches.begin(), fetches.end(),
                   [&](uint32_t a, uint32_t b) { return schedule.start[a] < schedule.start[b]; });
  for (auto index = fetches.rbegin(); index != fetches.rend(); ++index) {
    const Task &task = problem.tasks[*index];
    LaneTimes &lane = lanes[static_cast<size_t>(task.lane)];
    double &start = schedule.start[*index];
    start = std::max(start, lane.latestFree(*index, task.seconds, deadline[*index]));
    lane.takeFetch(*index, start, start + task.seconds);
    settle(*index);
  }
}

/// The time that a group is under way on a link: from the begin of its first fetch there to the begin of its
/// user. Groups that are under way for no time are left out.
struct Stay {
  double begin = 0, end = 0;
  uint32_t fetch = kNobody, user = kNobody;
};

std::vector<Stay> staysOn(Link link, const ScheduleProblem &problem, const std::vector<uint32_t> &users,
                          const std::vector<double> &start, double grain) {
  std::vector<Stay> stays(users.size());
  for (uint32_t index = 0; index < problem.tasks.size(); ++index) {
    const Task &task = problem.tasks[index];
    if (task.kind != TaskKind::Fetch || task.group < 0 || linkOf(task.lane) != link)
      continue;
    Stay &stay = stays[static_cast<size_t>(task.group)];
    const uint32_t user = users[static_cast<size_t>(task.group)];
    if (user != kNobody && (stay.fetch == kNobody || start[index] < stay.begin))
      stay = {start[index], start[user], index, user};
  }
  std::erase_if(stays,
                [&](const Stay &stay) { return stay.fetch == kNobody || stay.end <= stay.begin + grain; });
  std::sort(stays.begin(), stays.end(), [](const Stay &a, const Stay &b) {
    return std::tie(a.begin, a.fetch) < std::tie(b.begin, b.fetch);
  });
  return stays;
}

/// Sets LinkWindow::longest: of the fetches that are under way when the window's fetch begins, the one that
/// takes longest; of equal ones, the window's fetch.
void findLongest(const ScheduleProblem &problem, const std::vector<Stay> &stays, double now, double grain,
                 LinkWindow &window) {
  window.longest = *window.fetch;
  window.longestAhead = window.seconds;
  for (const Stay &stay : stays)
    if (stay.begin <= now && stay.end > now + grain &&
        problem.tasks[stay.fetch].seconds > problem.tasks[window.longest].seconds) {
      window.longest = stay.fetch;
      window.longestAhead = stay.end - stay.begin;
    }
}

LinkWindow windowOf(const ScheduleProblem &problem, const std::vector<Stay> &stays, double grain) {
  LinkWindow window;
  double now = 0;
  std::priority_queue<double, std::vector<double>, std::greater<>> open; // ends of the stays under way
  for (const Stay &stay : stays) {
    while (!open.empty() && open.top() <= stay.begin + grain)
      open.pop();
    const int64_t count = static_cast<int64_t>(open.size()) + 1;
    const double seconds = stay.end - stay.begin;
    if (!window.fetch || std::tie(count, seconds) > std::tie(window.credits, window.seconds)) {
      window = {count, stay.fetch, stay.user, seconds, open.empty() ? 0 : open.top() - stay.begin};
      now = stay.begin;
    }
    open.push(stay.end);
  }
  if (window.fetch)
    findLongest(problem, stays, now, grain, window);
  return window;
}

} // namespace

PrefetchWindow solvePrefetch(const ScheduleProblem &problem) {
  constexpr int64_t most = ListScheduler::kNoLimit;
  ListScheduler scheduler(problem, {most, most, most}, {most, most, most});
  ScheduleSolution schedule = simulateOrder(problem, scheduler.order());
  delayFetches(problem, schedule);
  const std::vector<uint32_t> users = firstUsers(problem);
  const double grain = kOneMoment * schedule.makespan;
  PrefetchWindow window;
  for (Link link : kLinks)
    window.links[static_cast<size_t>(link)] =
        windowOf(problem, staysOn(link, problem, users, schedule.start, grain), grain);
  window.start = std::move(schedule.start);
  return window;
}

} // namespace windlass::planning
