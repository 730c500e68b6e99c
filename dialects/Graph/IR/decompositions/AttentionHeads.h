// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AttentionHeads.h - an attention as matrices of its heads ==============//
//
// Duty: cuts the tensors of one attention into heads, and builds the computations on a block of its scores:
// some queries by some keys. The decompositions of attention (all scores as one block) and the pass
// `block-attention` are written with these builders. Units: tokens of one example. Threads, ownership: as
// MLIR's; refers to the builder and the op's operands. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphPhases.h"
#include "dialects/Graph/IR/decompositions/GraphDropout.h"

#include <cmath>

namespace windlass::graph {

/// A range of neighbouring queries or keys.
struct Span {
  int64_t first = 0, count = 0;
  int64_t last() const { return first + count - 1; }
};

struct ScoreBlock {
  Span queries, keys;
};

/// The operands of the backward pass of a block: rows of scores and of the gradients dP of their
/// probabilities; for each query its log-sum-exp, delta (buildDelta) and base (buildBase; null without a
/// mask).
struct ScoreRows {
  mlir::Value scores, lse, dP, delta, base;
};

/// The shapes of one attention, and how its tensors are cut into heads. A key head and the `group` query
/// heads that it serves are one matrix product: the queries of the group are rows of one matrix.
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
  int64_t allHeads; ///< query heads of all tensor-parallel ranks

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
  /// The element type of scores and sums.
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
  /// Rows of queries times rows of keys, as rows of scores. `phase`: of the product, if other than that of
  /// the attention.
  mlir::Value pairProduct(mlir::Value queryRows, mlir::Value keyRows, ScoreBlock block,
                          std::optional<Phase> phase = {}) const;
  /// The scores of a block once more, in the backward pass: the forward pass kept none.
  mlir::Value repeatScores(mlir::Value queryRows, mlir::Value keyRows, ScoreBlock block) const {
    return pairProduct(queryRows, keyRows, block, Phase::Recompute);
  }
  /// Rows of scores as matrices again.
  mlir::Value asMatrices(mlir::Value rows) const;
  /// Matrices as batch x heads x tokens x size. `perKeyHead`: heads per key head, `group` or 1.
  mlir::Value fourLoops(mlir::Value matrices, int64_t perKeyHead) const;
  /// Tensors of batch x heads x tokens x size as one of (batch*tokens) x (heads*size), cast to `type`; the
  /// tokens of several tensors follow one another.
  mlir::Value join(mlir::ValueRange fourLoops, mlir::RankedTensorType type) const;
  /// The gradients of queries, keys and values, each batch x heads x tokens x size, as GPT-2 packs them.
  mlir::Value pack(mlir::ValueRange gradients, mlir::RankedTensorType type) const;

  /// The part of a tensor of batch x heads x queries (lse, delta) for these queries, in the shape of the rows
  /// of scores.
  mlir::Value perRow(mlir::Value tensor, Span tokens) const;
  /// The base of each query, which is subtracted from its masked scores so that a mask far from 0 costs the
  /// log-sum-exp no precision: the largest mask value among the keys that the query sees, or 0 if all of
  /// these are -inf. Batch x heads x queries, where any extent may be 1; null without a mask.
  mlir::Value buildBase() const;
  /// The part of `base` for these queries.
  mlir::Value baseOf(mlir::Value base, Span tokens) const;
  /// The dot product of each query's gradient and result: batch x heads x queries.
  mlir::Value buildDelta(mlir::Value gradient, mlir::Value output) const;

  /// Whether every query of the block sees every key; whether any query sees any key. By causality and window
  /// alone, without the mask.
  bool seesAll(ScoreBlock block) const;
  bool seesAny(ScoreBlock block) const;
  /// In a body: whether the query sees the key. `row`: the loop of queries; the next loop is that of keys.
  mlir::Value isSeen(const Scalars &s, unsigned row, ScoreBlock block) const;
  /// Rows of probabilities after dropout.
  mlir::Value dropRows(mlir::Value rows, ScoreBlock block) const;
  /// A map of two results: the probabilities P = exp(scale * score + mask - base - lse), and the gradients of
  /// the scores, P * (dP - delta) * scale. Both are 0 where a query does not see the key. With dropout, the
  /// probabilities of the first result are those after dropout; dP is the gradient after dropout, and the map
  /// applies dropout to it. Delta needs no change: the sum of P * dP is the same before and after dropout.
  MapOp buildProbabilities(const ScoreRows &rows, ScoreBlock block) const;
  /// The gradient of the part of the mask that the block reads: P * (dP - delta), summed over the loops along
  /// which the mask is repeated. Elements of wide().
  mlir::Value buildMaskGradient(const ScoreRows &rows, ScoreBlock block) const;
  /// The map from the loops of rows of scores (batch, head, query, key) to indices of the mask.
  mlir::AffineMap maskMap(ScoreBlock block) const;
  /// The map from these loops to indices of `base`.
  mlir::AffineMap baseMap(mlir::Value base) const;

  /// Whether batch and heads are two loops: with a mask, or if a rank has only part of the heads. Otherwise
  /// the two are one loop.
  bool tellsHeadsApart() const { return mask || allHeads != heads(); }

private:
  mlir::Value part(unsigned which, Span tokens, int64_t perKeyHead) const;
  mlir::Value headMajor(mlir::Value tensor, mlir::AffineMap map, Span tokens, int64_t perKeyHead) const;
  /// The map from the loops (batch, head, token, component) to a tensor of batch, token, head, component.
  mlir::AffineMap tokenMajor(int64_t firstToken = 0) const;
  /// The shape of rows of scores: batch x heads x queries x keys, or (batch*heads) x queries x keys unless
  /// tellsHeadsApart().
  llvm::SmallVector<int64_t> rows(ScoreBlock block) const;
  /// The indices of the block's first element in the rows of all scores.
  llvm::SmallVector<int64_t> firstOf(ScoreBlock block) const;
  /// The block as part of the probabilities of all heads of all ranks, for which one dropout mask is drawn.
  TensorPart partOf(ScoreBlock block) const;

  /// The inputs of maps over rows of scores.
  struct Reads {
    llvm::SmallVector<mlir::Value> operands;
    llvm::SmallVector<mlir::AffineMap> maps;
  };
  Reads readsOf(const ScoreRows &rows, ScoreBlock block) const;
  /// For one pair of tokens: the probability after dropout, and the gradient of the scaled and masked score.
  struct Pair {
    mlir::Value kept, gradient;
  };
  Pair pairOf(const Scalars &s, mlir::ValueRange in, ScoreBlock block) const;
};

} // namespace windlass::graph
