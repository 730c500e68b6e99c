// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PartitionLayers.h - layer functions on shards =======================//
//
// Duty: rewrites one layer function so that it takes shards (or whole units) of its
// instance's buckets instead of parameters, and returns gradients by bucket.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Dist/ShardLayout.h"
#include "passes/Graph/Attributes.h"
#include "llvm/ADT/MapVector.h"

namespace windlass::dist {

/// What the calls of a function say about it; states are those of one representative call.
struct LayerRole {
  mlir::SmallVector<std::string> argumentState; ///< parameter behind each argument, or empty
  mlir::SmallVector<std::string> gradientState; ///< parameter each result is a gradient of, or empty
};

/// How calls of a partitioned function look.
struct PartitionedLayer {
  mlir::SmallVector<unsigned> keptArguments;  ///< old numbers; they come first
  mlir::SmallVector<int64_t> takenBuckets;    ///< ordinals of the buckets whose values follow
  mlir::SmallVector<unsigned> keptResults;    ///< old numbers; they come first
  mlir::SmallVector<int64_t> gradientBuckets; ///< ordinals of the buckets whose gradients follow
};

/// Element type of a bucket's gradients: that of the values.
mlir::RankedTensorType shardType(const BucketPlan &bucket, mlir::Type element);
/// What a rank has of its gradients, or of a class of its optimizer states: parts of its pieces.
mlir::RankedTensorType partsType(const BucketPlan &bucket, mlir::Type element);

/// A bucket's parameters as their users hold them: one shard (ZeRO 3), or its whole units.
mlir::SmallVector<mlir::Type> heldTypes(const BucketPlan &bucket);

/// The parameters inside whole units.
mlir::SmallVector<mlir::SmallVector<mlir::Value>>
unpackUnits(mlir::OpBuilder &builder, mlir::Location loc, const BucketPlan &bucket, mlir::ValueRange units);
/// Whole units of a bucket's parameters from what is held.
mlir::SmallVector<mlir::Value> wholeUnits(mlir::OpBuilder &builder, mlir::Location loc,
                                          const BucketPlan &bucket, mlir::ValueRange held);
/// Whole units from a shard of pieces.
mlir::SmallVector<mlir::Value> gatherUnits(mlir::OpBuilder &builder, mlir::Location loc,
                                           const BucketPlan &bucket, mlir::Value shard);

/// A shard's pieces, unit by unit; and this rank's parts of them where all its group's replicas hold the
/// same.
mlir::SmallVector<mlir::Value> splitShard(mlir::OpBuilder &builder, mlir::Location loc,
                                          const BucketPlan &bucket, mlir::Value shard);
mlir::Value ownParts(mlir::OpBuilder &builder, mlir::Location loc, const BucketPlan &bucket,
                     mlir::Value shard);
/// The shard of pieces from the parts that the ranks have of gradients and optimizer states.
mlir::Value joinParts(mlir::OpBuilder &builder, mlir::Location loc, const BucketPlan &bucket,
                      mlir::Value parts, std::optional<graph::Phase> phase = std::nullopt);

/// The sum over ranks of whole units: every rank's parts, or all of them where they are owned.
mlir::Value reduceUnits(mlir::OpBuilder &builder, mlir::Location loc, const BucketPlan &bucket,
                        mlir::ValueRange units, std::optional<graph::Phase> phase);

/// The same for a gradient below ZeRO 2: with `allReduce` whole on every rank, which then takes its part.
mlir::Value reduceGradient(mlir::OpBuilder &builder, mlir::Location loc, const BucketPlan &bucket,
                           mlir::ValueRange units, bool allReduce, std::optional<graph::Phase> phase);

/// Gradients of one bucket's members, by unit and member.
using MemberValues = mlir::SmallVector<mlir::SmallVector<mlir::Value>>;
/// Units from their members' gradients.
mlir::SmallVector<mlir::Value> packUnits(mlir::OpBuilder &builder, mlir::Location loc,
                                         const BucketPlan &bucket, const MemberValues &members);

mlir::FailureOr<PartitionedLayer> partitionLayer(mlir::func::FuncOp function, const LayerRole &role,
                                                 const ShardLayout &layout);

} // namespace windlass::dist
