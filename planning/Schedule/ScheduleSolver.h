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

/// Scores a given order of one section: lanes in order, tasks after their predecessors. It is no clock of a
/// step (model/Player.h): the problem knows no machine, no neighbour of its section and no bytes that buffers
/// share, and the solver asks for the start of each task for each setting of credits. What an order costs in
/// a step is played when the whole step stands.
ScheduleSolution playOrder(const ScheduleProblem &problem, std::vector<uint32_t> order);

} // namespace windlass::planning
