// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PrefetchSolver.h - sizes prefetch windows from latencies ==============//
//
// Duty: finds the window of every link of a schedule problem. The problem's credits and capacities are
// ignored: the scheduler finds how much of the window memory can hold.
// Cost: O((V + E) log V). Deterministic. The problem must be well formed, as for solveSchedule().
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Prefetch/PrefetchWindow.h"

namespace windlass::planning {

PrefetchWindow solvePrefetch(const ScheduleProblem &problem);

} // namespace windlass::planning
