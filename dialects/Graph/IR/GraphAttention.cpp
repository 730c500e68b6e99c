// What attention and its gradient mean, in batched matmuls, softmax and maps.

#include "dialects/Graph/IR/GraphDropout.h"

#include <cmath>

using namespace mlir;
using namespace windlass::graph;

bool AttentionOp::isOneKernel() { return false; }
bool AttentionGradOp::isOneKernel() { return false; }

namespace {
/// Query, key or value as batched matrices; group is 1 but for queries.
struct Part {
  int64_t tokens, group;
};

/// The shapes of one attention, and how its tensors are cut into heads. A key head and the `group` query
/// heads that it serves are one matrix product: the queries of the group stand below each other.
struct Heads {
  OpBuilder &builder;
  Location loc;
  ValueRange inputs;
  Value mask;
  int64_t batch, kvHeads, group, queries, keys, size;
  bool causal;
  std::optional<int64_t> window;
  double scale;
  std::optional<Dropout> dropout;

  template <typename OpT>
  Heads(OpBuilder &builder, OpT op)
      : builder(builder), loc(op.getLoc()), inputs(op.getInputs()), mask(op.getMask()), batch(op.getBatch()),
        kvHeads(op.getKvHeads().value_or(op.getHeads())), group(op.getHeads() / kvHeads),
        queries(typeOf(inputs.front()).getDimSize(0) / batch),
        keys(typeOf(inputs.back()).getDimSize(0) / batch),
        size(typeOf(inputs.front()).getDimSize(1) / (isPacked() ? 3 : 1) / heads()), causal(op.getCausal()),
        window(op.getWindow()),
        scale(op.getScale() ? op.getScale()->convertToDouble() : 1.0 / std::sqrt(static_cast<double>(size))),
        dropout(dropoutOf(op)) {}

  bool isPacked() const { return inputs.size() == 1; }
  int64_t heads() const { return kvHeads * group; }
  MLIRContext *context() const { return builder.getContext(); }
  Part query() const { return {queries, group}; }
  Part key() const { return {keys, 1}; }

  RankedTensorType scores(Type element) const {
    return tensorType({batch * kvHeads, group * queries, keys}, element);
  }
  RankedTensorType matrices(Part part, Type element) const {
    return tensorType({batch * kvHeads, part.group * part.tokens, size}, element);
  }
  /// Rows of the scores, as softmax and lse see them.
  SmallVector<int64_t> rows() const { return {batch, heads(), queries}; }
  /// Loops batch, head, token, component to a tensor of batch, token, head, component.
  AffineMap tokenMajor() const { return loopsMap(context(), 4, {0, 2, 1, 3}); }

  /// Query (0), key (1) or value (2) as matrices of tokens x size.
  Value part(unsigned which) const {
    Part shape = which == 0 ? query() : key();
    if (!isPacked())
      return split(inputs[which], shape);
    Value packed = buildReshape(builder, loc, inputs[0], {batch, queries, 3, heads(), size});
    SmallVector<AffineExpr> d(4);
    bindDimsList(context(), MutableArrayRef<AffineExpr>(d));
    AffineExpr fixed = getAffineConstantExpr(which, context());
    return headMajor(packed, AffineMap::get(4, 0, {d[0], d[2], fixed, d[1], d[3]}, context()), shape);
  }
  /// A (batch*tokens) x (heads*size) tensor as matrices of tokens x size.
  Value split(Value tensor, Part part) const {
    SmallVector<int64_t> shape{batch, part.tokens, kvHeads * part.group, size};
    return headMajor(buildReshape(builder, loc, tensor, shape), tokenMajor(), part);
  }
  /// The matrices back as batch x heads x tokens x size.
  Value fourLoops(Value tensor, Part part) const {
    return buildReshape(builder, loc, tensor, {batch, kvHeads * part.group, part.tokens, size});
  }
  /// The matrices back as (batch*tokens) x (heads*size), with elements of `type`.
  Value join(Value tensor, Part part, RankedTensorType type) const {
    Value joined =
        buildMap(builder, loc, fourLoops(tensor, part), tokenMajor(),
                 tensorType({batch, part.tokens, kvHeads * part.group, size}, type.getElementType()),
                 [](const Scalars &, ValueRange in) { return in[0]; });
    return buildReshape(builder, loc, joined, type.getShape());
  }
  Value matmul(Value a, bool transposeA, Value b, bool transposeB, RankedTensorType type) const {
    return MatmulOp::create(builder, loc, type, a, b, transposeA, transposeB);
  }
  /// Query times key, unscaled.
  Value multiplyScores(Value q, Value k, Type wide) const { return matmul(q, false, k, true, scores(wide)); }

  /// The scores as batch x heads x queries x keys where a mask tells batch and heads apart; else the two are
  /// one outermost loop.
  Value asRows(Value scores) const {
    SmallVector<int64_t> shape = mask ? SmallVector<int64_t>{batch, heads(), queries, keys}
                                      : SmallVector<int64_t>{batch * heads(), queries, keys};
    return buildReshape(builder, loc, scores, shape);
  }
  /// Where the loops of asRows read the mask.
  AffineMap maskMap() const {
    SmallVector<AffineExpr> indices;
    for (auto [dim, extent] : llvm::enumerate(typeOf(mask).getShape()))
      indices.push_back(extent == 1 ? getAffineConstantExpr(0, context()) : getAffineDimExpr(dim, context()));
    return AffineMap::get(4, 0, indices, context());
  }

private:
  Value headMajor(Value tensor, AffineMap map, Part part) const {
    Value copy = buildMap(
        builder, loc, tensor, map,
        tensorType({batch, kvHeads * part.group, part.tokens, size}, typeOf(tensor).getElementType()),
        [](const Scalars &, ValueRange in) { return in[0]; });
    return buildReshape(builder, loc, copy, matrices(part, typeOf(copy).getElementType()).getShape());
  }
};
} // namespace

SmallVector<Value> AttentionOp::decompose(OpBuilder &builder) {
  Heads h(builder, *this);
  Type element = typeOf(getInputs().front()).getElementType(), wide = computeType(element);
  Value q = h.part(0), k = h.part(1), v = h.part(2);
  Value scores = h.asRows(h.multiplyScores(q, k, wide));
  auto softmax =
      SoftmaxOp::create(builder, getLoc(), withElement(scores.getType(), element),
                        tensorType(typeOf(scores).getShape().drop_back(), builder.getF32Type()), scores,
                        getMask(), builder.getF64FloatAttr(h.scale), getCausalAttr(), getWindowAttr());
  Value kept = h.dropout ? buildDropout(builder, getLoc(), softmax.getResult(), *h.dropout)
                         : Value(softmax.getResult());
  Value p = buildReshape(builder, getLoc(), kept, h.scores(element).getShape());
  Value mixed = h.matmul(p, false, v, false, h.matrices(h.query(), element));
  return {h.join(mixed, h.query(), typeOf(getResult())),
          buildReshape(builder, getLoc(), softmax.getLse(), typeOf(getLse()).getShape())};
}

/// True where the key of a row's query counts.
static Value isSeen(const Heads &h, const Scalars &s, unsigned row) {
  Value seen = s.compare(arith::CmpIPredicate::sle, s.index(row + 1), s.index(row));
  if (!h.causal)
    seen = arith::ConstantOp::create(s.builder, s.loc, s.builder.getBoolAttr(true));
  if (!h.window)
    return seen;
  Value reach = arith::AddIOp::create(s.builder, s.loc, s.index(row + 1),
                                      s.constant(s.builder.getIndexType(), static_cast<double>(*h.window)));
  return arith::AndIOp::create(s.builder, s.loc, seen,
                               s.compare(arith::CmpIPredicate::slt, s.index(row), reach));
}

/// The probabilities exp(scale * score + mask - lse) and the gradient of the scores, P * (dP - delta) *
/// scale, in one map; both are 0 where a query does not see the key. With dropout the probabilities are those
/// behind it, and so are the gradients dP that come in: delta, the sum of P * dP before it, equals that of
/// the two behind it.
static MapOp buildProbabilities(const Heads &h, Value scores, Value lse, Value dP, Value delta,
                                Type element) {
  unsigned loops = typeOf(scores).getRank();
  AffineMap each = identityMap(h.context(), loops), row = leadingMap(h.context(), loops, loops - 1);
  SmallVector<Value> inputs{scores, lse, dP, delta};
  SmallVector<AffineMap> maps{each, row, each, row};
  if (h.mask) {
    inputs.push_back(h.mask);
    maps.push_back(h.maskMap());
  }
  if (h.dropout)
    h.dropout->addReads(loops, inputs, maps);
  Type type = withElement(scores.getType(), element);
  return buildMap(h.builder, h.loc, inputs, maps, {type, type},
                  [&](const Scalars &s, ValueRange in) -> SmallVector<Value> {
                    Value scale = s.like(in[0], h.scale), score = s.mul(in[0], scale);
                    if (h.mask)
                      score = s.add(score, s.widen(in[4]));
                    Value p = s.exp(s.sub(score, in[1]));
                    if (h.causal || h.window)
                      p = s.select(isSeen(h, s, loops - 2), p, s.like(p, 0.0));
                    Value kept = p, incoming = in[2];
                    if (h.dropout) {
                      Value keeps = h.dropout->keeps(s, typeOf(scores).getShape(), in);
                      kept = h.dropout->apply(s, keeps, p);
                      incoming = h.dropout->apply(s, keeps, in[2]);
                    }
                    return {kept, s.mul(s.mul(p, s.sub(incoming, in[3])), scale)};
                  });
}

/// The dot product of each query's gradient and result, as rows of the scores have it.
static Value buildDelta(const Heads &h, Value gradient, Value output, Type wide) {
  SmallVector<int64_t> shape{h.batch, h.queries, h.heads(), h.size};
  return buildReduce(
      h.builder, h.loc, Combine::Sum, {3},
      {buildReshape(h.builder, h.loc, gradient, shape), buildReshape(h.builder, h.loc, output, shape)},
      {h.tokenMajor(), h.tokenMajor()}, tensorType(h.rows(), wide),
      [](const Scalars &s, ValueRange in) { return s.mul(s.widen(in[0]), s.widen(in[1])); });
}

/// Loops of the packed gradient: batch, token, which of the three, head, component.
static Value pack(const Heads &h, ValueRange gradients, RankedTensorType type) {
  SmallVector<Value> parts;
  for (Value gradient : gradients)
    parts.push_back(h.fourLoops(gradient, h.query()));
  Type element = typeOf(parts.front()).getElementType();
  Value packed = StackOp::create(
      h.builder, h.loc, tensorType({h.batch, h.queries, 3, h.heads(), h.size}, element), parts,
      AffineMapAttr::get(loopsMap(h.context(), 5, {0, 3, 1, 4})), h.builder.getI64IntegerAttr(2));
  return buildCast(h.builder, h.loc, buildReshape(h.builder, h.loc, packed, type.getShape()),
                   type.getElementType());
}

SmallVector<Value> AttentionGradOp::decompose(OpBuilder &builder) {
  Heads h(builder, *this);
  Type element = typeOf(getInputs().front()).getElementType(), wide = computeType(element);
  Value q = h.part(0), k = h.part(1), v = h.part(2);
  Value dO = h.split(getGradient(), h.query());
  Value scores = h.asRows(h.multiplyScores(q, k, wide));
  Value dP = h.asRows(h.multiplyScores(dO, v, wide));
  SmallVector<int64_t> perRow(typeOf(scores).getShape().drop_back());
  Value delta = buildReshape(builder, getLoc(), buildDelta(h, getGradient(), getOutput(), wide), perRow);
  MapOp both =
      buildProbabilities(h, scores, buildReshape(builder, getLoc(), getLse(), perRow), dP, delta, element);
  Value p = buildReshape(builder, getLoc(), both.getResult(0), h.scores(element).getShape());
  Value dS = buildReshape(builder, getLoc(), both.getResult(1), h.scores(element).getShape());
  Value dQ = h.matmul(dS, false, k, false, h.matrices(h.query(), element));
  Value dK = h.matmul(dS, true, q, false, h.matrices(h.key(), element));
  Value dV = h.matmul(p, true, dO, false, h.matrices(h.key(), element));
  if (h.isPacked())
    return {pack(h, {dQ, dK, dV}, typeOf(getResult(0)))};
  return {h.join(dQ, h.query(), typeOf(getResult(0))), h.join(dK, h.key(), typeOf(getResult(1))),
          h.join(dV, h.key(), typeOf(getResult(2)))};
}
