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

/// What a problem without a placement lacks: tier, bytes and the largest items.
Status describeShortage(const PlacementProblem &problem);

/// The one tier that must grow least for something to fit, and by how much.
struct Shortage {
  plan::Tier tier = plan::Tier::Device;
  int64_t bytes = 0;
};

/// Of a problem without a placement; nothing if no single tier made larger would help.
std::optional<Shortage> findShortage(const PlacementProblem &problem);

/// What the placement costs, and how far it can be from the best one.
std::string explainGap(const PlacementSolution &solution);

/// Why each class lies where it does: for each other tier, what it would cost or how many bytes it misses.
std::vector<PlacementWhy> explainPlacement(const PlacementProblem &problem,
                                           const std::vector<plan::Tier> &home);

} // namespace windlass::planning
