// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScheduleChecker.h - is this order what it claims? ==================//
//
// Duty: a permutation, predecessors first, lanes one task at a time, live bytes
// and makespan as said. Shares nothing with the solver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Schedule/ScheduleProblem.h"

namespace windlass::planning {

Status checkSchedule(const ScheduleProblem &problem, const ScheduleSolution &solution);

} // namespace windlass::planning
