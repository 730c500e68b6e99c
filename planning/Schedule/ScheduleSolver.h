// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScheduleSolver.h - orders by event-driven list scheduling ==========//
//
// Duty: an order whose makespan is short and whose live bytes fit. Every idle
// lane takes the ready task that stands first in program order; a task is
// issued early only if the rest, in program order, would still fit, so the
// schedule never paints itself into a corner.
// Cost: O((V + E) log V) per credit setting. Deterministic.
// Errors: badInput for a problem that is malformed (a predecessor that stands later, a number out of range).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Schedule/ScheduleProblem.h"

namespace windlass::planning {

Result<ScheduleSolution> solveSchedule(const ScheduleProblem &problem);

/// The schedule of a given order: each lane runs its tasks in this order, one at a time, each after its
/// predecessors. It is a score for the solver, which needs one for each setting of credits, and no clock of a
/// step (model/Player.h): the problem has no machine, no other section and no bytes that buffers share.
ScheduleSolution simulateOrder(const ScheduleProblem &problem, std::vector<uint32_t> order);

} // namespace windlass::planning
