// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RecomputeChecker.h - checks choices of kept activations ===============//
//
// Duty: checks that every value that the backward pass or a repeated operation reads is kept or repeated
// before it, that every kept value is read, and that bytes, seconds, the order of a front and the cost are as
// claimed. Shares no code with the solver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Recompute/RecomputeProblem.h"

namespace windlass::planning {

Status checkRecompute(const RecomputeProblem &problem, const RecomputeChoice &choice);
/// Checks every choice, and that no choice is better than another in both bytes and seconds.
Status checkRecompute(const RecomputeProblem &problem, const RecomputeFront &front);
Status checkRecompute(const RecomputeProblem &problem, const RecomputeFront &front,
                      const RecomputeSolution &solution);

} // namespace windlass::planning
