// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BuildPlacement.h - the placement problem of a module ==================//
//
// Duty: builds the placement problem of a module whose homes have no tier: its items, the bytes and the work
// of each item for every tier that may be its home, and the seconds of the work that no placement changes.
// The caller sets the capacities.
// Units: bytes, and seconds of a step, of one rank; for buckets with owners, the mean over ranks. Errors:
// none. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Machine.h"
#include "passes/Flow/layout/PlacementItems.h"
#include "planning/Placement/PlacementProblem.h"

namespace windlass::flow {

struct PlacementRequest {
  TierPins pins;              ///< the only tiers that may be homes of these items
  bool wholeOnDevice = false; ///< parameters without shards stay on the device, unless pinned
  bool isStage = false; ///< the module is a stage of a pipeline: if all items fit on the device, they stay
                        ///< there
};

struct BuiltPlacement {
  planning::PlacementProblem problem; ///< all but the capacities
  std::vector<ItemName> names;        ///< of the items
};

BuiltPlacement buildPlacement(mlir::ModuleOp module, const model::Machine &machine,
                              const PlacementRequest &request);

} // namespace windlass::flow
