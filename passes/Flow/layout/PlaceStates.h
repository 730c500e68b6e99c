// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlaceStates.h - a tier for every state, gradient and checkpoint =====//
//
// Duty: builds the placement problem of a module whose homes are unplaced, once, solves and
// checks it for whatever room there is, and writes the tiers: on homes, and on allocations of
// activation checkpoints.
// Errors: CannotFit, whose shortage is asked for apart, or a pin to a tier that is not there; a pin of
// nothing (BadInput). Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "model/Machine.h"
#include "planning/Placement/PlacementSolver.h"
#include <map>
#include <optional>

namespace windlass::flow {

/// Where the items of a class shall rest: buckets by their names, checkpoints by theirs. The planner decides
/// about the others where they have no tier.
struct ClassPins {
  std::optional<plan::Tier> others;
  std::map<std::string, plan::Tier> of;
  bool operator==(const ClassPins &) const = default;
};
/// By class of the placement problem: "param", "grad", "master", "moments", "checkpoint".
using TierPins = std::map<std::string, ClassPins>;

/// Whether nothing rests elsewhere.
bool allOnDevice(const TierPins &homes);

struct PlacementRequest {
  TierPins pins;
  bool wholeOnDevice = false; ///< parameters without shards stay on the device, unless pinned
};

struct Placement {
  planning::PlacementSolution solution;
  TierPins homes; ///< where every item rests
};

class StatePlacer {
public:
  StatePlacer(mlir::ModuleOp module, const model::Machine &machine, const PlacementRequest &request);

  /// Whether pins are of items and to tiers that there are. Asked before anything is placed.
  Status checkPins() const;
  /// `reserved`: bytes per tier that are not for homes (workspace, staging). Asked again, it remembers.
  Result<Placement> place(const std::array<int64_t, 3> &reserved);
  /// Everything on the device that is not pinned elsewhere, if it fits there. No transfer is the least work,
  /// which a bound does not see where another resource is the busiest.
  Result<Placement> placeOnDevice(const std::array<int64_t, 3> &reserved);
  /// Why what place() found lies where it does, class by class.
  std::vector<plan::Reason> explain(const Placement &placement, const std::array<int64_t, 3> &reserved);
  /// What is missing where place() finds no placement; takes time.
  plan::Shortage shortage(const std::array<int64_t, 3> &reserved);

private:
  void reserve(const std::array<int64_t, 3> &reserved);
  void rest(Placement &placement, planning::PlacementSolution solution) const;

  const model::Machine &machine;
  PlacementRequest request;
  planning::PlacementProblem problem;                     ///< all but the capacities
  std::vector<std::pair<std::string, std::string>> names; ///< of the items: class, bucket or checkpoint
  std::map<std::array<int64_t, 3>, Placement> known;      ///< by what was left
};

/// Writes the tiers on a module or a copy of it.
void applyPlacement(mlir::ModuleOp module, const TierPins &homes);

} // namespace windlass::flow
