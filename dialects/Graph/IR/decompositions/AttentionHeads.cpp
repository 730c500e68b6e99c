// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Graph/IR/decompositions/AttentionHeads.h"

#include <limits>

using namespace mlir;

namespace windlass::graph {

static Value sameElement(const Scalars &, ValueRange in) { return in[0]; }

//===----------------------------------------------------------------------===//
// Between (batch*tokens) x (heads*size) and matrices
//===----------------------------------------------------------------------===//

AffineMap AttentionHeads::tokenMajor(int64_t firstToken) const {
  SmallVector<AffineExpr> d(4);
  bindDimsList(context(), MutableArrayRef<AffineExpr>(d));
  return AffineMap::get(4, 0, {d[0], d[2] + firstToken, d[1], d[3]}, context());
}

Value AttentionHeads::headMajor(Value tensor, AffineMap map, Span tokens, int64_t perKeyHead) const {
  Type element = typeOf(tensor).getElementType();
  Value copy = buildMap(builder, loc, tensor, map,
                        tensorType({batch, kvHeads * perKeyHead, tokens.count, size}, element), sameElement);
  return buildReshape(builder, loc, copy, {batch * kvHeads, perKeyHead * tokens.count, size});
}

Value AttentionHeads::part(unsigned which, Span tokens, int64_t perKeyHead) const {
  if (!isPacked()) {
    int64_t all = which == 0 ? queries : keys;
    return headMajor(buildReshape(builder, loc, inputs[which], {batch, all, kvHeads * perKeyHead, size}),
                     tokenMajor(tokens.first), tokens, perKeyHead);
  }
  Value packed = buildReshape(builder, loc, inputs[0], {batch, queries, 3, heads(), size});
  SmallVector<AffineExpr> d(4);
  bindDimsList(context(), MutableArrayRef<AffineExpr>(d));
  AffineExpr fixed = getAffineConstantExpr(which, context());
  AffineMap map = AffineMap::get(4, 0, {d[0], d[2] + tokens.first, fixed, d[1], d[3]}, context());
  return headMajor(packed, map, tokens, perKeyHead);
}

Value AttentionHeads::splitResult(Value tensor, Span tokens) const {
  return headMajor(buildReshape(builder, loc, tensor, {batch, queries, heads(), size}),
                   tokenMajor(tokens.first), tokens, group);
}

Value AttentionHeads::fourLoops(Value matrices, int64_t perKeyHead) const {
  int64_t tokens = typeOf(matrices).getDimSize(1) / perKeyHead;
  return buildReshape(builder, loc, matrices, {batch, kvHeads * perKeyHead, tokens, size});
}

Value AttentionHeads::join(ValueRange parts, RankedTensorType type) const {
  SmallVector<int64_t> shape(typeOf(parts.front()).getShape());
  shape[2] = type.getDimSize(0) / batch;
  std::swap(shape[1], shape[2]);
  RankedTensorType joinedType = tensorType(shape, type.getElementType());
  Value joined;
  if (parts.size() == 1)
    joined = buildMap(builder, loc, parts.front(), tokenMajor(), joinedType, sameElement);
  else
    joined = StackOp::create(builder, loc, joinedType, parts, AffineMapAttr::get(tokenMajor()),
                             builder.getI64IntegerAttr(1));
  return buildReshape(builder, loc, joined, type.getShape());
}

/// Loops of the packed gradient: batch, token, which of the three, head, component.
Value AttentionHeads::pack(ValueRange gradients, RankedTensorType type) const {
  Type element = typeOf(gradients.front()).getElementType();
  Value packed =
      StackOp::create(builder, loc, tensorType({batch, queries, 3, heads(), size}, element), gradients,
                      AffineMapAttr::get(loopsMap(context(), 5, {0, 3, 1, 4})), builder.getI64IntegerAttr(2));
  return buildCast(builder, loc, buildReshape(builder, loc, packed, type.getShape()), type.getElementType());
}

//===----------------------------------------------------------------------===//
// Blocks of scores
//===----------------------------------------------------------------------===//

SmallVector<int64_t> AttentionHeads::rows(ScoreBlock block) const {
  if (tellsHeadsApart())
    return {batch, heads(), block.queries.count, block.keys.count};
  return {batch * heads(), block.queries.count, block.keys.count};
}

SmallVector<int64_t> AttentionHeads::firstOf(ScoreBlock block) const {
  SmallVector<int64_t> first(tellsHeadsApart() ? 2 : 1, 0);
  first.append({block.queries.first, block.keys.first});
  return first;
}

TensorPart AttentionHeads::partOf(ScoreBlock block) const {
  TensorPart part{rows(whole()), firstOf(block), /*shared=*/1, heads()};
  if (allHeads != heads())
    part.whole[part.shared] = allHeads;
  return part;
}

Value AttentionHeads::tokenProduct(Value a, bool transposeA, Value b, Type element) const {
  int64_t rows = typeOf(a).getDimSize(transposeA ? 2 : 1);
  return matmul(a, transposeA, b, false, tensorType({batch * kvHeads, rows, size}, element));
}

Value AttentionHeads::pairProduct(Value queryRows, Value keyRows, ScoreBlock block,
                                  std::optional<Phase> phase) const {
  RankedTensorType type =
      tensorType({batch * kvHeads, group * block.queries.count, block.keys.count}, wide());
  Value product = matmul(queryRows, false, keyRows, true, type);
  setPhase(product.getDefiningOp(), phase);
  return buildReshape(builder, loc, product, rows(block));
}

Value AttentionHeads::asMatrices(Value rows) const {
  ArrayRef<int64_t> tokens = typeOf(rows).getShape().take_back(2);
  return buildReshape(builder, loc, rows, {batch * kvHeads, group * tokens[0], tokens[1]});
}

Value AttentionHeads::perRow(Value tensor, Span tokens) const {
  SmallVector<int64_t> shape = rows({tokens, {}});
  shape.pop_back();
  if (tokens.count != queries) {
    SmallVector<AffineExpr> d(3);
    bindDimsList(context(), MutableArrayRef<AffineExpr>(d));
    tensor =
        buildMap(builder, loc, tensor, AffineMap::get(3, 0, {d[0], d[1], d[2] + tokens.first}, context()),
                 tensorType({batch, heads(), tokens.count}, typeOf(tensor).getElementType()), sameElement);
  }
  return buildReshape(builder, loc, tensor, shape);
}

Value AttentionHeads::buildBase() const {
  if (!mask)
    return {};
  SmallVector<int64_t> extents(typeOf(mask).getShape());
  // Queries that see different keys have different bases, even if the mask is the same for all queries.
  const bool hides = extents[3] > 1 && !seesAll(whole());
  const bool differs = hides && extents[2] == 1 && queries > 1;
  if (differs)
    extents[2] = queries;
  const RankedTensorType type = tensorType(ArrayRef(extents).drop_back(), wide());
  AffineMap map = identityMap(context(), 4);
  if (differs)
    map = map.replace(getAffineDimExpr(2, context()), getAffineConstantExpr(0, context()), 4, 0);
  Value largest =
      buildReduce(builder, loc, Combine::Max, {3}, mask, map, type, [&](const Scalars &s, ValueRange in) {
        Value added = s.cast(in[0], wide());
        if (!hides)
          return added;
        Value seen = isSeen(s, 2, whole());
        return s.select(seen, added, s.like(added, -std::numeric_limits<double>::infinity()));
      });
  if (differs)
    largest.getDefiningOp<ReduceOp>().setExtents(extents);
  return buildElementwise(builder, loc, largest, type, [](const Scalars &s, ValueRange in) {
    Value least = s.like(in[0], -std::numeric_limits<float>::max()), zero = s.like(in[0], 0.0);
    return s.select(s.compare(arith::CmpFPredicate::OGE, in[0], least), in[0], zero);
  });
}

Value AttentionHeads::baseOf(Value base, Span tokens) const {
  if (!base || tokens.count == queries || typeOf(base).getDimSize(2) == 1)
    return base;
  SmallVector<AffineExpr> d(3);
  bindDimsList(context(), MutableArrayRef<AffineExpr>(d));
  RankedTensorType all = typeOf(base);
  return buildMap(builder, loc, base, AffineMap::get(3, 0, {d[0], d[1], d[2] + tokens.first}, context()),
                  tensorType({all.getDimSize(0), all.getDimSize(1), tokens.count}, all.getElementType()),
                  sameElement);
}

Value AttentionHeads::buildDelta(Value gradient, Value output) const {
  SmallVector<int64_t> shape{batch, queries, heads(), size};
  return buildReduce(builder, loc, Combine::Sum, {3},
                     {buildReshape(builder, loc, gradient, shape), buildReshape(builder, loc, output, shape)},
                     {tokenMajor(), tokenMajor()}, tensorType({batch, heads(), queries}, wide()),
                     [](const Scalars &s, ValueRange in) {
                       Value wide = s.widen(in[0]);
                       return s.mul(wide, s.widen(in[1]));
                     });
}

bool AttentionHeads::seesAll(ScoreBlock block) const {
  return (!causal || block.keys.last() <= block.queries.first) &&
         (!window || block.queries.last() - block.keys.first < *window);
}

bool AttentionHeads::seesAny(ScoreBlock block) const {
  return (!causal || block.keys.first <= block.queries.last()) &&
         (!window || block.queries.first - block.keys.last() < *window);
}

Value AttentionHeads::isSeen(const Scalars &s, unsigned row, ScoreBlock block) const {
  auto plus = [&](Value index, int64_t offset) -> Value {
    if (offset == 0)
      return index;
    return arith::AddIOp::create(s.builder, s.loc, index,
                                 s.constant(index.getType(), static_cast<double>(offset)));
  };
  Value query = plus(s.index(row), block.queries.first), key = plus(s.index(row + 1), block.keys.first);
  Value seen = causal ? s.compare(arith::CmpIPredicate::sle, key, query) : Value();
  if (!window)
    return seen;
  Value isNear = s.compare(arith::CmpIPredicate::slt, query, plus(key, *window));
  return seen ? arith::AndIOp::create(s.builder, s.loc, seen, isNear) : isNear;
}

AffineMap AttentionHeads::maskMap(ScoreBlock block) const {
  SmallVector<int64_t> first = firstOf(block);
  SmallVector<AffineExpr> indices;
  for (auto [dim, extent] : llvm::enumerate(typeOf(mask).getShape()))
    indices.push_back(extent == 1 ? getAffineConstantExpr(0, context())
                                  : getAffineDimExpr(dim, context()) + first[dim]);
  return AffineMap::get(4, 0, indices, context());
}

AffineMap AttentionHeads::baseMap(Value base) const {
  SmallVector<AffineExpr> indices;
  for (auto [dim, extent] : llvm::enumerate(typeOf(base).getShape()))
    indices.push_back(extent == 1 ? getAffineConstantExpr(0, context()) : getAffineDimExpr(dim, context()));
  return AffineMap::get(4, 0, indices, context());
}

Value AttentionHeads::dropRows(Value probabilities, ScoreBlock block) const {
  return dropout ? buildDropout(builder, loc, probabilities, *dropout, partOf(block)) : probabilities;
}

AttentionHeads::Reads AttentionHeads::readsOf(const ScoreRows &rows, ScoreBlock block) const {
  unsigned loops = typeOf(rows.scores).getRank();
  AffineMap each = identityMap(context(), loops), row = leadingMap(context(), loops, loops - 1);
  Reads reads{{rows.scores, rows.lse, rows.dP, rows.delta}, {each, row, each, row}};
  if (mask) {
    reads.operands.append({mask, rows.base});
    reads.maps.append({maskMap(block), baseMap(rows.base)});
  }
  if (dropout)
    dropout->addReads(loops, reads.operands, reads.maps);
  return reads;
}

AttentionHeads::Pair AttentionHeads::pairOf(const Scalars &s, ValueRange in, ScoreBlock block) const {
  Value score = s.mul(in[0], s.like(in[0], scale));
  if (mask)
    score = s.sub(s.add(score, s.widen(in[4])), in[5]);
  Value seen = seesAll(block) ? Value() : isSeen(s, tellsHeadsApart() ? 2 : 1, block);
  auto ifSeen = [&](Value value) { return seen ? s.select(seen, value, s.like(value, 0.0)) : value; };
  Value p = ifSeen(s.exp(s.sub(score, in[1])));
  Value kept = p, incoming = in[2];
  if (dropout) {
    Value keeps = dropout->keeps(s, partOf(block), in);
    kept = dropout->apply(s, keeps, p);
    incoming = dropout->apply(s, keeps, in[2]);
  }
  // The second select is needed: only with it is the result known to be 0 there, so that no dP is loaded.
  return {kept, ifSeen(s.mul(p, s.sub(incoming, in[3])))};
}

MapOp AttentionHeads::buildProbabilities(const ScoreRows &rows, ScoreBlock block) const {
  Reads reads = readsOf(rows, block);
  Type type = withElement(rows.scores.getType(), element());
  return buildMap(builder, loc, reads.operands, reads.maps, {type, type},
                  [&](const Scalars &s, ValueRange in) -> SmallVector<Value> {
                    auto [kept, gradient] = pairOf(s, in, block);
                    return {kept, s.mul(gradient, s.like(gradient, scale))};
                  });
}

Value AttentionHeads::buildMaskGradient(const ScoreRows &rows, ScoreBlock block) const {
  Reads reads = readsOf(rows, block);
  SmallVector<int64_t> repeated, kept, shape;
  for (auto [dim, extent] : llvm::enumerate(typeOf(rows.scores).getShape())) {
    const bool isRepeated = typeOf(mask).getDimSize(dim) == 1;
    shape.push_back(isRepeated ? 1 : extent);
    if (isRepeated)
      repeated.push_back(dim);
    else
      kept.push_back(extent);
  }
  auto body = [&](const Scalars &s, ValueRange in) { return pairOf(s, in, block).gradient; };
  if (repeated.empty())
    return buildMap(builder, loc, reads.operands, reads.maps, tensorType(shape, wide()), body);
  if (block.queries.count != queries || block.keys.count != keys) { // reductions read whole tensors
    reads.operands[4] = buildMap(builder, loc, mask, maskMap(block),
                                 tensorType(shape, typeOf(mask).getElementType()), sameElement);
    reads.maps[4] = maskMap({{0, block.queries.count}, {0, block.keys.count}});
  }
  Value sum = buildReduce(builder, loc, Combine::Sum, repeated, reads.operands, reads.maps,
                          tensorType(kept, wide()), body);
  return buildReshape(builder, loc, sum, shape);
}

} // namespace windlass::graph
