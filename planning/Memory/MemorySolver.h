// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MemorySolver.h - offsets by the best of several greedy packings =======//
//
// Duty: packs buffers greedily, in several orders (by size, pressure, area, lifetime, start) and by two rules
// (best fit, first fit), and returns the packing with the smallest arena. A packing places one buffer after
// the other, each into a gap between buffers that are live at the same time. Stops when a packing meets the
// lower bound.
// Cost: O(n log n) per packing whose buffers leave few gaps. Deterministic. Errors: badInput for a problem
// that is malformed or whose fixed offsets overlap.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Memory/MemoryProblem.h"

namespace windlass::planning {

struct MemoryOptions {
  int64_t enough = 0; ///< bytes: an arena that is no larger is good enough
};

Result<MemorySolution> solveMemory(const MemoryProblem &problem, const MemoryOptions &options = {});

} // namespace windlass::planning
