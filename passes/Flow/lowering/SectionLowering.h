// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SectionLowering.h - one section of flow from a dist step ==============//
//
// Duty: lowers a step of the dist level to one section: walks the step and its micro-batches in program
// order, inlines layer functions, and writes instructions on buffers. Before a block is lowered, some values
// get a destination, so that nothing is copied: a gradient is produced where its reduce-scatter reads it, an
// update where the state rests.
// Errors: diagnostics at the op that cannot be lowered. Threads, ownership: as MLIR's; one object per
// section.
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
  bool stores = true;   ///< the section has the first micro-batch, whose gradients are stored and not added
  bool updates = false; ///< the update stands in the section, too
  /// Micro-batches of the section. With several, each segment of the step (a layer, or what stands between
  /// two layers) is lowered for all micro-batches before the next segment: the vertical order.
  int64_t microBatches = 1;
  /// Buckets that are gathered once: their parameters stay whole until the section ends.
  std::set<std::string> keptGathered = {};
  bool phases = false; ///< launches bring memory for sums that are made in two phases
};

/// A buffer that several values are produced into, side by side. It is allocated with the first of them.
struct Slot {
  BufferClass cls;
  int64_t bytes = 0;
  mlir::Value buffer; ///< null: not allocated yet
  int64_t used = 0;   ///< bytes at the front that values fill; the bytes behind them are zeroed
  bool isZeroed = false;
};

/// Where a value must be produced.
struct Destination {
  std::shared_ptr<Slot> slot;
  int64_t offset = 0;  ///< bytes from the slot's start
  HomeOp accumulator;  ///< of a gradient: the home of its sum
  mlir::Type sum;      ///< element type of the accumulator
  bool stores = true;  ///< the accumulator takes the gradient; false: the gradient is added to it
  bool isUnit = false; ///< the gradient is a whole unit that is reduced after the micro-batches
};

class SectionLowering {
public:
  /// `symbols`: of the module, when its homes are declared.
  SectionLowering(SectionOp section, const mlir::SymbolTable &symbols, dist::KernelTable &kernels,
                  const SectionOptions &options);

  mlir::LogicalResult lower(graph::StepOp step);

private:
  /// What is known of one inlined call, or of the step itself.
  struct Frame {
    std::string function;
    Phase phase = Phase::Forward;
    int64_t microBatch = 0;                           ///< number within the section
    llvm::DenseMap<mlir::Value, mlir::Value> buffers; ///< by value
    llvm::DenseMap<mlir::Value, Destination> destinations;
    llvm::DenseMap<mlir::Value, BufferClass> classes; ///< of values that are no plain activations
  };

  mlir::LogicalResult lowerBlock(mlir::Block &block, Frame &frame);
  mlir::LogicalResult lowerOp(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult lowerOne(mlir::Operation *op, Frame &frame);
  mlir::LogicalResult lowerCall(mlir::func::CallOp call, Frame &frame);
  mlir::LogicalResult lowerMicroBatches(graph::MicroBatchesOp micro, Frame &frame);
  /// The frame of one micro-batch: the buffers it starts from, and the destinations of its gradients.
  Frame enterMicroBatch(graph::MicroBatchesOp micro, int64_t number, Frame &frame);
  mlir::LogicalResult lowerLaunch(dist::LaunchOp launch, Frame &frame);
  /// The home that a buffer shows, if the home has this role; else null.
  HomeOp homeOf(mlir::Value buffer, graph::Role role);
  void lowerUpdate(dist::LaunchOp launch, llvm::StringRef bucket, Frame &frame);
  /// Lowers the all-gather of a gradient for an update, in a group of one rank, without an instruction. The
  /// shard of that rank is the whole gradient, so that each unit becomes a view of the gradient's home. The
  /// update reads the gradient there, whatever the tier of the home is. Returns false, and lowers nothing,
  /// for other gathers, and if several ops read a unit or a unit has a destination.
  bool readFromHome(dist::AllGatherOp gather, Frame &frame);
  /// `pieces`: the number of pieces that make up a unit. A collective of pieces moves one piece of each rank
  /// of its group: 4 on a group of 4 ranks. A collective of an owner moves whole units: 1.
  template <typename FlowOp, typename DistOp> void lowerGather(DistOp gather, int64_t pieces, Frame &frame);
  template <typename FlowOp, typename DistOp> void lowerReduce(DistOp reduce, int64_t pieces, Frame &frame);
  /// The buffer of a replica's own sum of gradients, if `gather` is the second of a pair of collectives over
  /// the same axes: a reduce-scatter adds the sums of all replicas, and `gather` brings the result back to
  /// each of them. The gather then overwrites the replica's own sum with the result. Null for other ops.
  mlir::Value summedInPlace(mlir::Operation *gather, Frame &frame);
  void lowerOwnShard(dist::OwnShardOp own, Frame &frame);
  void lowerNormSlots(dist::NormSlotsOp slots, Frame &frame);
  void fillRows(mlir::Value slots, int64_t bytes, int64_t rows, int64_t count, OriginAttr where, Frame &frame,
                llvm::function_ref<void(mlir::Value table, int64_t stride)> fill);
  void lowerRead(dist::ReadOp read, Frame &frame);
  void lowerFeed(graph::FeedOp feed, Frame &frame);
  void lowerReport(graph::ReportOp report, Frame &frame);
  void lowerSend(dist::SendOp send, Frame &frame);
  void lowerRecv(dist::RecvOp recv, Frame &frame);

  /// Destinations of gradients that are reduced after the micro-batches: the shard of the sum goes to its
  /// home.
  void findReduced(graph::MicroBatchesOp micro, Frame &frame);
  /// Adds the whole units that `op` has produced to their accumulators, or stores them there.
  void accumulateUnits(mlir::Operation *op, Frame &frame);
  /// Adds the first `elements` of `term` to `sum`, or stores them there, as `at` says.
  void accumulate(mlir::Value term, mlir::Type termElement, mlir::Value sum, const Destination &at,
                  int64_t elements, OriginAttr origin);

  /// Whether a call repeats a layer's forward pass, from activations that were kept for it.
  bool repeats(mlir::func::CallOp call) const;
  /// Finds the destinations of a block's values: walks the block backwards, so that consumers come before
  /// producers.
  void findDestinations(mlir::Block &block, Frame &frame);

  /// The buffer of a value on the device, cut to the value's bytes. A feed is uploaded first.
  mlir::Value deviceBuffer(mlir::Value value, Frame &frame);
  /// The buffer that a value is produced into: its destination, or a new one.
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
  /// Units of parameters that are gathered, by their shard: until all micro-batches have gone through a
  /// segment, and until the section ends.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> gatheredInSegment, gatheredInSection;
};

} // namespace windlass::flow
