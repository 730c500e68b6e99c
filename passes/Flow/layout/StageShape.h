// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StageShape.h - stages of a pipeline that differ in names alone ========//
//
// Duty: what the planner sees of the module of a stage before its homes are placed, without names: two stages
// that are alike have the same plan, each for items of its own. And the items of a stage in the order of its
// module, by which those of one stage are found again in a stage that is alike.
// Threads, ownership: as MLIR's; a shape is a value.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Machine.h"
#include "passes/Flow/layout/PlacementItems.h"
#include <vector>

namespace windlass::flow {

/// Words that are equal for stages that are alike; of modules of one context.
using StageShape = std::vector<uint64_t>;

/// Homes, sections and instructions: their order, bytes, seconds, passes and micro-batches, and which buffers
/// each instruction uses; without shares of the norm that a stage hands on.
StageShape shapeOf(mlir::ModuleOp stage, const model::Machine &machine);

/// The homes of a stage that is alike, as pins of this one's items.
TierPins pinsLike(mlir::ModuleOp stage, mlir::ModuleOp alike, const TierPins &homes);

} // namespace windlass::flow
