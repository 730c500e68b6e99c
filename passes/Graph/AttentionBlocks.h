// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AttentionBlocks.h - attention as a sequence over blocks of scores =====//
//
// Duty: builds an attention, or its gradient, block by block, so that only one block of scores exists at a
// time: some queries by some keys. Blocks in which no query sees a key are left out. Forward, the blocks of
// keys follow one another for each block of queries. Each block is an attention of its own, with its result
// and log-sum-exp. Two such attentions are merged to one over the keys of both: the mean of their results
// with the weights exp(lse), as FlashAttention rescales its running sum. A query that sees no key of a
// block has no weight there. Backward, each block computes its
// scores again from queries, keys and the log-sum-exp of whole rows, and its terms of the gradients are added
// in the order of the blocks. Sums over several blocks are kept in f32 and rounded once. Units: bytes of
// scores over batch and heads, in f32; tokens. Threads, ownership: as MLIR's. Errors: none; the caller checks
// that a limit is not below leastBytes().
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

/// The tokens of a block; the last block of a sequence may have fewer.
struct BlockShape {
  int64_t queries = 0, keys = 0;
};

/// The number of scores of an attention.
struct ScoreCount {
  int64_t perPair = 0; ///< batch x heads
  int64_t queries = 0, keys = 0;

  int64_t bytes() const { return 4 * perPair * queries * keys; }
  /// Bytes of the smallest block: four tokens by four.
  int64_t leastBytes() const;
};
ScoreCount countScores(AttentionOp op);
ScoreCount countScores(AttentionGradOp op);

/// Blocks of at most `limit` bytes, which must be at least leastBytes(): as few and as equal as possible, and
/// square if both queries and keys are cut.
BlockShape chooseBlocks(const ScoreCount &scores, int64_t limit);

/// Builds the replacements of the op's results.
llvm::SmallVector<mlir::Value> buildBlocks(mlir::OpBuilder &builder, AttentionOp op, BlockShape shape);
llvm::SmallVector<mlir::Value> buildBlocks(mlir::OpBuilder &builder, AttentionGradOp op, BlockShape shape);

} // namespace windlass::graph
