// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PartitionLayers.h - layer functions on shards =========================//
//
// Duty: rewrites one layer function: instead of parameters it takes the shards, or the whole units, of its
// instance's buckets, and instead of gradients of parameters it returns gradients of buckets.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Dist/ShardLayout.h"
#include "passes/Graph/Attributes.h"
#include "llvm/ADT/MapVector.h"

namespace windlass::dist {

/// The parameters behind the arguments and results of a function, at one call that stands for all.
struct LayerRole {
  mlir::SmallVector<std::string> argumentState; ///< parameter behind each argument, or empty
  mlir::SmallVector<std::string> gradientState; ///< parameter each result is a gradient of, or empty
};

/// The arguments and results of a partitioned function.
struct PartitionedLayer {
  mlir::SmallVector<unsigned> keptArguments;  ///< old numbers; they come first
  mlir::SmallVector<int64_t> takenBuckets;    ///< ordinals of the buckets whose values follow
  mlir::SmallVector<unsigned> keptResults;    ///< old numbers; they come first
  mlir::SmallVector<int64_t> gradientBuckets; ///< ordinals of the buckets whose gradients follow
};

/// A shard of a bucket with elements of a type.
mlir::RankedTensorType shardType(const BucketPlan &bucket, mlir::Type element);
/// A rank's parts of a bucket's gradients, or of one role of its optimizer states.
mlir::RankedTensorType partsType(const BucketPlan &bucket, mlir::Type element);

/// The types of a bucket's parameters between uses: one shard (zero 3), or its whole units.
mlir::SmallVector<mlir::Type> heldTypes(const BucketPlan &bucket);

/// The parameters of whole units, by unit and member.
mlir::SmallVector<mlir::SmallVector<mlir::Value>>
unpackUnits(mlir::OpBuilder &builder, mlir::Location loc, const BucketPlan &bucket, mlir::ValueRange units);
/// Whole units of a bucket's parameters, from the values of heldTypes().
mlir::SmallVector<mlir::Value> wholeUnits(mlir::OpBuilder &builder, mlir::Location loc,
                                          const BucketPlan &bucket, mlir::ValueRange held);
/// Whole units from a shard of pieces.
mlir::SmallVector<mlir::Value> gatherUnits(mlir::OpBuilder &builder, mlir::Location loc,
                                           const BucketPlan &bucket, mlir::Value shard);

/// A shard's pieces, unit by unit.
mlir::SmallVector<mlir::Value> splitShard(mlir::OpBuilder &builder, mlir::Location loc,
                                          const BucketPlan &bucket, mlir::Value shard);
/// This rank's parts of a shard that all replicas hold alike.
mlir::Value ownParts(mlir::OpBuilder &builder, mlir::Location loc, const BucketPlan &bucket,
                     mlir::Value shard);
/// The shard, gathered from the parts of the ranks.
mlir::Value joinParts(mlir::OpBuilder &builder, mlir::Location loc, const BucketPlan &bucket,
                      mlir::Value parts, std::optional<graph::Phase> phase = std::nullopt);

/// Reduces whole units over ranks: every rank gets its parts of the sum, or the owner gets the sum.
mlir::Value reduceUnits(mlir::OpBuilder &builder, mlir::Location loc, const BucketPlan &bucket,
                        mlir::ValueRange units, std::optional<graph::Phase> phase);

/// Reduces whole units of a gradient below zero 2. `allReduce`: every rank gets the whole sum first, and cuts
/// its part out of it.
mlir::Value reduceGradient(mlir::OpBuilder &builder, mlir::Location loc, const BucketPlan &bucket,
                           mlir::ValueRange units, bool allReduce, std::optional<graph::Phase> phase);

/// A gradient as a value that no other gradient is: a copy, where it is one of `taken`, perhaps reshaped. The
/// terms of a sum have the same gradient, but each parameter has bytes of its own for it.
mlir::Value ownGradient(mlir::Value gradient, llvm::DenseSet<mlir::Value> &taken);

/// A value per member of a bucket, by unit and member.
using MemberValues = mlir::SmallVector<mlir::SmallVector<mlir::Value>>;
/// Whole units, packed from the values of their members.
mlir::SmallVector<mlir::Value> packUnits(mlir::OpBuilder &builder, mlir::Location loc,
                                         const BucketPlan &bucket, const MemberValues &members);

mlir::FailureOr<PartitionedLayer> partitionLayer(mlir::func::FuncOp function, const LayerRole &role,
                                                 const ShardLayout &layout);

} // namespace windlass::dist
