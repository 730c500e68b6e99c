// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Homes.h - where the bytes of buckets rest ===========================//
//
// Duty: names and sizes of the homes that a bucket's states, gradient accumulators and
// the library scratch need, in one place for the passes that make and read them; and how
// those find a home again.
// Units: bytes. A home, of a shard or of a whole unit, is padded to 4 KiB, the unit of NVMe transfers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Flow/IR/FlowDialect.h"
#include <array>
#include <tuple>

namespace windlass::flow {

inline constexpr int64_t kShardGranule = 4096;
/// Bytes that operands of launches begin at a multiple of.
inline constexpr int64_t kOperandAlignment = 64;
inline constexpr llvm::StringLiteral kScratchHome = "scratch";

inline int64_t roundUp(int64_t value, int64_t granule) { return (value + granule - 1) / granule * granule; }
inline int64_t bytesOf(mlir::Type element) { return element.getIntOrFloatBitWidth() / 8; }
inline int64_t bytesOf(mlir::RankedTensorType type) {
  return type.getNumElements() * bytesOf(type.getElementType());
}

/// Ranks of the module's mesh; 1 where none is declared.
int64_t ranksOf(mlir::ModuleOp module);
/// Ranks along each axis of the mesh, in its order; none where none is declared.
llvm::ArrayRef<int64_t> meshSizesOf(mlir::ModuleOp module);

/// Element type of a state of a bucket: f32 but for the parameters.
mlir::Type elementOf(dist::BucketOp bucket, graph::Role role);

/// What one result of `micro_batches` adds up.
struct Accumulator {
  mlir::OpResult sum;
  dist::BucketOp bucket;
  int64_t use = 0;
  int64_t unit = -1; ///< of the bucket; -1: the reduced shard
};
llvm::SmallVector<Accumulator> accumulatorsOf(graph::MicroBatchesOp micro, const mlir::SymbolTable &symbols);

/// The homes of a module, by name and by what they hold.
class HomeTable {
public:
  explicit HomeTable(mlir::ModuleOp module);

  HomeOp of(UseOp use) const { return homes.lookup(use.getHomeAttr().getAttr()); }
  /// Of a bucket's states, or of one use of its parameters' gradients: a shard, or a whole unit. Null where
  /// it has none.
  HomeOp of(dist::BucketOp bucket, graph::Role role, int64_t unit = -1, int64_t use = 0) const;
  HomeOp of(const Accumulator &accumulator) const;
  /// The home a buffer is in; null for an allocation.
  HomeOp behind(mlir::Value buffer) const;
  /// The home that an update works at: AdamW where the fp32 master rests, without one where the moments do;
  /// an optimizer without states where the parameter does; a sum of gradients where they do.
  HomeOp ofUpdate(UpdateOp update) const;

private:
  llvm::DenseMap<mlir::StringAttr, HomeOp> homes;
  using Held = std::tuple<mlir::StringAttr, graph::Role, int64_t, int64_t>; ///< bucket, role, unit, use
  llvm::DenseMap<Held, HomeOp> byHeld;
};

/// Homes back to back at the bottom of each tier: those that all ranks have, then those of every owner, who
/// are no neighbours of each other and share the bytes.
class HomeStack {
public:
  explicit HomeStack(mlir::ModuleOp module);

  int64_t offset(HomeOp home) const { return offsets.lookup(home); }
  /// Of homes without a tier: what they would take of one.
  int64_t bytes(std::optional<Tier> tier) const { return sizes[at(tier)]; }

private:
  static size_t at(std::optional<Tier> tier) { return tier ? static_cast<size_t>(*tier) : 3; }

  llvm::DenseMap<mlir::Operation *, int64_t> offsets;
  std::array<int64_t, 4> sizes{}; ///< by tier, then of homes without one
};

/// Declares the homes of every bucket's states, unplaced.
void declareStateHomes(mlir::OpBuilder &builder, dist::BucketOp bucket);
/// Declares the home of a sum, unplaced; of units, that of the shard they are reduced to as well.
void declareAccumulator(mlir::OpBuilder &builder, Accumulator accumulator);

} // namespace windlass::flow
