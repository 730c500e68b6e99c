// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Stages.h - what stage of a pipeline computes what ===================//
//
// Duty: what `assign-stages` says and `extract-stage` reads: the stage of an op of a step, and of a bucket,
// whose states rest there. An op without a stage is one that every stage which needs it does itself: it feeds
// and computes from feeds, constants, parameters or scalars alone.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Dist/IR/DistDialect.h"
#include <optional>

namespace windlass::dist {

/// On an op of a step and on a bucket: the stage, from 0.
inline constexpr llvm::StringLiteral kStage = "windlass.stage";

inline std::optional<int64_t> stageOf(mlir::Operation *op) {
  auto stage = op->getAttrOfType<mlir::IntegerAttr>(kStage);
  return stage ? std::optional(stage.getInt()) : std::nullopt;
}
/// Of a value of a step: of the op that makes it, or of what a sum over micro-batches adds up.
std::optional<int64_t> stageOf(mlir::Value value);

/// The micro-batches of a step, if it has some.
graph::MicroBatchesOp microBatchesOf(graph::StepOp step);

/// Whether an op stands behind the first of the backward pass in its block.
bool isBackward(mlir::Operation *op);

} // namespace windlass::dist
