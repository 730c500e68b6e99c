// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PrefetchChecker.h - checks prefetch windows ===========================//
//
// Duty: checks that the schedule of the windows is valid (predecessors first, one task of a lane at a time),
// that no fetch could begin later, and that as many groups are under way at once as claimed. Shares no code
// with the solver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Prefetch/PrefetchWindow.h"

namespace windlass::planning {

Status checkPrefetch(const ScheduleProblem &problem, const PrefetchWindow &window);

} // namespace windlass::planning
