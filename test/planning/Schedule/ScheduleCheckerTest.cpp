// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Schedule/ScheduleChecker.h"

#include "planning/Schedule/ScheduleSolver.h"
#include <functional>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::planning;

namespace {

constexpr std::string_view kChain = "capacity device=64 host=0 nvme=0\n"
                                    "buffer tier=device bytes=64\n"
                                    "task lane=gg kind=fetch seconds=1 group=0 buffers=0\n"
                                    "task lane=compute kind=work seconds=2 after=0 buffers=0\n"
                                    "task lane=compute kind=work seconds=2\n";

/// The error of the checker after the solution is spoiled.
std::string verdict(const std::function<void(ScheduleSolution &)> &spoil) {
  ScheduleProblem problem = parseSchedule(kChain).take();
  ScheduleSolution solution = solveSchedule(problem).take();
  spoil(solution);
  return checkSchedule(problem, solution).message();
}

} // namespace

TEST(ScheduleChecker, AcceptsWhatTheSolverFound) {
  EXPECT_EQ(verdict([](ScheduleSolution &) {}), "");
}

TEST(ScheduleChecker, RefusesWhatIsNoPermutation) {
  EXPECT_EQ(verdict([](ScheduleSolution &s) { s.order.pop_back(); }), "the order has 2 of 3 tasks");
  EXPECT_EQ(verdict([](ScheduleSolution &s) { s.order[1] = s.order[0]; }),
            "task 0 stands twice or does not exist");
}

TEST(ScheduleChecker, RefusesAnOrderAgainstDependencies) {
  EXPECT_EQ(verdict([](ScheduleSolution &s) { s.order = {1, 0, 2}; }),
            "task 1 stands before its predecessor, task 0");
}

TEST(ScheduleChecker, RefusesTimesThatCannotBe) {
  EXPECT_EQ(verdict([](ScheduleSolution &s) { s.start[1] = 0.5; }),
            "task 1 starts before its predecessor, task 0, ends");
  EXPECT_EQ(verdict([](ScheduleSolution &s) { s.order = {0, 1, 2}, s.start = {0, 1, 2}; }),
            "task 2 starts before task 1 leaves lane \"compute\"");
  EXPECT_EQ(verdict([](ScheduleSolution &s) { s.makespan += 1; }).substr(0, 21), "the last task ends at");
}

TEST(ScheduleChecker, RefusesAWrongPeak) {
  EXPECT_EQ(verdict([](ScheduleSolution &s) { s.peak[0] = 0; }), "tier \"device\" has 64 live bytes, not 0");
}

TEST(ScheduleChecker, RefusesMoreThanTheCapacity) {
  ScheduleProblem problem = parseSchedule(kChain).take();
  ScheduleSolution solution = solveSchedule(problem).take();
  problem.capacity[0] = 63;
  EXPECT_EQ(checkSchedule(problem, solution).message(), "tier \"device\" has 64 live bytes and room for 63");
}
