// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds and canonicalisations.

#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphBuilders.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace windlass::graph;

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto producer = getInput().getDefiningOp<ReshapeOp>()) {
    getInputMutable().assign(producer.getInput());
    return getResult();
  }
  return {};
}

namespace {
/// Drops inputs whose argument the body does not use.
struct DropUnusedMapInputs : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapOp op, PatternRewriter &rewriter) const override {
    if (llvm::none_of(op.getBody().getArguments(), [](BlockArgument a) { return a.use_empty(); }))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { dropUnusedInputs(op); });
    return success();
  }
};

/// Merges inputs that are the same tensor, read at the same index.
struct MergeDuplicateMapInputs : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapOp op, PatternRewriter &rewriter) const override {
    SmallVector<AffineMap> maps = op.getMapValues();
    Block &body = op.getBody().front();
    for (unsigned i = 0, e = maps.size(); i < e; ++i)
      for (unsigned j = i + 1; j < e; ++j)
        if (op.getInputs()[i] == op.getInputs()[j] && maps[i] == maps[j] &&
            !body.getArgument(j).use_empty()) {
          rewriter.modifyOpInPlace(op, [&] {
            rewriter.replaceAllUsesWith(body.getArgument(j), body.getArgument(i));
            dropUnusedInputs(op);
          });
          return success();
        }
    return failure();
  }
};

/// Replaces a result that equals an input, element by element, by that input.
struct ForwardMapResults : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapOp op, PatternRewriter &rewriter) const override {
    if (op->hasAttr(kDetached)) // differentiate needs the map: it stops the gradient
      return failure();
    SmallVector<AffineMap> maps = op.getMapValues();
    bool changed = false;
    for (auto [yielded, result] : llvm::zip_equal(op.getYielded(), op.getResults())) {
      auto argument = dyn_cast<BlockArgument>(yielded);
      if (result.use_empty() || !argument || !maps[argument.getArgNumber()].isIdentity())
        continue;
      Value input = op.getInputs()[argument.getArgNumber()];
      if (input.getType() != result.getType()) // the map reads its first elements only
        continue;
      if (input.getDefiningOp<ReadOp>() && llvm::any_of(result.getUsers(), llvm::IsaPred<func::CallOp>))
        continue; // a layer function whose argument is a copy of a state does not read the state
      rewriter.replaceAllUsesWith(result, input);
      changed = true;
    }
    return success(changed);
  }
};

/// Drops unused results, unless no result is used.
struct DropUnusedMapResults : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapOp op, PatternRewriter &rewriter) const override {
    SmallVector<Value> kept, yielded;
    for (auto [value, result] : llvm::zip_equal(op.getYielded(), op.getResults()))
      if (!result.use_empty()) {
        kept.push_back(result);
        yielded.push_back(value);
      }
    if (kept.empty() || kept.size() == op.getNumResults())
      return failure();
    auto smaller =
        MapOp::create(rewriter, op.getLoc(), ValueRange(kept).getTypes(), op.getInputs(), op.getMaps());
    smaller->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    Operation *terminator = op.getBody().front().getTerminator();
    rewriter.modifyOpInPlace(terminator, [&] { terminator->setOperands(yielded); });
    rewriter.inlineRegionBefore(op.getBody(), smaller.getBody(), smaller.getBody().end());
    for (auto [result, value] : llvm::zip_equal(kept, smaller.getResults()))
      rewriter.replaceAllUsesWith(result, value);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void MapOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropUnusedMapInputs, MergeDuplicateMapInputs, ForwardMapResults, DropUnusedMapResults>(
      context);
}
