// What attention and its gradient mean, in batched matmuls, softmax and maps.

#include "dialects/Graph/IR/GraphBuilders.h"

#include <cmath>

using namespace mlir;
using namespace windlass::graph;

bool AttentionOp::isOneKernel() { return false; }
bool AttentionGradOp::isOneKernel() { return false; }

namespace {
/// The shapes of one attention, and how its tensors are cut into heads.
struct Heads {
  OpBuilder &builder;
  Location loc;
  int64_t batch, heads, tokens, size;

  Heads(OpBuilder &builder, Location loc, Value qkv, int64_t batch, int64_t heads)
      : builder(builder), loc(loc), batch(batch), heads(heads), tokens(typeOf(qkv).getDimSize(0) / batch),
        size(typeOf(qkv).getDimSize(1) / (3 * heads)) {}

  double scale() const { return 1.0 / std::sqrt(static_cast<double>(size)); }
  MLIRContext *context() const { return builder.getContext(); }
  RankedTensorType scores(Type element) const { return tensorType({batch * heads, tokens, tokens}, element); }
  RankedTensorType rows(Type element) const { return tensorType({batch * heads, tokens, size}, element); }
  /// Loops batch, head, token, component to a tensor of batch, token, head, component.
  AffineMap tokenMajor() const { return loopsMap(context(), 4, {0, 2, 1, 3}); }

  /// One of query (0), key (1), value (2), as batch*heads matrices of tokens x size.
  Value part(Value qkv, int64_t which) const {
    Value packed = buildReshape(builder, loc, qkv, {batch, tokens, 3, heads, size});
    SmallVector<AffineExpr> d(4);
    bindDimsList(context(), MutableArrayRef<AffineExpr>(d));
    AffineExpr fixed = getAffineConstantExpr(which, context());
    return matrices(packed, AffineMap::get(4, 0, {d[0], d[2], fixed, d[1], d[3]}, context()));
  }
  /// A (batch*tokens) x (heads*size) tensor as batch*heads matrices of tokens x size.
  Value split(Value tensor) const {
    return matrices(buildReshape(builder, loc, tensor, {batch, tokens, heads, size}), tokenMajor());
  }
  /// The matrices back as batch x heads x tokens x size.
  Value fourLoops(Value tensor) const {
    return buildReshape(builder, loc, tensor, {batch, heads, tokens, size});
  }
  Value matmul(Value a, bool transposeA, Value b, bool transposeB, RankedTensorType type) const {
    return MatmulOp::create(builder, loc, type, a, b, transposeA, transposeB);
  }

private:
  Value matrices(Value tensor, AffineMap map) const {
    Value copy = buildMap(builder, loc, tensor, map,
                          tensorType({batch, heads, tokens, size}, typeOf(tensor).getElementType()),
                          [](const Scalars &, ValueRange in) { return in[0]; });
    return buildReshape(builder, loc, copy, {batch * heads, tokens, size});
  }
};
} // namespace

SmallVector<Value> AttentionOp::decompose(OpBuilder &builder) {
  Heads h(builder, getLoc(), getQkv(), getBatch(), getHeads());
  Type element = typeOf(getQkv()).getElementType(), wide = computeType(element);
  Value q = h.part(getQkv(), 0), k = h.part(getQkv(), 1), v = h.part(getQkv(), 2);
  Value scores = h.matmul(q, false, k, true, h.scores(wide));
  auto softmax = SoftmaxOp::create(builder, getLoc(), h.scores(element),
                                   tensorType({h.batch * h.heads, h.tokens}, builder.getF32Type()), scores,
                                   builder.getF64FloatAttr(h.scale()), getCausalAttr());
  Value mixed = h.matmul(softmax.getResult(), false, v, false, h.rows(element));
  // Back to token-major: the loops are those of the result, batch, token, head, component.
  Value joined =
      buildMap(builder, getLoc(), h.fourLoops(mixed), h.tokenMajor(),
               tensorType({h.batch, h.tokens, h.heads, h.size}, typeOf(getResult()).getElementType()),
               [](const Scalars &, ValueRange in) { return in[0]; });
  return {buildReshape(builder, getLoc(), joined, typeOf(getResult()).getShape()),
          buildReshape(builder, getLoc(), softmax.getLse(), typeOf(getLse()).getShape())};
}

/// The probabilities exp(scale * score - lse) and the gradient of the scores, P * (dP - delta) * scale, in
/// one map; both are 0 where the mask hides the key.
static MapOp buildProbabilities(const Heads &h, Value scores, Value lse, Value dP, Value delta, Type element,
                                bool causal) {
  AffineMap each = identityMap(h.context(), 3), row = leadingMap(h.context(), 3, 2);
  RankedTensorType type = h.scores(element);
  return buildMap(h.builder, h.loc, {scores, lse, dP, delta}, {each, row, each, row}, {type, type},
                  [&](const Scalars &s, ValueRange in) -> SmallVector<Value> {
                    Value scale = s.like(in[0], h.scale());
                    Value p = s.exp(s.sub(s.mul(in[0], scale), in[1]));
                    if (causal)
                      p = s.select(s.compare(arith::CmpIPredicate::sle, s.index(2), s.index(1)), p,
                                   s.like(p, 0.0));
                    return {p, s.mul(s.mul(p, s.sub(in[2], in[3])), scale)};
                  });
}

SmallVector<Value> AttentionGradOp::decompose(OpBuilder &builder) {
  Heads h(builder, getLoc(), getQkv(), getBatch(), getHeads());
  Type element = typeOf(getQkv()).getElementType(), wide = computeType(element);
  Value q = h.part(getQkv(), 0), k = h.part(getQkv(), 1), v = h.part(getQkv(), 2);
  Value dO = h.split(getGradient());
  Value scores = h.matmul(q, false, k, true, h.scores(wide));
  Value dP = h.matmul(dO, false, v, true, h.scores(wide));

  SmallVector<int64_t> tokenMajor{h.batch, h.tokens, h.heads, h.size};
  Value delta =
      buildReduce(builder, getLoc(), Combine::Sum, {3},
                  {buildReshape(builder, getLoc(), getGradient(), tokenMajor),
                   buildReshape(builder, getLoc(), getOutput(), tokenMajor)},
                  {h.tokenMajor(), h.tokenMajor()}, tensorType({h.batch, h.heads, h.tokens}, wide),
                  [](const Scalars &s, ValueRange in) { return s.mul(s.widen(in[0]), s.widen(in[1])); });
  SmallVector<int64_t> perRow{h.batch * h.heads, h.tokens};
  MapOp both = buildProbabilities(h, scores, buildReshape(builder, getLoc(), getLse(), perRow), dP,
                                  buildReshape(builder, getLoc(), delta, perRow), element, getCausal());
  Value p = both.getResult(0), dS = both.getResult(1);
  Value dQ = h.matmul(dS, false, k, false, h.rows(element));
  Value dK = h.matmul(dS, true, q, false, h.rows(element));
  Value dV = h.matmul(p, true, dO, false, h.rows(element));

  // Loops of the packed gradient: batch, token, which of the three, head, component.
  Value packed = StackOp::create(
      builder, getLoc(), tensorType({h.batch, h.tokens, 3, h.heads, h.size}, element),
      ValueRange{h.fourLoops(dQ), h.fourLoops(dK), h.fourLoops(dV)},
      AffineMapAttr::get(loopsMap(h.context(), 5, {0, 3, 1, 4})), builder.getI64IntegerAttr(2));
  return {buildCast(builder, getLoc(),
                    buildReshape(builder, getLoc(), packed, typeOf(getResult()).getShape()),
                    typeOf(getResult()).getElementType())};
}
