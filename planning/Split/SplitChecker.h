// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitChecker.h - checks the solution of a split problem ===============//
//
// Duty: checks that every operation has one of its ways, that no reader asks for terms, and that the cost,
// counted again exchange by exchange, is as claimed. Shares no code with the solver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Split/SplitProblem.h"

namespace windlass::planning {

Status checkSplit(const SplitProblem &problem, const SplitSolution &solution);

} // namespace windlass::planning
