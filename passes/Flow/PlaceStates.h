//===- PlaceStates.h - a tier for every state, gradient and checkpoint =====//
//
// Duty: builds the placement problem of a module whose homes are unplaced, solves and
// checks it, and writes the tiers: on homes, and on allocations of activation checkpoints.
// Errors: a Status (CannotFit) that names tier, bytes short, largest consumers.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/model/Machine.h"
#include "compiler/planning/Placement/PlacementProblem.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>

namespace windlass::flow {

/// Classes of the placement problem: "param", "grad", "master", "moments", "checkpoint".
using TierPins = std::map<std::string, plan::Tier>;

/// `reserved`: bytes per tier that are not for homes (workspace, staging). `microBatches`: of a step.
Result<planning::PlacementSolution> placeStates(mlir::ModuleOp module, const model::Machine &machine,
                                                const std::array<int64_t, 3> &reserved, const TierPins &pins,
                                                int64_t microBatches);

} // namespace windlass::flow
