// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ShardLayout.h - units, pieces and buckets =============================//
//
// Duty: the one rule of units, pieces and buckets.
//   unit    a tensor; or a pack of the tensors under 16,384 elements of one segment (Segments.h) and group
//           of parameters. A tied tensor and a tile of a matrix are not packed.
//   piece   a unit of n elements is cut into pieces of ceil(n / (64 * ranks)) * 64 elements, one per rank.
//   bucket  consecutive units of one segment and group, or one tile.
// Segments stand in program order, and the units of a segment in the order in which the model declares their
// tensors; the norm is summed in this order. Pieces and their order depend neither on zero, bucket size and
// placement, nor on where a model is cut between layers. Zero may be given bucket by bucket. At zero 3 a
// small bucket of packs alone may be of zero 2, whole on every rank, for its gathers would cost more in
// latency than in bytes. Every other bucket may have one owner, which holds all pieces of it and broadcasts
// them. With replicas, each replica shares out all units among its ranks, in pieces of ceil(n / (64 * ranks))
// * 64 * replicas elements. Such a piece may be cut into parts over the replicas, of gradients and optimizer
// states; a part has the elements of a rank's piece without replicas.
// Threads, ownership: values that refer to ops of the module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Dist/IR/DistDialect.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <map>
#include <string>
#include <vector>

namespace windlass::dist {

inline constexpr int64_t kPackBelowElements = 16384;
inline constexpr int64_t kPieceGranule = 64;

/// The axes of a run: one, or two where groups of ranks hold copies of all states.
inline constexpr llvm::StringLiteral kDataAxis = "dp", kReplicateAxis = "dp_replicate",
                                     kShardAxis = "dp_shard";

/// The axes of ranks that train one stage: those of data, `replicas` groups of which hold copies of all
/// states, and behind them the ranks that share out the operations of a replica, neighbours of each other.
std::vector<plan::MeshAxis> meshAxes(int64_t dataRanks, int64_t replicas, int64_t tensorRanks);

/// Some axes of the mesh, by their names.
using MeshAxes = std::vector<std::string>;

/// The axes as an attribute; null if there are none.
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
  bool isSplit = false; ///< of each tensor a rank along the axis `tp` has a part of its own
  int64_t ordinal = 0;  ///< among the buckets of its layer
  int64_t zero = 3;     ///< which of its states are shared out over ranks: 0 ... 3
  std::vector<UnitPlan> units;
  int64_t owner = -1;   ///< the place over its axes that holds it alone; -1: every rank holds its pieces
  int64_t held = 1;     ///< pieces of each unit in a shard: 1, or all pieces in the owner's shard
  MeshAxes over = {};   ///< the axes that pieces are cut over; empty: all. Ranks along other axes hold copies
  MeshAxes finer = {};  ///< the axes that pieces of gradients and optimizer states are further cut over
  MeshAxes copies = {}; ///< the axes that shards of gradients are summed over once a step
  int64_t parts = 1;    ///< of a piece: ranks along `finer`

  int64_t shardElements() const;
  int64_t partElements() const { return shardElements() / parts; }
  /// Elements of each unit in a shard.
  llvm::SmallVector<int64_t> pieces() const;
  /// Elements of each unit in a rank's parts of gradients and optimizer states.
  llvm::SmallVector<int64_t> partPieces() const;
  /// The name without the layer, "decay.0", which all instances of a layer function share.
  std::string nameInLayer() const;
  /// The axes that gradients and optimizer states are cut over, coarsest first.
  MeshAxes partAxes() const;
  /// Whether a state of this role is held as a shard, rather than as whole units.
  bool isSharded(graph::Role role) const { return zero >= (role == graph::Role::Parameter ? 3 : 1); }
  /// Whether the bucket is a tile of a matrix that is too large to be gathered whole.
  bool isTile() const;
  /// Element type of the parameters.
  mlir::Type elementType() const { return units.front().type().getElementType(); }
};

/// The place of a parameter in buckets.
struct StateSlot {
  size_t bucket = 0, unit = 0, member = 0;
};

struct ShardLayout {
  std::vector<BucketPlan> buckets;
  std::vector<plan::MeshAxis> mesh;
  std::map<std::string, StateSlot> slots; ///< by symbol of the parameter

  const BucketPlan &bucketOf(llvm::StringRef state) const { return buckets[slots.at(state.str()).bucket]; }
  /// The number of ranks along some axes; without axes, of all ranks.
  int64_t groupRanks(const MeshAxes &axes) const;
  /// The bucket with this ordinal in a layer.
  const BucketPlan &bucketOf(llvm::StringRef layer, int64_t ordinal) const;
};

struct ShardOptions {
  int64_t ranks = 1, zero = 3;
  int64_t replicas = 1; ///< copies of the states, each shared out among ranks / replicas
  bool finer = false;   ///< gradients and optimizer states are shared out among all ranks, without copies
  int64_t bucketBytes = 4 << 20;
  int64_t persistence = 0; ///< at zero 3, the most elements of a bucket of packs that stays whole
  bool owned = false;      ///< at zero 3, each bucket has one owner
  bool staged = false;     ///< but for those of which stages of a pipeline may hand each other shards
  std::map<std::string, int64_t> zeroOf = {}; ///< of single buckets, by symbol
};

/// Lays out the parameters of a module. A parameter with several gradients a step is a bucket of its own, as
/// a tile is.
ShardLayout layOutShards(mlir::ModuleOp module, const ShardOptions &options);

/// Refuses names that no bucket has. `key`: of the file that has the names.
Status checkBuckets(const ShardLayout &layout, const std::string &key, const std::vector<std::string> &names);

} // namespace windlass::dist
