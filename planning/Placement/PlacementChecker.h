// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementChecker.h - is this placement what it claims? =============//
//
// Duty: allowed tiers, capacities, resources and cost, added up again item by
// item. Shares nothing with the solver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Placement/PlacementProblem.h"

namespace windlass::planning {

Status checkPlacement(const PlacementProblem &problem, const PlacementSolution &solution);

} // namespace windlass::planning
