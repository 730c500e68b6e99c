// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BuildPlacement.h - the placement problem of a module ===============//
//
// Duty: of a module whose homes have no tier, the items that are placed, what each takes in every tier, and
// the work that no placement changes. Capacities are the caller's.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Machine.h"
#include "passes/Flow/layout/PlacedItems.h"
#include "planning/Placement/PlacementProblem.h"

namespace windlass::flow {

struct PlacementRequest {
  TierPins pins;
  bool wholeOnDevice = false; ///< parameters without shards stay on the device, unless pinned
  bool isStage = false;       ///< one of several: nothing leaves the device that fits on it
};

struct BuiltPlacement {
  planning::PlacementProblem problem; ///< all but the capacities
  std::vector<ItemName> names;        ///< of the items
};

BuiltPlacement buildPlacement(mlir::ModuleOp module, const model::Machine &machine,
                              const PlacementRequest &request);

} // namespace windlass::flow
