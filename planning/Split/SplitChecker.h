// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitChecker.h - is a way chosen for every operation? ===============//
//
// Duty: checks that every operation has one of its ways, that nobody asks for terms, and that the cost is as
// claimed: exchange by exchange, counted anew. Shares no code with the solver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Split/SplitProblem.h"

namespace windlass::planning {

Status checkSplit(const SplitProblem &problem, const SplitSolution &solution);

} // namespace windlass::planning
