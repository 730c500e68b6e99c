// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlaceStates.h - a tier for every state, gradient and checkpoint =======//
//
// Duty: builds the placement problem of a module whose homes have no tier, once; solves and checks it for any
// capacities.
// Errors: CannotFit, where no placement fits or a pin names a tier that the machine lacks; BadInput, where a
// pin names an item that the module lacks. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/layout/BuildPlacement.h"
#include "planning/Placement/PlacementSolver.h"
#include <map>

namespace windlass::flow {

struct Placement {
  planning::PlacementSolution solution;
  TierPins homes; ///< the tier of every item
};

/// How the placement cost counts updates that wait for the norm of all gradients: after the passes, or
/// overlapped with them. A real step lies between: an update's transfers may run ahead of the norm if memory
/// allows, its arithmetic cannot.
enum class UpdateTiming : uint8_t { AfterPasses, Overlapped };

class StatePlacer {
public:
  StatePlacer(mlir::ModuleOp module, const model::Machine &machine, const PlacementRequest &request);

  /// Whether every pin names an item of the module and a tier of the machine. Called before place().
  Status checkPins() const;
  /// Whether updates wait for the norm of all gradients.
  bool doUpdatesWait() const { return problem.updatesWait; }
  /// The placement that the solver finds; or that of all items on the device, if it is nearly as good.
  /// `reserved`: bytes per tier that homes leave free. Results are kept by both arguments.
  Result<Placement> place(const std::array<int64_t, 3> &reserved,
                          UpdateTiming timing = UpdateTiming::AfterPasses);
  /// A lower bound of the seconds of a step, over all placements that fit if no memory is reserved; or the
  /// error of place().
  Result<double> leastSeconds();
  /// The placement of all items on the device, but of those pinned elsewhere, if it fits. It has the fewest
  /// transfers, for which the solver has no reason where computation is the busiest resource.
  Result<Placement> placeOnDevice(const std::array<int64_t, 3> &reserved);
  /// The reasons of a placement that place() found, class by class.
  std::vector<plan::Reason> explain(const Placement &placement, const std::array<int64_t, 3> &reserved);
  /// The shortage where place() finds no placement. Takes further searches.
  plan::Shortage shortage(const std::array<int64_t, 3> &reserved);

private:
  void reserve(const std::array<int64_t, 3> &reserved);
  static bool restOnDevice(const planning::PlacementProblem &problem, planning::PlacementSolution &solution);
  void rest(Placement &placement, planning::PlacementSolution solution) const;

  const model::Machine &machine;
  PlacementRequest request;
  planning::PlacementProblem problem;                                         ///< all but the capacities
  std::vector<ItemName> names;                                                ///< of the items
  std::map<std::pair<UpdateTiming, std::array<int64_t, 3>>, Placement> known; ///< by the capacities left
};

} // namespace windlass::flow
