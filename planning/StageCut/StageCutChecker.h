// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StageCutChecker.h - checks the cut of a pipeline ======================//
//
// Duty: checks that every stage has a layer and every layer a stage, that no two joined layers are parted,
// that each stage's rank holds what waits in it, and that the slowest stage takes what is claimed. Shares no
// code with the solver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/StageCut/StageCutProblem.h"

namespace windlass::planning {

Status checkStageCut(const StageCutProblem &problem, const StageCutSolution &solution);

} // namespace windlass::planning
