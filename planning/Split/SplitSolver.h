// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitSolver.h - a way for every operation, of least cost ==============//
//
// Duty: solves a split problem by elimination of variables. A variable is the way of an operation; a value is
// a table of costs over the ways of who makes and who reads it. The variable whose elimination makes the
// smallest table goes first. Layers are chains with few values across, so tables stay small, and the solution
// is exact. Where a table would pass `entryLimit` (a recurrent cell whose steps are unrolled reads its
// weights in every one), operations alike that read one value take one way, and if that does not do, some
// operations take a way that is best by what is known of each alone. Errors: BadInput for a malformed
// problem. Deterministic: no clock, no randomness; of equal ways the first.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Split/SplitProblem.h"

namespace windlass::planning {

struct SplitOptions {
  size_t entryLimit = 4'000'000; ///< entries of one table
};

Result<SplitSolution> solveSplit(const SplitProblem &problem, const SplitOptions &options = {});

} // namespace windlass::planning
