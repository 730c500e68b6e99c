// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementSolver.h - homes by branch and bound ======================//
//
// Duty: the cheapest placement that fits. Equal items are counted, not
// enumerated (layers repeat); the bound is the Lagrangian dual of capacities and
// of the maximum, so it prunes as well as a linear program would.
// Errors: cannotFit names the tier that is shortest, the bytes and the largest items.
// Deterministic: no clock, no randomness.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Placement/PlacementProblem.h"

namespace windlass::planning {

struct PlacementOptions {
  /// After so many nodes that bring nothing better the best placement found is returned, with its gap.
  int64_t nodeLimit = 50'000;
  bool explains = true; ///< say why, or what is missing; both take more searches than the answer itself
};

Result<PlacementSolution> solvePlacement(const PlacementProblem &problem,
                                         const PlacementOptions &options = {});

/// What a problem without a placement lacks: the one tier that must grow least for something to fit, by how
/// much, and the largest items; or every tier, if no single one made larger would help.
plan::Shortage findShortage(const PlacementProblem &problem);

/// How busy the busiest resource is, and how far the placement can be from the best one. `seconds`: of a step
/// that was laid out by it; 0: of none.
plan::Reason explainGap(const PlacementSolution &solution, double seconds);

/// Why each class lies where it does: for each other tier, what it would cost or how many bytes it misses.
std::vector<plan::Reason> explainPlacement(const PlacementProblem &problem,
                                           const std::vector<plan::Tier> &home);

} // namespace windlass::planning
