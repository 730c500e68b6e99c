// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ShardLayout.h - units, pieces and buckets ===========================//
//
// Duty: the one shard rule. A tensor of fewer than 16,384 elements is packed with the
// others of its segment (Segments.h) and parameter group, unless it is tied or a tile of a matrix; a unit (a
// tensor or a pack) is cut into pieces of ceil(n / (64 * ranks)) * 64 elements; a bucket holds whole
// consecutive units of one segment and group, or one tile. Segments stand in program order, units of one in
// the order in which the model declares their tensors: the norm is summed so. Pieces and their order never
// depend on ZeRO, bucket size or placement, nor on where a model is cut between layers.
// At ZeRO 3 a bucket of packs alone may stay whole on every rank (ZeRO 2): its gathers would cost
// more in latency than its bytes are worth. The others may each have one owner, which holds all pieces and
// broadcasts them, where gathers would bring them from every rank. ZeRO may be given bucket by bucket.
// With replicas the ranks of one share a unit out, in pieces of ceil(n / (64 * ranks)) * 64 * replicas
// elements: cut over the replicas they give what each rank has without. Gradients and optimizer states may be
// cut so: such parts lie in pieces, by the place of a rank's replica.
// Threads, ownership: values that refer to ops of the module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Dist/IR/DistDialect.h"
#include "runtime/base/Status.h"
#include <map>
#include <string>
#include <vector>

namespace windlass::dist {

inline constexpr int64_t kPackBelowElements = 16384;
inline constexpr int64_t kPieceGranule = 64;

/// The axes of a run: one, or two where groups of ranks hold copies of all states.
inline constexpr llvm::StringLiteral kDataAxis = "dp", kReplicateAxis = "dp_replicate",
                                     kShardAxis = "dp_shard";

/// Some axes of the mesh, by their names.
using MeshAxes = std::vector<std::string>;

/// Null without any.
mlir::ArrayAttr axesAttr(mlir::Builder &builder, const MeshAxes &axes);

struct UnitPlan {
  std::string name;
  int64_t elements = 0, piece = 0;
  bool packed = false;
  std::vector<graph::StateOp> members; ///< parameters
  std::vector<int64_t> offsets;        ///< elements from the unit's start, per member

  /// The unit as a value: the tensor itself, or a 1-D pack.
  mlir::RankedTensorType type() const;
};

struct BucketPlan {
  std::string symbol, layer, group;
  int64_t ordinal = 0; ///< among the buckets of its layer
  int64_t zero = 3;    ///< what of it is shared out over the ranks: ZeRO 0 to 3
  std::vector<UnitPlan> units;
  int64_t owner = -1; ///< the rank that holds it alone; -1: every rank holds its pieces
  int64_t held = 1;   ///< pieces of each unit in a shard: one, or the owner's all
  MeshAxes over;      ///< that its pieces lie over, none: all; ranks along the others hold the same
  MeshAxes finer;     ///< that its pieces are then cut over, for gradients and optimizer states
  MeshAxes copies;    ///< that its shards of gradients are summed over once a step
  int64_t parts = 1;  ///< of a piece over `finer`

  int64_t shardElements() const;
  int64_t partElements() const { return shardElements() / parts; }
  /// What a shard has of each unit.
  llvm::SmallVector<int64_t> pieces() const;
  /// What a rank has of it of gradients and optimizer states, if they are cut.
  llvm::SmallVector<int64_t> partPieces() const;
  /// "decay.0": the same for every instance of a layer function.
  std::string nameInLayer() const;
  /// Those that gradients and optimizer states are cut over, coarsest first.
  MeshAxes partAxes() const;
  /// Whether a state of this role is held as a shard, rather than as whole units.
  bool isSharded(graph::Role role) const { return zero >= (role == graph::Role::Parameter ? 3 : 1); }
  /// Whether it is a part of a matrix that is too large to be gathered whole.
  bool isTile() const;
  /// Element type of the parameters.
  mlir::Type elementType() const { return units.front().type().getElementType(); }
};

/// Where a parameter lies.
struct StateSlot {
  size_t bucket = 0, unit = 0, member = 0;
};

struct ShardLayout {
  std::vector<BucketPlan> buckets;
  std::vector<std::pair<std::string, int64_t>> mesh; ///< axes and their sizes, the last axis fastest
  std::map<std::string, StateSlot> slots;            ///< by symbol of the parameter

  const BucketPlan &bucketOf(llvm::StringRef state) const { return buckets[slots.at(state.str()).bucket]; }
  /// Ranks of a group over some axes; without any, over all.
  int64_t groupRanks(const MeshAxes &axes) const;
  /// The bucket with this ordinal in a layer.
  const BucketPlan &bucketOf(llvm::StringRef layer, int64_t ordinal) const;
};

struct ShardOptions {
  int64_t ranks = 1, zero = 3;
  int64_t replicas = 1; ///< copies of the states: ranks / replicas share out each
  bool finer = false;   ///< of the parameters alone: all ranks share out gradients and optimizer states
  int64_t bucketBytes = 4 << 20;
  int64_t persistence = 0; ///< elements of the largest bucket of packs that stays whole at ZeRO 3
  bool owned = false;      ///< at ZeRO 3 each bucket has one owner
  std::map<std::string, int64_t> zeroOf = {}; ///< of single buckets, by symbol
};

/// A parameter with more than one gradient a step is a bucket of its own, as a tile is.
ShardLayout layOutShards(mlir::ModuleOp module, const ShardOptions &options);

/// Refuses names that no bucket has; `key` is what named them.
Status checkBuckets(const ShardLayout &layout, const std::string &key, const std::vector<std::string> &names);

} // namespace windlass::dist
