// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScheduleChecker.h - checks the order of a schedule ====================//
//
// Duty: checks that the order is a permutation with predecessors first, that each lane runs one task at a
// time, and that live bytes and makespan are as claimed. Shares no code with the solver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Schedule/ScheduleProblem.h"

namespace windlass::planning {

Status checkSchedule(const ScheduleProblem &problem, const ScheduleSolution &solution);

} // namespace windlass::planning
