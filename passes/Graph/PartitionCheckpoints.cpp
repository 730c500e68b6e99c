// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partitions activation checkpoints over the tensor-parallel ranks: Pa of ZeRO-R.

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphCalls.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/SplitPasses.h"
#include "passes/Graph/gradients/LayerGradient.h"
#include "passes/Graph/rows/OwnRows.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_PARTITIONCHECKPOINTS
#include "passes/Graph/SplitPasses.h.inc"

namespace {

bool isRepeating(func::FuncOp function) {
  LayerFormAttr form = function ? formOf(function) : LayerFormAttr();
  return form && form.getPass() == LayerPass::Repeating;
}

class CheckpointPartition {
public:
  CheckpointPartition(StepOp train, int64_t ranks) : ranks(ranks) {
    train.walk([&](func::CallOp call) {
      if (func::FuncOp function = calleeOf(call); isRepeating(function))
        calls[function].push_back(call);
    });
  }

  void run() {
    for (auto &[function, of] : calls)
      for (unsigned i = 0; i < cast<func::FuncOp>(function).getNumArguments(); ++i)
        if (cast<func::FuncOp>(function).getArgAttr(i, kArgument) &&
            llvm::all_of(of, [&](func::CallOp call) { return isCheckpoint(call.getOperand(i)); }))
          partition(cast<func::FuncOp>(function), i, of);
  }

private:
  /// Whether a value is an activation checkpoint that can be cut into rows: the forward pass makes it, and in
  /// the backward pass only functions that repeat their layers read it.
  bool isCheckpoint(Value value) {
    Operation *producer = value.getDefiningOp();
    if (!producer || phaseOf(producer) || isa<ReadOp, FeedOp>(producer) || !hasFloatElements(value) ||
        !rowForm(value, ranks))
      return false;
    return llvm::all_of(value.getUses(), [](OpOperand &use) {
      auto call = dyn_cast<func::CallOp>(use.getOwner());
      return !phaseOf(use.getOwner()) || (call && isRepeating(calleeOf(call)));
    });
  }

  void partition(func::FuncOp function, unsigned argument, ArrayRef<func::CallOp> of) {
    Block &body = function.front();
    BlockArgument part = body.getArgument(argument);
    RankedTensorType whole = typeOf(part);
    part.setType(rowsType(whole, ranks));
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    Value all = RowExchange{builder, function.getLoc(), ranks}.gather(part, whole);
    for (Operation *op = &body.front(); op != all.getDefiningOp()->getNextNode(); op = op->getNextNode())
      setPhase(op, Phase::Recompute);
    part.replaceUsesWithIf(all, [&](OpOperand &use) {
      return !use.getOwner()->isBeforeInBlock(all.getDefiningOp()) && use.getOwner() != all.getDefiningOp();
    });
    function.setType(
        FunctionType::get(function.getContext(), body.getArgumentTypes(), function.getResultTypes()));
    for (func::CallOp call : of)
      call.setOperand(argument, ownRows(call.getOperand(argument)));
  }

  /// A rank's own rows of the checkpoint, built right after its producer so that the whole value can be freed
  /// early.
  Value ownRows(Value checkpoint) {
    Value &part = parts[checkpoint];
    if (!part) {
      OpBuilder builder(checkpoint.getContext());
      builder.setInsertionPointAfterValue(checkpoint);
      part = RowExchange{builder, checkpoint.getLoc(), ranks}.own(checkpoint);
    }
    return part;
  }

  int64_t ranks;
  llvm::MapVector<Operation *, SmallVector<func::CallOp>> calls; ///< by the repeating function
  llvm::DenseMap<Value, Value> parts;
};

struct PartitionCheckpointsPass : impl::PartitionCheckpointsBase<PartitionCheckpointsPass> {
  void runOnOperation() override {
    const int64_t ranks = tensorRanksOf(getOperation());
    auto train = getOperation().lookupSymbol<StepOp>("train");
    if (ranks > 1 && train)
      CheckpointPartition(train, ranks).run();
  }
};

} // namespace
} // namespace windlass::graph
