// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/AttentionBlocks.h"

#include "dialects/Graph/IR/decompositions/AttentionHeads.h"
#include "passes/Graph/Attributes.h"

#include <limits>
#include <map>

using namespace mlir;

namespace windlass::graph {

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

namespace {

/// Blocks of cut tokens have a multiple of kVector tokens, the elements of a vector of generated code; small
/// blocks a multiple of kLeast, the numbers that the random generator makes at once.
constexpr int64_t kVector = 16, kLeast = 4;

template <typename OpT> ScoreCount count(OpT op) {
  int64_t batch = op.getBatch();
  return {batch * static_cast<int64_t>(op.getHeads()), typeOf(op.getInputs().front()).getDimSize(0) / batch,
          typeOf(op.getInputs().back()).getDimSize(0) / batch};
}

/// Parts of at most `most` tokens, as equal as the grain allows.
int64_t evenPart(int64_t tokens, int64_t most) {
  if (tokens <= most)
    return tokens;
  int64_t grain = most >= kVector ? kVector : kLeast;
  int64_t parts = llvm::divideCeil(tokens, most - most % grain);
  return llvm::alignTo(llvm::divideCeil(tokens, parts), grain);
}

SmallVector<Span> cut(int64_t tokens, int64_t part) {
  SmallVector<Span> spans;
  for (int64_t first = 0; first < tokens; first += part)
    spans.push_back({first, std::min(part, tokens - first)});
  return spans;
}

} // namespace

int64_t ScoreCount::leastBytes() const {
  return 4 * perPair * std::min(queries, kLeast) * std::min(keys, kLeast);
}

ScoreCount countScores(AttentionOp op) { return count(op); }
ScoreCount countScores(AttentionGradOp op) { return count(op); }

BlockShape chooseBlocks(const ScoreCount &scores, int64_t limit) {
  int64_t pairs = limit / (4 * scores.perPair);
  auto side = std::max(static_cast<int64_t>(std::sqrt(static_cast<double>(pairs))), kLeast);
  // If one side is shorter than its share, the other side gets the rest.
  if (scores.queries <= side)
    return {scores.queries, evenPart(scores.keys, pairs / scores.queries)};
  if (scores.keys <= side)
    return {evenPart(scores.queries, pairs / scores.keys), scores.keys};
  return {evenPart(scores.queries, side), evenPart(scores.keys, side)};
}

//===----------------------------------------------------------------------===//
// Parts of a sequence
//===----------------------------------------------------------------------===//

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Marks a sum, so that fusion keeps the sums of a sequence one after another.
Value accumulate(Value sum) {
  sum.getDefiningOp()->setAttr(kAccumulates, UnitAttr::get(sum.getContext()));
  return sum;
}

/// Concatenates tensors along a dimension.
Value concatenate(const AttentionHeads &h, ValueRange parts, Type type, int64_t dim = 2) {
  if (parts.size() == 1)
    return parts.front();
  AffineMap same = identityMap(h.context(), cast<RankedTensorType>(type).getRank());
  return StackOp::create(h.builder, h.loc, type, parts, AffineMapAttr::get(same),
                         h.builder.getI64IntegerAttr(dim));
}

/// A gradient of batch x heads x tokens x size, to which products are added one by one.
class RunningSum {
public:
  RunningSum(const AttentionHeads &heads, Span tokens, int64_t perKeyHead, size_t parts)
      : h(heads), tokens(tokens), perKeyHead(perKeyHead), left(parts) {}

  /// Adds the product of `a` and `b`. The sum is rounded once, after the last product.
  void add(Value a, bool transposeA, Value b) {
    Type rounded = --left == 0 ? h.element() : h.wide();
    Value part = h.fourLoops(h.tokenProduct(a, transposeA, b, sum ? h.wide() : rounded), perKeyHead);
    sum = sum ? accumulate(
                    buildElementwise(h.builder, h.loc, {sum, part}, withElement(sum.getType(), rounded),
                                     [](const Scalars &s, ValueRange in) { return s.add(in[0], in[1]); }))
              : part;
  }
  /// The sum; 0 without products.
  Value get() const {
    auto type = tensorType({h.batch, h.kvHeads * perKeyHead, tokens.count, h.size}, h.element());
    return sum ? sum : buildFull(h.builder, h.loc, type, 0.0);
  }

private:
  const AttentionHeads &h;
  Span tokens;
  int64_t perKeyHead;
  size_t left;
  Value sum;
};

/// The attention to some keys: its result as batch x heads x queries x size, and the log-sum-exp of its rows.
struct Partial {
  Value result, lse;
  bool mayHideRows = false; ///< whether a query may see none of the keys: its result is then 0, its lse inf
};

/// The log-sum-exp of the keys of two attentions, and the share of each in the exponentials of both.
SmallVector<Value> weigh(const Scalars &s, Value first, Value second, bool mayHideBoth) {
  Value isFirst = s.compare(arith::CmpFPredicate::OGT, first, second);
  Value max = s.select(isFirst, first, second), isHidden;
  if (mayHideBoth) {
    Value nothing = s.like(max, -kInfinity), zero = s.like(max, 0.0);
    isHidden = s.compare(arith::CmpFPredicate::OEQ, max, nothing);
    max = s.select(isHidden, zero, max);
  }
  first = s.exp(s.sub(first, max));
  second = s.exp(s.sub(second, max));
  Value sum = s.add(first, second), lse = s.add(max, s.log(sum));
  if (mayHideBoth) {
    Value one = s.like(sum, 1.0), infinity = s.like(lse, kInfinity);
    sum = s.select(isHidden, one, sum);
    lse = s.select(isHidden, infinity, lse);
  }
  return {lse, s.div(first, sum), s.div(second, sum)};
}

/// The attention to the keys of both `a` and `b`.
Partial merge(const AttentionHeads &h, Partial a, Partial b, Type element) {
  AffineMap row = identityMap(h.context(), 3);
  SmallVector<Type> rows(3, a.lse.getType());
  const bool mayHideBoth = a.mayHideRows && b.mayHideRows;
  // A row that sees no key has no share: the logarithm of its sum is -inf.
  auto logOfSum = [](const Scalars &s, Value lse, bool mayHideRows) {
    if (!mayHideRows)
      return lse;
    Value infinity = s.like(lse, kInfinity), nothing = s.like(lse, -kInfinity);
    return s.select(s.compare(arith::CmpFPredicate::OEQ, lse, infinity), nothing, lse);
  };
  MapOp weights = buildMap(h.builder, h.loc, {a.lse, b.lse}, {row, row}, rows,
                           [&](const Scalars &s, ValueRange in) -> SmallVector<Value> {
                             Value first = logOfSum(s, in[0], a.mayHideRows);
                             Value second = logOfSum(s, in[1], b.mayHideRows);
                             return weigh(s, first, second, mayHideBoth);
                           });
  AffineMap each = identityMap(h.context(), 4), perRow = leadingMap(h.context(), 4, 3);
  Value result = buildMap(h.builder, h.loc, {a.result, b.result, weights.getResult(1), weights.getResult(2)},
                          {each, each, perRow, perRow}, withElement(a.result.getType(), element),
                          [](const Scalars &s, ValueRange in) {
                            Value first = s.mul(in[0], in[2]);
                            return s.add(first, s.mul(in[1], in[3]));
                          });
  return {accumulate(result), weights.getResult(0), mayHideBoth};
}

/// The tensor that is added to the scores of a block: the mask, and -inf for pairs that are not seen. Null if
/// nothing is added. `isCausal`: softmax itself hides later keys.
Value buildMask(const AttentionHeads &h, ScoreBlock block, bool isCausal) {
  bool hides = !isCausal && !h.seesAll(block);
  if (!h.mask && !hides)
    return {};
  SmallVector<int64_t> shape{1, block.queries.count, block.keys.count};
  if (!h.mask && h.tellsHeadsApart()) // scores then have four loops
    shape.insert(shape.begin(), 1);
  const Type element = h.builder.getF32Type();
  if (h.mask) {
    RankedTensorType all = typeOf(h.mask);
    shape.insert(shape.begin(), all.getDimSize(0));
    shape[1] = all.getDimSize(1);
    for (unsigned dim : {2, 3})
      if (all.getDimSize(dim) == 1 && !hides)
        shape[dim] = 1;
  }
  unsigned loops = shape.size();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  if (h.mask) {
    inputs.push_back(h.mask);
    maps.push_back(h.maskMap(block));
  }
  return buildMap(h.builder, h.loc, inputs, maps, tensorType(shape, element),
                  [&](const Scalars &s, ValueRange in) {
                    Value added = h.mask ? s.cast(in[0], element) : s.constant(element, 0.0);
                    if (!hides)
                      return added;
                    Value unseen = s.constant(element, -kInfinity);
                    return s.select(h.isSeen(s, loops - 2, block), added, unseen);
                  });
}

/// The attention of some queries to some keys.
Partial attend(const AttentionHeads &h, ScoreBlock block, Value q, Value k, Value v, Value base,
               Type element) {
  // In a block on the diagonal softmax can hide later keys itself.
  bool isCausal = h.causal && block.queries.first == block.keys.first &&
                  (!h.window || block.queries.last() - block.keys.first < *h.window);
  Value scores = h.pairProduct(q, k, block), mask = buildMask(h, block, isCausal);
  auto softmax = SoftmaxOp::create(h.builder, h.loc, withElement(scores.getType(), h.element()),
                                   tensorType(typeOf(scores).getShape().drop_back(), h.builder.getF32Type()),
                                   scores, mask, base, h.builder.getF64FloatAttr(h.scale),
                                   isCausal ? h.builder.getUnitAttr() : UnitAttr(), IntegerAttr());
  Value p = h.asMatrices(h.dropRows(softmax.getResult(), block));
  return {h.fourLoops(h.tokenProduct(p, false, v, element), h.group),
          buildReshape(h.builder, h.loc, softmax.getLse(), {h.batch, h.heads(), block.queries.count}),
          static_cast<bool>(mask)};
}

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

struct KeyBlock {
  Span tokens;
  Value k, v; ///< built where they are first read
};

/// The attention of some queries, one block of keys after the other.
Partial attendRow(const AttentionHeads &h, Span queries, Value base, MutableArrayRef<KeyBlock> keyBlocks) {
  SmallVector<KeyBlock *> seen;
  for (KeyBlock &block : keyBlocks)
    if (h.seesAny({queries, block.tokens}))
      seen.push_back(&block);
  if (seen.empty())
    seen.push_back(&keyBlocks.back());
  Value q = h.query(queries);
  base = h.baseOf(base, queries);
  Partial row;
  for (KeyBlock *block : seen) {
    if (!block->k) {
      block->k = h.key(block->tokens);
      block->v = h.value(block->tokens);
    }
    Type rounded = block == seen.back() ? h.element() : h.wide();
    Partial next =
        attend(h, {queries, block->tokens}, q, block->k, block->v, base, row.result ? h.wide() : rounded);
    row = row.result ? merge(h, row, next, rounded) : next;
  }
  return row;
}

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

/// The gradient of the mask, collected block by block: each block adds the gradient of the part of the mask
/// that it reads. Blocks share a part if the mask is repeated along their tokens.
class MaskGradient {
public:
  explicit MaskGradient(const AttentionHeads &h) : h(h) {}

  void add(ScoreBlock block, Value part) {
    Value &sum = sums[{partOf(2, block.queries).first, partOf(3, block.keys).first}];
    sum = sum ? accumulate(
                    buildElementwise(h.builder, h.loc, {sum, part}, typeOf(sum),
                                     [](const Scalars &s, ValueRange in) { return s.add(in[0], in[1]); }))
              : part;
  }
  /// The whole gradient, from the blocks of these queries and keys; 0 for parts where no query sees a key.
  Value get(ArrayRef<Span> queries, ArrayRef<Span> keys) const;

private:
  bool isRepeated(unsigned dim) const { return typeOf(h.mask).getDimSize(dim) == 1; }
  Span partOf(unsigned dim, Span tokens) const { return isRepeated(dim) ? Span{0, 1} : tokens; }

  const AttentionHeads &h;
  std::map<std::pair<int64_t, int64_t>, Value> sums; ///< by the first of their queries and keys
};

struct QueryBlock {
  Span tokens;
  RunningSum dQ;
  Value q, dO, lse, delta, base; ///< built where they are first read
};

Value MaskGradient::get(ArrayRef<Span> queries, ArrayRef<Span> keys) const {
  RankedTensorType whole = withElement(h.mask.getType(), h.wide());
  auto shapeOf = [&](int64_t rows, int64_t columns) {
    return tensorType({whole.getDimSize(0), whole.getDimSize(1), rows, columns}, h.wide());
  };
  SmallVector<Value> rows;
  for (Span query : isRepeated(2) ? queries.take_front() : queries) {
    Span row = partOf(2, query);
    SmallVector<Value> parts;
    for (Span key : isRepeated(3) ? keys.take_front() : keys) {
      Span column = partOf(3, key);
      auto sum = sums.find({row.first, column.first});
      parts.push_back(sum != sums.end() ? sum->second
                                        : buildFull(h.builder, h.loc, shapeOf(row.count, column.count), 0.0));
    }
    rows.push_back(concatenate(h, parts, shapeOf(row.count, whole.getDimSize(3)), 3));
  }
  return buildCast(h.builder, h.loc, concatenate(h, rows, whole), typeOf(h.mask).getElementType());
}

/// Adds the terms of one block of keys to the gradients of the queries that see it, and to the gradient of
/// the mask, if needed. Returns the gradients of the keys and values of the block.
std::pair<Value, Value> backwardOfKeys(const AttentionHeads &h, AttentionGradOp op, Value delta, Value base,
                                       Span keys, MutableArrayRef<QueryBlock> queryBlocks,
                                       MaskGradient &ofMask) {
  SmallVector<QueryBlock *> seeing;
  for (QueryBlock &block : queryBlocks)
    if (h.seesAny({block.tokens, keys}))
      seeing.push_back(&block);
  RunningSum dK(h, keys, 1, seeing.size()), dV(h, keys, 1, seeing.size());
  if (seeing.empty())
    return {dK.get(), dV.get()};
  Value k = h.key(keys), v = h.value(keys);
  for (QueryBlock *queries : seeing) {
    Span tokens = queries->tokens;
    if (!queries->q) {
      queries->q = h.query(tokens);
      queries->dO = h.splitResult(op.getGradient(), tokens);
      queries->lse = h.perRow(op.getLse(), tokens);
      queries->delta = h.perRow(delta, tokens);
      queries->base = h.baseOf(base, tokens);
    }
    ScoreBlock block{tokens, keys};
    Value scores = h.repeatScores(queries->q, k, block), dP = h.pairProduct(queries->dO, v, block);
    ScoreRows rows{scores, queries->lse, dP, queries->delta, queries->base};
    MapOp both = h.buildProbabilities(rows, block);
    Value p = h.asMatrices(both.getResult(0)), dS = h.asMatrices(both.getResult(1));
    queries->dQ.add(dS, false, k);
    dK.add(dS, true, queries->q);
    dV.add(p, true, queries->dO);
    if (op.hasMaskGradient())
      ofMask.add(block, h.buildMaskGradient(rows, block));
  }
  return {dK.get(), dV.get()};
}

} // namespace

SmallVector<Value> buildBlocks(OpBuilder &builder, AttentionOp op, BlockShape shape) {
  AttentionHeads h(builder, op);
  SmallVector<KeyBlock> keyBlocks;
  for (Span keys : cut(h.keys, shape.keys))
    keyBlocks.push_back({keys, {}, {}});
  const Value base = h.buildBase();
  SmallVector<Value> results, lses;
  for (Span queries : cut(h.queries, shape.queries)) {
    Partial row = attendRow(h, queries, base, keyBlocks);
    results.push_back(row.result);
    lses.push_back(row.lse);
  }
  return {h.join(results, typeOf(op.getResult())), concatenate(h, lses, op.getLse().getType())};
}

SmallVector<Value> buildBlocks(OpBuilder &builder, AttentionGradOp op, BlockShape shape) {
  AttentionHeads h(builder, op);
  Value delta = h.buildDelta(op.getGradient(), op.getOutput()), base = h.buildBase();
  SmallVector<Span> querySpans = cut(h.queries, shape.queries), keySpans = cut(h.keys, shape.keys);
  SmallVector<QueryBlock> queryBlocks;
  for (Span queries : querySpans) {
    auto parts = llvm::count_if(keySpans, [&](Span keys) { return h.seesAny({queries, keys}); });
    queryBlocks.push_back({queries, RunningSum(h, queries, h.group, parts), {}, {}, {}, {}, {}});
  }
  SmallVector<Value> dQs, dKs, dVs;
  MaskGradient ofMask(h);
  for (Span keys : keySpans) {
    auto [dK, dV] = backwardOfKeys(h, op, delta, base, keys, queryBlocks, ofMask);
    dKs.push_back(dK);
    dVs.push_back(dV);
  }
  for (QueryBlock &queries : queryBlocks)
    dQs.push_back(queries.dQ.get());
  Type whole = tensorType({h.batch, h.heads(), h.queries, h.size}, h.element());
  SmallVector<Value> gradients;
  if (h.isPacked())
    gradients = {h.pack({concatenate(h, dQs, whole), concatenate(h, dKs, whole), concatenate(h, dVs, whole)},
                        typeOf(op.getResult(0)))};
  else
    gradients = {h.join(dQs, typeOf(op.getResult(0))), h.join(dKs, typeOf(op.getResult(1))),
                 h.join(dVs, typeOf(op.getResult(2)))};
  if (op.hasMaskGradient())
    gradients.push_back(ofMask.get(querySpans, keySpans));
  return gradients;
}

} // namespace windlass::graph
