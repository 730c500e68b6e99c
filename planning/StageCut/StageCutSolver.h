// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StageCutSolver.h - the cut whose slowest stage is fastest =============//
//
// Duty: finds the cut by dynamic programming: the best cut of the first layers into some stages follows from
// those of fewer layers into one stage less. Of cuts whose slowest stage is as fast, the one is taken whose
// stages differ least (by the sum of squares of their seconds), so that what little a stage waits is shared.
// Cost: O(stages x layers²). Deterministic. Errors: BadInput for fewer layers than stages, or
// where joined layers leave fewer; CannotFit where
// every cut leaves some stage more than its rank holds.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/StageCut/StageCutProblem.h"

namespace windlass::planning {

Result<StageCutSolution> solveStageCut(const StageCutProblem &problem);

} // namespace windlass::planning
