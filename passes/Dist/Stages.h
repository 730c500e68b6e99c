// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Stages.h - what stage of a pipeline computes what =====================//
//
// Duty: what `assign-stages` says and `extract-stage` reads: the stage of an op of a step, and of a bucket,
// whose states rest there. An op without a stage is one that every stage which needs it does itself: it feeds
// and computes from feeds, constants, parameters or scalars alone. Where stages have several chunks of layers
// each, what is said is the part of the model, and part k is of stage k mod the number of stages.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Dist/IR/DistDialect.h"
#include <optional>

namespace windlass::dist {

/// On an op of a step and on a bucket: the stage, or the part of the model, from 0.
inline constexpr llvm::StringLiteral kStage = "windlass.stage";

inline std::optional<int64_t> stageOf(mlir::Operation *op) {
  auto stage = op->getAttrOfType<mlir::IntegerAttr>(kStage);
  return stage ? std::optional(stage.getInt()) : std::nullopt;
}
inline void setStage(mlir::Operation *op, int64_t stage) {
  op->setAttr(kStage, mlir::IntegerAttr::get(mlir::IntegerType::get(op->getContext(), 64), stage));
}
/// Of a value of a step: of the op that makes it, or of what a sum over micro-batches adds up.
std::optional<int64_t> stageOf(mlir::Value value);

/// The micro-batches of a step, if it has some.
graph::MicroBatchesOp microBatchesOf(graph::StepOp step);

/// Whether an op stands in a step before its micro-batches: what it does is done once in a step.
bool isBeforeMicroBatches(mlir::Operation *op);

/// Whether an op stands behind the first of the backward pass in its block.
bool isBackward(mlir::Operation *op);

} // namespace windlass::dist
