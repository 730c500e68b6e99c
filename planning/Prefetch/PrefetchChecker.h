// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PrefetchChecker.h - are windows what they claim? ===================//
//
// Duty: the schedule of the windows is one (predecessors first, lanes one task at a time), no fetch of it
// could begin later, and as many groups are under way at once as said. Shares nothing with the solver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Prefetch/PrefetchWindow.h"

namespace windlass::planning {

Status checkPrefetch(const ScheduleProblem &problem, const PrefetchWindow &window);

} // namespace windlass::planning
