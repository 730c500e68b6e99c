// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementSolver.h - homes by branch and bound =========================//
//
// Duty: finds the cheapest placement that fits, by branch and bound over counts of equal items
// (PlacementKinds.h) with a Lagrangian bound (PlacementBound.h).
// Errors: CannotFit, whose message names the tier that is short, the bytes and the largest items.
// Deterministic: no clock, no randomness.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Placement/PlacementProblem.h"

namespace windlass::planning {

struct PlacementOptions {
  /// After so many nodes in a row without a better placement, the best so far is returned, with its gap.
  int64_t nodeLimit = 50'000;
  bool explains =
      true; ///< whether reasons or a shortage are found; they take more searches than the solution
};

Result<PlacementSolution> solvePlacement(const PlacementProblem &problem,
                                         const PlacementOptions &options = {});

/// The shortage of a problem that no placement fits: the tier that must grow by the fewest bytes for a
/// placement to fit, the bytes, and the largest items; or every tier, if no tier that grows alone helps.
plan::Shortage findShortage(const PlacementProblem &problem);

/// The reason of a placement as a whole: how busy its busiest resource is, and its gap. `seconds`: of the
/// step that was laid out with it; 0: none was.
plan::Reason explainGap(const PlacementSolution &solution, double seconds);

/// The reason of each class: of every other tier, the cost of having the class there, or the bytes that are
/// missing.
std::vector<plan::Reason> explainPlacement(const PlacementProblem &problem,
                                           const std::vector<plan::Tier> &home);

} // namespace windlass::planning
