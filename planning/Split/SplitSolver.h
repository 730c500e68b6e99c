// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitSolver.h - a way for every operation, of least cost ============//
//
// Duty: solves a split problem exactly, by elimination of variables. A variable is the way of an operation; a
// value is a table of costs over the ways of who makes and who reads it. The variable whose elimination makes
// the smallest table goes first. Layers are chains with few values across, so tables stay small.
// Errors: BadInput for a malformed problem; CannotFit where a table would pass `entryLimit`.
// Deterministic: no clock, no randomness; of equal ways the first.
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
