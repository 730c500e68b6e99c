// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AttentionBlocks.h - attention as a sequence over blocks of scores ===//
//
// Duty: writes an attention, or its gradient, so that only one block of scores exists at a time: some
// queries by some keys. Blocks that no query sees are left out.
// Forward, the keys of one block of queries follow one another. Each block is an attention of its own, with
// its result and log-sum-exp; two of them are one of both blocks, their results weighted with exp(lse) (as
// FlashAttention rescales its running sum). Backward, each block repeats its scores from queries, keys and
// the log-sum-exp of whole rows, and what it adds to the gradients is added up in the order of the blocks.
// Sums of several blocks are kept in f32 and rounded once.
// Units: bytes of scores over batch and heads, in f32; tokens.
// Threads, ownership: as MLIR's. Errors: none; what is too small for a limit is asked first.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

/// Tokens of a block; a last one may have fewer.
struct BlockShape {
  int64_t queries = 0, keys = 0;
};

/// How many scores an attention has.
struct ScoreCount {
  int64_t perPair = 0; ///< batch x heads
  int64_t queries = 0, keys = 0;

  int64_t bytes() const { return 4 * perPair * queries * keys; }
  /// Of the smallest block: four tokens by four.
  int64_t leastBytes() const;
};
ScoreCount countScores(AttentionOp op);
ScoreCount countScores(AttentionGradOp op);

/// Blocks of at most `limit` bytes, at least leastBytes: as few as possible, as equal as possible, and square
/// where both tokens are cut.
BlockShape chooseBlocks(const ScoreCount &scores, int64_t limit);

/// What takes the place of the op's results.
llvm::SmallVector<mlir::Value> buildBlocks(mlir::OpBuilder &builder, AttentionOp op, BlockShape shape);
llvm::SmallVector<mlir::Value> buildBlocks(mlir::OpBuilder &builder, AttentionGradOp op, BlockShape shape);

} // namespace windlass::graph
