// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Homes.h - where the bytes of buckets rest =============================//
//
// Duty: declares the homes of a bucket's states, of gradient accumulators and of library scratch, with their
// names and sizes; and finds a home again by what it holds.
// Units: bytes. Every home is padded to 4 KiB, the block of NVMe transfers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Flow/IR/FlowDialect.h"
#include "dialects/Graph/IR/GraphPitch.h"
#include <array>
#include <tuple>

namespace windlass::flow {

inline constexpr int64_t kShardGranule = 4096;
/// Operands of launches begin at multiples of so many bytes.
inline constexpr int64_t kOperandAlignment = 64;
inline constexpr llvm::StringLiteral kScratchHome = "scratch";

inline int64_t roundUp(int64_t value, int64_t granule) { return (value + granule - 1) / granule * granule; }
inline int64_t bytesOf(mlir::Type element) { return element.getIntOrFloatBitWidth() / 8; }
inline int64_t bytesOf(mlir::RankedTensorType type) {
  return graph::storedElements(type) * bytesOf(type.getElementType());
}

/// Ranks of the module's mesh; 1 where none is declared.
int64_t ranksOf(mlir::ModuleOp module);
/// Data ranks of the mesh: they have examples of their own, and each data place may own buckets.
int64_t dataRanksOf(mlir::ModuleOp module);
/// Whether the group of the collective has one rank. The shard of that rank is the whole units.
bool isOfOneRank(CollectiveOpInterface collective);
/// Ranks along each axis of the mesh, in its order; none where none is declared.
llvm::ArrayRef<int64_t> meshSizesOf(mlir::ModuleOp module);

/// The bytes of all slots of a home.
inline int64_t heldBytes(HomeOp home) {
  return static_cast<int64_t>(home.getBytes()) * std::max<int64_t>(1, home.getSlots());
}
/// A home as a buffer of a section.
BufferType typeOf(HomeOp home);

/// The bytes [offset, offset + bytes) of a buffer; the buffer itself if these are all of its bytes and no
/// strides are given. With strides, the bytes begin at `offset` + the sum of coordinate *
/// stride over the axes of the mesh.
mlir::Value viewOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer, int64_t offset,
                   int64_t bytes, llvm::ArrayRef<int64_t> strides = {});

/// Element type of a state of a bucket: f32 but for the parameters.
mlir::Type elementOf(dist::BucketOp bucket, graph::Role role);

/// A result of `micro_batches`: the sum of one gradient of a bucket over the micro-batches.
struct Accumulator {
  mlir::OpResult sum;
  dist::BucketOp bucket;
  int64_t use = 0;   ///< of the bucket's parameters: a tied parameter has several
  int64_t unit = -1; ///< the unit of the bucket that is summed whole; -1: the reduced shard is summed
};
llvm::SmallVector<Accumulator> accumulatorsOf(graph::MicroBatchesOp micro, const mlir::SymbolTable &symbols);

/// The home, on the device, of a parameter of another stage that comes once in a step.
std::string receivedHome(dist::RecvOp recv);
void declareReceived(mlir::OpBuilder &builder, dist::RecvOp recv);

/// The homes of a module, by name and by what they hold.
class HomeTable {
public:
  explicit HomeTable(mlir::ModuleOp module);

  HomeOp of(UseOp use) const { return homes.lookup(use.getHomeAttr().getAttr()); }
  /// The home of a state of a bucket, or of the gradient of one use of its parameters: of the shard (unit
  /// -1), or of a whole unit. Null: the bucket has no such home.
  HomeOp of(dist::BucketOp bucket, graph::Role role, int64_t unit = -1, int64_t use = 0) const;
  HomeOp of(const Accumulator &accumulator) const;
  /// The home that a buffer, or a view of it, shows; null for an allocation.
  HomeOp behind(mlir::Value buffer) const;
  /// The home where an update runs: that of the fp32 master; of the momentum where there is no master; of the
  /// parameter where the optimizer has no states; of the gradients for a sum of gradients.
  HomeOp ofUpdate(UpdateOp update) const;

private:
  llvm::DenseMap<mlir::StringAttr, HomeOp> homes;
  using Held = std::tuple<mlir::StringAttr, graph::Role, int64_t, int64_t>; ///< bucket, role, unit, use
  llvm::DenseMap<Held, HomeOp> byHeld;
};

/// The offsets of homes, back to back from the bottom of each tier: first the homes that all ranks have, then
/// the homes of owners. Homes of different owners lie on different ranks, so that they have the same offsets.
class HomeStack {
public:
  explicit HomeStack(mlir::ModuleOp module);

  int64_t offset(HomeOp home) const { return offsets.lookup(home); }
  /// Bytes of all homes in a tier; none: of the homes that have no tier yet.
  int64_t bytes(std::optional<Tier> tier) const { return sizes[at(tier)]; }

private:
  static size_t at(std::optional<Tier> tier) { return tier ? static_cast<size_t>(*tier) : 3; }

  llvm::DenseMap<mlir::Operation *, int64_t> offsets;
  std::array<int64_t, 4> sizes{}; ///< by tier, then of homes without one
};

/// Declares the homes of every bucket's states, unplaced.
void declareStateHomes(mlir::OpBuilder &builder, dist::BucketOp bucket);
/// Declares the home of a sum, unplaced. For a sum of whole units, also declares the home of the reduced
/// shard.
void declareAccumulator(mlir::OpBuilder &builder, Accumulator accumulator);

} // namespace windlass::flow
