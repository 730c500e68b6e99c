// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RecomputeSolver.h - the front of choices, and the best of them ========//
//
// Duty: finds the Pareto front of one layer, and the choice of least cost on it. The front is found by
// dynamic programming over the operations, from the last to the first. The state of a partial choice is the
// set of values that are read behind and not made yet; of two partial choices with one state, one that is
// better in neither bytes nor seconds is dropped.
// Cost: linear in operations where few values are live at a time, as in a chain. Where more than `labelLimit`
// partial choices are open, nearly equal ones are dropped too, and the front's gap grows. Errors: BadInput
// for a malformed problem; CannotFit if no choice fits, or if a layer has more states than `labelLimit`.
// Deterministic: no clock, no randomness.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Recompute/RecomputeProblem.h"

namespace windlass::planning {

struct RecomputeOptions {
  size_t labelLimit = 50'000; ///< partial choices open after an operation; usual layers have hundreds
};

Result<RecomputeFront> solveRecomputeFront(const RecomputeProblem &problem,
                                           const RecomputeOptions &options = {});
/// Errors: CannotFit if no choice fits.
Result<RecomputeSolution> solveRecompute(const RecomputeProblem &problem, const RecomputeFront &front);

} // namespace windlass::planning
