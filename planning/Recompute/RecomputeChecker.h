// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RecomputeChecker.h - is what is kept enough? ========================//
//
// Duty: everything that the backward pass or a repeated operation reads is kept or repeated before, nothing
// is kept for nobody; bytes, seconds, order of a front and cost as said. Shares nothing with the solver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Recompute/RecomputeProblem.h"

namespace windlass::planning {

Status checkRecompute(const RecomputeProblem &problem, const RecomputeChoice &choice);
/// Every choice, and that none is better than another.
Status checkRecompute(const RecomputeProblem &problem, const RecomputeFront &front);
Status checkRecompute(const RecomputeProblem &problem, const RecomputeFront &front,
                      const RecomputeSolution &solution);

} // namespace windlass::planning
