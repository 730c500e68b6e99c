//===- PlaceStates.h - a tier for every state, gradient and checkpoint =====//
//
// Duty: builds the placement problem of a module whose homes are unplaced, solves and
// checks it, and writes the tiers: on homes, and on allocations of activation checkpoints.
// Errors: a Status that names tier, bytes short, largest consumers (CannotFit), or a pin of nothing (BadInput).
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/model/Machine.h"
#include "compiler/planning/Placement/PlacementProblem.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <optional>

namespace windlass::flow {

/// Where the items of a class shall rest: buckets by their names, checkpoints by theirs. The planner decides
/// about the others where they have no tier.
struct ClassPins {
  std::optional<plan::Tier> others;
  std::map<std::string, plan::Tier> of;
};
/// By class of the placement problem: "param", "grad", "master", "moments", "checkpoint".
using TierPins = std::map<std::string, ClassPins>;

struct Placement {
  planning::PlacementSolution solution;
  TierPins homes; ///< where every item rests
};

/// `reserved`: bytes per tier that are not for homes (workspace, staging). `microBatches`: of a step.
/// `wholeOnDevice`: parameters without shards stay on the device, unless pinned.
Result<Placement> placeStates(mlir::ModuleOp module, const model::Machine &machine,
                              const std::array<int64_t, 3> &reserved, const TierPins &pins,
                              int64_t microBatches, bool wholeOnDevice);

} // namespace windlass::flow
