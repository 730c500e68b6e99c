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

/// The reduced gradient of one use of a bucket's parameters.
struct GradientShard {
  size_t bucket = 0;
  int64_t use = 0; ///< a tied parameter has several
  mlir::Value shard;
};
using GradientShards = std::vector<GradientShard>;

/// `partitionMicroBatch` rewrites the body of the micro-batches and leaves its yield empty.
mlir::LogicalResult partitionUpdate(
    graph::StepOp train, const ShardLayout &layout, int64_t ranks,
    llvm::function_ref<mlir::FailureOr<GradientShards>(graph::MicroBatchesOp)> partitionMicroBatch);

} // namespace windlass::dist
