// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AttentionHeads.h - an attention as matrices of its heads ============//
//
// Duty: how the tensors of one attention are cut into heads, and what is computed for a block of its
// scores: some of its queries by some of its keys. The decompositions of attention (all scores as one
// block) and the pass that goes block by block are both written in these.
// Units: tokens of one example.
// Threads, ownership: as MLIR's; refers to the builder and the op's operands. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/decompositions/GraphDropout.h"

#include <cmath>

namespace windlass::graph {

/// Neighbouring queries, or keys.
struct Span {
  int64_t first = 0, count = 0;
  int64_t last() const { return first + count - 1; }
};

struct ScoreBlock {
  Span queries, keys;
};

/// What the backward pass has of a block: rows of scores, of the gradients dP of their probabilities, and of
/// each query the log-sum-exp, delta and what its scores are counted from, null without a mask.
struct ScoreRows {
  mlir::Value scores, lse, dP, delta, base;
};

/// The shapes of one attention, and how its tensors are cut into heads. A key head and the `group` query
/// heads that it serves are one matrix product: the queries of the group stand below each other.
struct AttentionHeads {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::ValueRange inputs;
  mlir::Value mask;
  int64_t batch, kvHeads, group, queries, keys, size;
  bool causal;
  std::optional<int64_t> window;
  double scale;
  std::optional<Dropout> dropout;
  int64_t allHeads; ///< those of all ranks that share them out

  template <typename OpT>
  AttentionHeads(mlir::OpBuilder &builder, OpT op)
      : builder(builder), loc(op.getLoc()), inputs(op.getInputs()), mask(op.getMask()), batch(op.getBatch()),
        kvHeads(op.getKvHeads().value_or(op.getHeads())), group(op.getHeads() / kvHeads),
        queries(typeOf(inputs.front()).getDimSize(0) / batch),
        keys(typeOf(inputs.back()).getDimSize(0) / batch),
        size(typeOf(inputs.front()).getDimSize(1) / (isPacked() ? 3 : 1) / heads()), causal(op.getCausal()),
        window(op.getWindow()),
        scale(op.getScale() ? op.getScale()->convertToDouble() : 1.0 / std::sqrt(static_cast<double>(size))),
        dropout(dropoutOf(op)), allHeads(op.getHeads()) {
    if (auto within = op->template getAttrOfType<mlir::IntegerAttr>(kWithin))
      allHeads = within.getInt();
  }

  bool isPacked() const { return inputs.size() == 1; }
  int64_t heads() const { return kvHeads * group; }
  mlir::MLIRContext *context() const { return builder.getContext(); }
  mlir::Type element() const { return typeOf(inputs.front()).getElementType(); }
  /// The type that scores and sums have.
  mlir::Type wide() const { return computeType(element()); }
  /// All scores.
  ScoreBlock whole() const { return {{0, queries}, {0, keys}}; }

  mlir::Value query(Span tokens) const { return part(0, tokens, group); }
  mlir::Value key(Span tokens) const { return part(1, tokens, 1); }
  mlir::Value value(Span tokens) const { return part(2, tokens, 1); }
  /// A (batch*queries) x (heads*size) tensor, the result or its gradient, as matrices of tokens x size.
  mlir::Value splitResult(mlir::Value tensor, Span tokens) const;
  mlir::Value matmul(mlir::Value a, bool transposeA, mlir::Value b, bool transposeB,
                     mlir::RankedTensorType type) const {
    return MatmulOp::create(builder, loc, type, a, b, transposeA, transposeB);
  }
  /// A product whose rows are those of queries or keys: tokens x size.
  mlir::Value tokenProduct(mlir::Value a, bool transposeA, mlir::Value b, mlir::Type element) const;
  /// Rows of queries times rows of keys, as rows of scores.
  mlir::Value pairProduct(mlir::Value queryRows, mlir::Value keyRows, ScoreBlock block) const;
  /// Rows of scores as matrices again.
  mlir::Value asMatrices(mlir::Value rows) const;
  /// Matrices as batch x heads x tokens x size, of which each key head has `perKeyHead`: `group` or 1.
  mlir::Value fourLoops(mlir::Value matrices, int64_t perKeyHead) const;
  /// Batch x heads x tokens x size as (batch*tokens) x (heads*size), with elements of `type`; tokens of
  /// several parts follow one another.
  mlir::Value join(mlir::ValueRange fourLoops, mlir::RankedTensorType type) const;
  /// The gradients of queries, keys and values, each batch x heads x tokens x size, as GPT-2 packs them.
  mlir::Value pack(mlir::ValueRange gradients, mlir::RankedTensorType type) const;

  /// Batch x heads x queries, as lse and delta have it, cut to the rows of scores of these queries.
  mlir::Value perRow(mlir::Value tensor, Span tokens) const;
  /// What masked scores are counted from, so that numbers far from 0 take nothing from the log-sum-exp: the
  /// largest of the mask among the keys that the query sees, 0 where that is an infinity. Batch x heads x
  /// queries, each extent may be 1; null without a mask.
  mlir::Value buildBase() const;
  /// The same of these queries.
  mlir::Value baseOf(mlir::Value base, Span tokens) const;
  /// The dot product of each query's gradient and result: batch x heads x queries.
  mlir::Value buildDelta(mlir::Value gradient, mlir::Value output) const;

  /// True if each query of the block sees each key; if any sees any. A mask is not looked at.
  bool seesAll(ScoreBlock block) const;
  bool seesAny(ScoreBlock block) const;
  /// True where a body's query sees its key; `row` is the loop of the queries, the next one that of the keys.
  mlir::Value isSeen(const Scalars &s, unsigned row, ScoreBlock block) const;
  /// Rows of probabilities after dropout.
  mlir::Value dropRows(mlir::Value rows, ScoreBlock block) const;
  /// Of the rows of scores and of the gradients dP of their probabilities: the probabilities exp(scale *
  /// score + mask - base - lse) and the gradient of the scores, P * (dP - delta) * scale, in one map; both
  /// are 0 where a query does not see the key. With dropout the probabilities are those behind it, and so are
  /// the gradients dP: delta, the sum of P * dP before it, equals that of the two behind it.
  MapOp buildProbabilities(const ScoreRows &rows, ScoreBlock block) const;
  /// The gradient of what the block reads of the mask: P * (dP - delta), summed over the loops along which
  /// the mask is repeated. In wide().
  mlir::Value buildMaskGradient(const ScoreRows &rows, ScoreBlock block) const;
  /// Where the loops of rows of scores (batch, head, query, key) read the mask.
  mlir::AffineMap maskMap(ScoreBlock block) const;
  /// Where they read what the scores of a row are counted from.
  mlir::AffineMap baseMap(mlir::Value base) const;

  /// Whether batch and heads are two loops: a mask may tell them apart, and so does a part of the heads.
  bool tellsHeadsApart() const { return mask || allHeads != heads(); }

private:
  mlir::Value part(unsigned which, Span tokens, int64_t perKeyHead) const;
  mlir::Value headMajor(mlir::Value tensor, mlir::AffineMap map, Span tokens, int64_t perKeyHead) const;
  /// Loops batch, head, token, component to a tensor of batch, token, head, component.
  mlir::AffineMap tokenMajor(int64_t firstToken = 0) const;
  /// The scores as batch x heads x queries x keys where batch and heads are told apart; else the two are one
  /// outermost loop.
  llvm::SmallVector<int64_t> rows(ScoreBlock block) const;
  /// Where a block stands in the rows of all scores.
  llvm::SmallVector<int64_t> firstOf(ScoreBlock block) const;
  /// A block of the probabilities of all heads, whose masks are drawn as one.
  TensorPart partOf(ScoreBlock block) const;

  /// What bodies over rows of scores read.
  struct Reads {
    llvm::SmallVector<mlir::Value> operands;
    llvm::SmallVector<mlir::AffineMap> maps;
  };
  Reads readsOf(const ScoreRows &rows, ScoreBlock block) const;
  /// Of one pair of tokens: its probability behind dropout, and the gradient of its scaled and masked score.
  struct Pair {
    mlir::Value kept, gradient;
  };
  Pair pairOf(const Scalars &s, mlir::ValueRange in, ScoreBlock block) const;
};

} // namespace windlass::graph
