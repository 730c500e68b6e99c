// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlaceStates.h - a tier for every state, gradient and checkpoint =====//
//
// Duty: builds the placement problem of a module whose homes have no tier, once; solves and checks it for any
// capacities; and writes the tiers, on homes and on allocations of activation checkpoints.
// Errors: CannotFit, where no placement fits or a pin names a tier that the machine lacks; BadInput, where a
// pin names an item that the module lacks. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "model/Machine.h"
#include "planning/Placement/PlacementSolver.h"
#include <map>
#include <optional>

namespace windlass::flow {

/// The tiers that are asked for the items of a class.
struct ClassPins {
  std::optional<plan::Tier> others;     ///< of items that `of` does not name; none: the planner decides
  std::map<std::string, plan::Tier> of; ///< by name of the bucket or checkpoint
  bool operator==(const ClassPins &) const = default;
};
/// By the word of the class (runtime/plan/PlacementClass.h).
using TierPins = std::map<std::string, ClassPins>;

/// Whether every item rests on the device.
bool allOnDevice(const TierPins &homes);

struct PlacementRequest {
  TierPins pins;
  bool wholeOnDevice = false; ///< parameters without shards stay on the device, unless pinned
};

struct Placement {
  planning::PlacementSolution solution;
  TierPins homes; ///< the tier of every item
};

class StatePlacer {
public:
  StatePlacer(mlir::ModuleOp module, const model::Machine &machine, const PlacementRequest &request);

  /// Whether every pin names an item of the module and a tier of the machine. Called before place().
  Status checkPins() const;
  /// The placement that the solver finds. `reserved`: bytes per tier that homes leave free. Results are kept
  /// by `reserved`.
  Result<Placement> place(const std::array<int64_t, 3> &reserved);
  /// A lower bound of the seconds of a step, over all placements that fit beside nothing else; or the error
  /// of place().
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
  void rest(Placement &placement, planning::PlacementSolution solution) const;

  const model::Machine &machine;
  PlacementRequest request;
  planning::PlacementProblem problem;                     ///< all but the capacities
  std::vector<std::pair<std::string, std::string>> names; ///< of the items: class, bucket or checkpoint
  std::map<std::array<int64_t, 3>, Placement> known;      ///< by the capacities left
};

/// Class and name of the items of a module, of those homes that have no tier yet, and of checkpoints: in its
/// order. An item stands there as often as it has homes.
std::vector<std::pair<std::string, std::string>> placedItems(mlir::ModuleOp module);
/// The same by class; each said to be on the device.
TierPins itemsOf(mlir::ModuleOp module);

/// Writes the tiers on a module or a copy of it.
void applyPlacement(mlir::ModuleOp module, const TierPins &homes);

} // namespace windlass::flow
