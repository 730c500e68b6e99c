// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces attention with too many scores by sequences over blocks of them.

#include "passes/Graph/BlockAttention.h"

#include "passes/Graph/AttentionBlocks.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/Passes.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_BLOCKATTENTION
#include "passes/Graph/Passes.h.inc"

namespace {

template <typename OpT> LogicalResult blockOps(ModuleOp module, int64_t limit) {
  SmallVector<OpT> large;
  module.walk([&](OpT op) {
    if (countScores(op).bytes() > limit)
      large.push_back(op);
  });
  for (OpT op : large) {
    ScoreCount scores = countScores(op);
    if (limit < scores.leastBytes())
      return op.emitOpError("cannot be blocked to ")
             << limit << " bytes: the smallest block of its scores has " << scores.leastBytes();
    replaceOp(op, [&](OpBuilder &builder) { return buildBlocks(builder, op, chooseBlocks(scores, limit)); });
  }
  return success();
}

struct BlockAttentionPass : impl::BlockAttentionBase<BlockAttentionPass> {
  using BlockAttentionBase::BlockAttentionBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (limit < 0) {
      module.emitError("the limit of a block of scores is a number of bytes, not ") << limit.getValue();
      return signalPassFailure();
    }
    if (limit > 0 &&
        (failed(blockOps<AttentionOp>(module, limit)) || failed(blockOps<AttentionGradOp>(module, limit))))
      signalPassFailure();
  }
};

} // namespace

AttentionLimits attentionLimits(ModuleOp module) {
  AttentionLimits limits;
  module.walk([&](AttentionOp op) {
    ScoreCount scores = countScores(op);
    limits.most = std::max(limits.most, scores.bytes());
    limits.least = std::max(limits.least, scores.leastBytes());
  });
  return limits;
}

} // namespace windlass::graph
