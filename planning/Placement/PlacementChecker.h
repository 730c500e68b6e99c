// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementChecker.h - checks a placement ===============================//
//
// Duty: checks allowed tiers, capacities, and the claimed resources and cost, which it adds up again item by
// item. Shares no code with the solver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Placement/PlacementProblem.h"

namespace windlass::planning {

Status checkPlacement(const PlacementProblem &problem, const PlacementSolution &solution);

} // namespace windlass::planning
