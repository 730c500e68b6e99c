// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PartitionUpdate.h - the optimizer on shards ===========================//
//
// Duty: rewrites the update of `@train`, which stands behind its micro-batches. One elementwise map per
// bucket updates the bucket's shard, instead of one map per tensor; the gradient norm is a sum of slots, one
// per piece.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Dist/ShardLayout.h"

namespace windlass::dist {

/// The attribute of an update's maps that names the bucket over whose shard they run.
inline constexpr llvm::StringLiteral kUpdateOf = "windlass.update_of";

/// The gradient of one use of a bucket's parameters, as a result of the micro-batches.
struct BucketGradient {
  size_t bucket = 0;
  int64_t use = 0;                       ///< a tied parameter has several
  mlir::SmallVector<mlir::Value> values; ///< the reduced shard, or this rank's whole units
  bool isReduced = true;
};
using BucketGradients = std::vector<BucketGradient>;

/// `partitionMicroBatch` rewrites the body of the micro-batches and leaves its yield empty.
/// `allReduce`: gradients of zero 1 that are reduced behind the micro-batches are whole on every rank.
mlir::LogicalResult partitionUpdate(
    graph::StepOp train, const ShardLayout &layout, bool allReduce,
    llvm::function_ref<mlir::FailureOr<BucketGradients>(graph::MicroBatchesOp)> partitionMicroBatch);

} // namespace windlass::dist
