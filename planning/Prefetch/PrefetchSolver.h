// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PrefetchSolver.h - sizes prefetch windows from latencies ============//
//
// Duty: the window of every link of a schedule problem. Its credits are not looked at, nor is memory: how
// much of the window memory holds is found by who schedules. Cost: O((V + E) log V). Deterministic. The
// problem must be well formed, as for solveSchedule().
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Prefetch/PrefetchWindow.h"

namespace windlass::planning {

PrefetchWindow solvePrefetch(const ScheduleProblem &problem);

} // namespace windlass::planning
