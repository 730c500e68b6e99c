// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SectionLowering.h - one section of flow from a dist step ============//
//
// Duty: walks a step (or a micro-batch of it), inlines layer functions, and writes
// instructions on buffers. Program order is kept; values get destinations, so that a
// gradient is produced where its reduce-scatter reads it and an update where the state rests.
// Errors: diagnostics at the op that cannot be lowered.
// Threads, ownership: as MLIR's; one object per section.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Flow/IR/FlowDialect.h"
#include "passes/Dist/Kernels.h"
#include "passes/Flow/homes/Homes.h"
#include <memory>
#include <set>

namespace windlass::flow {

inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

struct SectionOptions {
  bool stores = true;   ///< the first micro-batch: gradients are stored, not added
  bool updates = false; ///< the update follows
  /// Of the section. Several take turns: all of them in a layer, or between two layers, before the next.
  int64_t microBatches = 1;
  /// Buckets whose parameters, once gathered, stay whole for the rest of the section.
  std::set<std::string> kept = {};
};

/// Bytes that values are produced into; allocated when the first of them is.
struct Slot {
  BufferClass cls;
  int64_t bytes = 0;
  mlir::Value buffer;
  int64_t used = 0; ///< bytes that values fill; the rest is zeroed
  bool isZeroed = false;
};

/// Where a value must be produced.
struct Destination {
  std::shared_ptr<Slot> slot;
  int64_t offset = 0;
  HomeOp accumulator;  ///< that a gradient is stored in or added to
  mlir::Type sum;      ///< element type of the accumulator
  bool stores = true;  ///< rather than adds
  bool isUnit = false; ///< this rank's whole unit, not yet reduced
};

class SectionLowering {
public:
  /// `symbols`: of the module, when its homes are declared.
  SectionLowering(SectionOp section, const mlir::SymbolTable &symbols, dist::KernelTable &kernels,
                  const SectionOptions &options);

  mlir::LogicalResult lower(graph::StepOp step);

private:
  /// One function instance, or the step itself.
  struct Frame {
    std::string function;
    Phase phase = Phase::Forward;
    int64_t microBatch = 0; ///< of the section
    llvm::DenseMap<mlir::Value, mlir::Value> buffers;
    llvm::DenseMap<mlir::Value, Destination> destinations;
    llvm::DenseMap<mlir::Value, BufferClass> classes; ///< of values that need one
  };

  mlir::LogicalResult lowerBlock(mlir::Block &block, Frame &frame);
  mlir::LogicalResult lowerOp(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult lowerOne(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult lowerCall(mlir::func::CallOp call, Frame &frame);
  mlir::LogicalResult lowerMicroBatches(graph::MicroBatchesOp micro, Frame &frame);
  /// One micro-batch: what it starts from, and where its gradients go.
  Frame enterMicroBatch(graph::MicroBatchesOp micro, int64_t number, Frame &frame);
  mlir::LogicalResult lowerLaunch(dist::LaunchOp launch, Frame &frame);
  /// The home that a buffer is, if it is one of this role.
  HomeOp homeOf(mlir::Value buffer, graph::Role role);
  void lowerUpdate(dist::LaunchOp launch, llvm::StringRef bucket, Frame &frame);
  /// `pieces`: of each unit, one of every rank of the collective's group; 1 where the pieces are units.
  template <typename FlowOp, typename DistOp> void lowerGather(DistOp gather, int64_t pieces, Frame &frame);
  template <typename FlowOp, typename DistOp> void lowerReduce(DistOp reduce, int64_t pieces, Frame &frame);
  /// The home of a gradient's shard that a gather brings back whole what was reduced from it: each rank's sum
  /// becomes that of all replicas in its place. Null for other gathers.
  mlir::Value summedInPlace(mlir::Operation *gather, Frame &frame);
  void lowerOwnShard(dist::OwnShardOp own, Frame &frame);
  void lowerNormSlots(dist::NormSlotsOp slots, Frame &frame);
  void lowerRead(dist::ReadOp read, Frame &frame);
  void lowerFeed(graph::FeedOp feed, Frame &frame);
  void lowerReport(graph::ReportOp report, Frame &frame);

  /// Where the results of micro-batches that are not reduced yet go when they are.
  void findReduced(graph::MicroBatchesOp micro, Frame &frame);
  /// Adds (or stores) the whole units that `op` has produced.
  void accumulateUnits(mlir::Operation *op, Frame &frame);
  /// Adds (or stores) `elements` of `term` to `sum`.
  void accumulate(mlir::Value term, mlir::Type termElement, mlir::Value sum, const Destination &at,
                  int64_t elements, OriginAttr origin);

  /// Whether a call repeats a layer's forward pass from what was kept for it.
  bool repeats(mlir::func::CallOp call) const;
  /// Consumers before producers: which values must be produced where.
  void findDestinations(mlir::Block &block, Frame &frame);

  /// The buffer of a value, cut to the value's own bytes; feeds are brought to the device.
  mlir::Value deviceBuffer(mlir::Value value, Frame &frame);
  /// The buffer a value is produced into.
  mlir::Value resultBuffer(mlir::Value value, llvm::StringRef what, Frame &frame);
  /// The buffer in which a kernel adds to its argument `onto`.
  mlir::Value ontoBuffer(dist::LaunchOp launch, unsigned onto, llvm::StringRef what, Frame &frame);
  mlir::Value slotBuffer(Slot &slot, llvm::StringRef what, Frame &frame);
  void zero(mlir::Value buffer, int64_t from, int64_t to, Frame &frame);
  void launch(mlir::func::FuncOp kernel, mlir::ValueRange inputs, mlir::ValueRange outputs, int64_t end,
              OriginAttr origin);

  mlir::Value alloc(llvm::StringRef what, BufferClass cls, int64_t bytes, Tier tier, Frame &frame,
                    int64_t owner = -1);
  mlir::Value use(HomeOp home);
  mlir::Value view(mlir::Value buffer, int64_t offset, int64_t bytes, llvm::ArrayRef<int64_t> strides = {});
  OriginAttr origin(const Frame &frame, llvm::StringRef what, mlir::Operation *op = nullptr);

  SectionOp section;
  const mlir::SymbolTable &symbols;
  HomeTable homes;
  dist::KernelTable &kernels;
  SectionOptions options;
  dist::MeshOp mesh;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Operation *, mlir::Value> uses;   ///< of homes
  llvm::DenseMap<mlir::Value, mlir::Value> deviceCopies; ///< of feeds, by host buffer
  /// Whole units of parameters, by their shard, for as long as micro-batches take turns with them.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> gathered;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> kept; ///< for as long as the section
};

/// Removes the releases of a section and puts one after the last user of every buffer.
void placeReleases(SectionOp section);

} // namespace windlass::flow
