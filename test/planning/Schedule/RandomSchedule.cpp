// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/planning/Schedule/RandomSchedule.h"

#include "planning/Schedule/ScheduleSolver.h"

using namespace windlass::planning;

namespace windlass::test {

ScheduleProblem randomSchedule(std::mt19937 &random) {
  ScheduleProblem problem;
  size_t tasks = 1 + random() % 40, buffers = random() % 20;
  for (size_t i = 0; i < buffers; ++i)
    problem.buffers.push_back({static_cast<plan::Tier>(random() % 3), static_cast<int64_t>(random() % 100)});
  for (uint32_t i = 0; i < tasks; ++i) {
    Task task;
    task.lane = static_cast<plan::Lane>(random() % plan::kLanes);
    task.kind = static_cast<TaskKind>(random() % 3);
    task.seconds = static_cast<double>(random() % 5);
    task.group = static_cast<int32_t>(random() % 6) - 1;
    task.phase = static_cast<int32_t>(i / 10);
    task.notBefore = static_cast<int32_t>(random() % 4);
    for (uint32_t before = 0; before < i; ++before)
      if (random() % 12 == 0)
        task.predecessors.push_back(before);
    for (uint32_t buffer = 0; buffer < buffers; ++buffer)
      if (random() % 8 == 0)
        task.buffers.push_back(buffer);
    problem.tasks.push_back(std::move(task));
  }
  // The capacity for program order, and a little more.
  problem.overlap = false;
  problem.capacity = solveSchedule(problem)->peak;
  for (int64_t &bytes : problem.capacity)
    bytes += static_cast<int64_t>(random() % 40);
  problem.overlap = random() % 8 != 0;
  for (int64_t *credit : {&problem.credits.nc, &problem.credits.cg, &problem.credits.gg})
    *credit = 1 + static_cast<int64_t>(random() % 3);
  return problem;
}

} // namespace windlass::test
