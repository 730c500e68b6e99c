//===- MemorySolver.h - offsets by the best of several greedy packings ====//
//
// Duty: places buffers one after another, in order of size, area, lifetime or
// start, each into the best or the first gap left by those alive at the same
// time, and keeps the smallest arena; stops early when the lower bound is met.
// Errors: badInput for a problem that is malformed or whose fixed offsets overlap. Deterministic.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/planning/Memory/MemoryProblem.h"

namespace windlass::planning {

Result<MemorySolution> solveMemory(const MemoryProblem &problem);

} // namespace windlass::planning
