// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PartitionUpdate.h - the optimizer on shards =========================//
//
// Duty: rewrites what stands after the micro-batches of `@train`: per bucket one
// elementwise update of its shard instead of one per tensor, and the gradient norm
// by slots.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Dist/ShardLayout.h"

namespace windlass::dist {

/// On the maps of an update: the bucket whose shard they run over.
inline constexpr llvm::StringLiteral kUpdateOf = "windlass.update_of";

/// The gradient of one use of a bucket's parameters, as micro-batches add it up.
struct BucketGradient {
  size_t bucket = 0;
  int64_t use = 0;                       ///< a tied parameter has several
  mlir::SmallVector<mlir::Value> values; ///< the reduced shard, or this rank's whole units
  bool isReduced = true;
};
using BucketGradients = std::vector<BucketGradient>;

/// `partitionMicroBatch` rewrites the body of the micro-batches and leaves its yield empty.
/// `allReduce`: gradients of ZeRO 1 that are reduced after the micro-batches are so on every rank.
mlir::LogicalResult partitionUpdate(
    graph::StepOp train, const ShardLayout &layout, bool allReduce,
    llvm::function_ref<mlir::FailureOr<BucketGradients>(graph::MicroBatchesOp)> partitionMicroBatch);

} // namespace windlass::dist
