// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Schedule/ScheduleChecker.h"

#include "runtime/plan/Enums.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace windlass::planning {
namespace {

std::string task(size_t index) { return "task " + std::to_string(index); }

/// Position of every task in the order, or why it is no permutation.
Status findPositions(const ScheduleProblem &problem, const ScheduleSolution &solution,
                     std::vector<size_t> &position) {
  size_t count = problem.tasks.size();
  if (solution.order.size() != count || solution.start.size() != count)
    return Status::internal("the order has " + std::to_string(solution.order.size()) + " of " +
                            std::to_string(count) + " tasks");
  position.assign(count, count);
  for (size_t i = 0; i < count; ++i) {
    if (solution.order[i] >= count || position[solution.order[i]] != count)
      return Status::internal(task(solution.order[i]) + " stands twice or does not exist");
    position[solution.order[i]] = i;
  }
  return Status::ok();
}

Status checkTimes(const ScheduleProblem &problem, const ScheduleSolution &solution,
                  const std::vector<size_t> &position) {
  double grain = 1e-9 * (1 + solution.makespan), last = 0;
  std::map<plan::Lane, uint32_t> before;
  for (uint32_t index : solution.order) {
    const Task &now = problem.tasks[index];
    for (uint32_t predecessor : now.predecessors) {
      if (position[predecessor] >= position[index])
        return Status::internal(task(index) + " stands before its predecessor, " + task(predecessor));
      if (solution.start[predecessor] + problem.tasks[predecessor].seconds > solution.start[index] + grain)
        return Status::internal(task(index) + " starts before its predecessor, " + task(predecessor) +
                                ", ends");
    }
    auto [entry, isFirst] = before.emplace(now.lane, index);
    if (!isFirst &&
        solution.start[entry->second] + problem.tasks[entry->second].seconds > solution.start[index] + grain)
      return Status::internal(task(index) + " starts before " + task(entry->second) + " leaves lane \"" +
                              std::string(plan::textOf(now.lane)) + "\"");
    entry->second = index;
    last = std::max(last, solution.start[index] + now.seconds);
  }
  if (std::abs(last - solution.makespan) > grain)
    return Status::internal("the last task ends at " + std::to_string(last) + " s, not at " +
                            std::to_string(solution.makespan) + " s");
  if (solution.makespan < solution.lowerBound - grain)
    return Status::internal("the makespan is below its lower bound");
  return Status::ok();
}

Status checkMemory(const ScheduleProblem &problem, const ScheduleSolution &solution,
                   const std::vector<size_t> &position) {
  std::vector<std::array<int64_t, 3>> change(problem.tasks.size() + 1);
  std::vector<std::pair<size_t, size_t>> life(problem.buffers.size(), {problem.tasks.size(), 0});
  for (size_t i = 0; i < problem.tasks.size(); ++i)
    for (uint32_t buffer : problem.tasks[i].buffers) {
      life[buffer].first = std::min(life[buffer].first, position[i]);
      life[buffer].second = std::max(life[buffer].second, position[i] + 1);
    }
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    if (life[i].first >= life[i].second)
      continue;
    size_t tier = static_cast<size_t>(problem.buffers[i].tier);
    change[life[i].first][tier] += problem.buffers[i].bytes;
    change[life[i].second][tier] -= problem.buffers[i].bytes;
  }
  std::array<int64_t, 3> live{}, peak{};
  for (const auto &at : change)
    for (size_t tier = 0; tier < live.size(); ++tier)
      peak[tier] = std::max(peak[tier], live[tier] += at[tier]);
  for (size_t tier = 0; tier < live.size(); ++tier) {
    std::string name(plan::textOf(static_cast<plan::Tier>(tier)));
    if (peak[tier] != solution.peak[tier])
      return Status::internal("tier \"" + name + "\" has " + std::to_string(peak[tier]) +
                              " live bytes, not " + std::to_string(solution.peak[tier]));
    if (solution.fits && peak[tier] > problem.capacity[tier])
      return Status::internal("tier \"" + name + "\" has " + std::to_string(peak[tier]) +
                              " live bytes and room for " + std::to_string(problem.capacity[tier]));
  }
  return Status::ok();
}

} // namespace

Status checkSchedule(const ScheduleProblem &problem, const ScheduleSolution &solution) {
  std::vector<size_t> position;
  WINDLASS_TRY(findPositions(problem, solution, position));
  WINDLASS_TRY(checkTimes(problem, solution, position));
  WINDLASS_TRY(checkMemory(problem, solution, position));
  for (size_t i = 0; !problem.overlap && i < solution.order.size(); ++i)
    if (solution.order[i] != i)
      return Status::internal("without overlap the program order is kept, but " + task(solution.order[i]) +
                              " stands at " + std::to_string(i));
  return Status::ok();
}

} // namespace windlass::planning
