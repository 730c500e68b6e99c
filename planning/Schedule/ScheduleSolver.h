// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScheduleSolver.h - orders by event-driven list scheduling =============//
//
// Duty: finds an order with a short makespan whose live bytes fit, by list scheduling (ListScheduler.h) with
// at most four settings of credits, from those of the problem down to one, until three in a row bring nothing
// or an order is near its bound. If passes are to be spared and live bytes fill a tier, an order about as
// fast in which passes fetch less far ahead is taken in its place, of at most three: its buffers live
// shorter, and pack better. A task is issued early only if the remaining tasks still fit in program order, so
// that a schedule never gets stuck. Cost: O((V + E) log V) per setting of credits. Deterministic. Errors:
// BadInput for a malformed problem (a predecessor that stands later, a number out of range).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Schedule/ScheduleProblem.h"

namespace windlass::planning {

Result<ScheduleSolution> solveSchedule(const ScheduleProblem &problem);

/// The largest sum of live bytes per tier along program order. A problem with these capacities, or any
/// larger, has an order that fits. `problem`: well formed.
std::array<int64_t, 3> programOrderPeak(const ScheduleProblem &problem);

/// The schedule of a given order: each lane runs its tasks in this order, one at a time, each after its
/// predecessors. It is a score for the solver, which needs one for each setting of credits, and no clock of a
/// step (model/Player.h): the problem has no machine, no other section and no bytes that buffers share.
ScheduleSolution simulateOrder(const ScheduleProblem &problem, std::vector<uint32_t> order);

} // namespace windlass::planning
