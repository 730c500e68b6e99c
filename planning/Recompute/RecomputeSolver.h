// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RecomputeSolver.h - every choice worth having =======================//
//
// Duty: the front of one layer, by dynamic programming over its operations from the last to the first: all
// that the past of a choice says to its future is which values are asked for and not made yet. Of two
// choices that ask for the same, one that is better in neither bytes nor seconds is dropped. Then the choice
// of least cost.
// Cost: linear in operations where few values are alive at a time, as in a chain; where more choices are open
// than `labelLimit`, nearly equal ones are dropped too, and the front says how far off it may be.
// Errors: badInput for a problem that is malformed; cannotFit if nothing fits, or a layer is too entangled.
// Deterministic: no clock, no randomness.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Recompute/RecomputeProblem.h"

namespace windlass::planning {

struct RecomputeOptions {
  size_t labelLimit = 500'000; ///< choices that are open after an operation
};

Result<RecomputeFront> solveRecomputeFront(const RecomputeProblem &problem,
                                           const RecomputeOptions &options = {});
/// Errors: cannotFit if no choice finds room.
Result<RecomputeSolution> solveRecompute(const RecomputeProblem &problem, const RecomputeFront &front);

} // namespace windlass::planning
