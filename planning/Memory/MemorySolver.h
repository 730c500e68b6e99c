// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MemorySolver.h - offsets by the best of several greedy packings ====//
//
// Duty: places buffers one after another, in order of size, pressure, area,
// lifetime or start, each into the best or the first gap left by those alive at
// the same time, and keeps the smallest arena; stops early when the lower bound is met.
// Cost: O(n log n) per packing of buffers that lie close. Deterministic.
// Errors: badInput for a problem that is malformed or whose fixed offsets overlap.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Memory/MemoryProblem.h"

namespace windlass::planning {

struct MemoryOptions {
  int64_t enough = 0; ///< an arena of no more bytes need not be made smaller
};

Result<MemorySolution> solveMemory(const MemoryProblem &problem, const MemoryOptions &options = {});

} // namespace windlass::planning
