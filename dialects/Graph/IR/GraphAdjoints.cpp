// Adjoints of the coarse ops, of reshape and of stack.

#include "dialects/Graph/IR/GraphBuilders.h"

using namespace mlir;
using namespace windlass::graph;

/// Auxiliaries (log-sum-exp, mean, reciprocal deviation) exist for adjoints; no gradient flows through them.
static LogicalResult refuseAuxiliary(Operation *op, ValueRange gradients, unsigned result, StringRef name) {
  if (!gradients[result])
    return success();
  return op->emitOpError("no gradient flows through its auxiliary result '") << name << "'";
}

LogicalResult ReshapeOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                      SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(1, Value());
  if (needed[0] && resultGradients[0])
    operandGradients[0] = buildReshape(builder, getLoc(), resultGradients[0], typeOf(getInput()).getShape());
  return success();
}

/// Each input's gradient is the slice of the result's at its index along the new dimension, with the loops
/// renamed to the input's.
LogicalResult StackOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                    SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(getInputs().size(), Value());
  if (!resultGradients[0])
    return success();
  unsigned loops = typeOf(getResult()).getRank(), rank = getMap().getNumResults();
  if (rank + 1 != loops ||
      llvm::any_of(getMap().getResults(), [](AffineExpr e) { return !isa<AffineDimExpr>(e); }))
    return emitOpError("has no derivative unless every loop but the stacked one indexes its inputs");
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    if (!needed[i])
      continue;
    SmallVector<AffineExpr> indices(loops, getAffineConstantExpr(i, getContext()));
    for (unsigned dim = 0; dim < rank; ++dim)
      indices[getMap().getDimPosition(dim)] = getAffineDimExpr(dim, getContext());
    operandGradients[i] =
        buildMap(builder, getLoc(), resultGradients[0], AffineMap::get(rank, 0, indices, getContext()),
                 typeOf(input), [](const Scalars &, ValueRange in) { return in[0]; });
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Matmul and embedding
//===----------------------------------------------------------------------===//

/// With op(A) m x k and op(B) k x n: d op(A) = dC op(B)^T and d op(B) = op(A)^T dC, each stored as its
/// operand is.
LogicalResult MatmulOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                     SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(2, Value());
  Value dC = resultGradients[0];
  if (!dC)
    return success();
  Value a = getA(), b = getB();
  bool ta = getTransposeA(), tb = getTransposeB();
  auto matmul = [&](Type type, Value left, bool leftTransposed, Value right, bool rightTransposed) -> Value {
    return MatmulOp::create(builder, getLoc(), type, left, right, leftTransposed, rightTransposed);
  };
  if (needed[0])
    operandGradients[0] = ta ? matmul(a.getType(), b, tb, dC, true) : matmul(a.getType(), dC, false, b, !tb);
  if (needed[1])
    operandGradients[1] = tb ? matmul(b.getType(), dC, true, a, ta) : matmul(b.getType(), a, !ta, dC, false);
  return success();
}

LogicalResult EmbeddingOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                        SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(2, Value());
  if (!needed[0] || !resultGradients[0])
    return success();
  // Rows are summed in the type bodies compute in, and rounded once.
  Type element = typeOf(getTable()).getElementType();
  Value sum =
      EmbeddingGradOp::create(builder, getLoc(), withElement(getTable().getType(), computeType(element)),
                              resultGradients[0], getIndices());
  operandGradients[0] = buildCast(builder, getLoc(), sum, element);
  return success();
}

//===----------------------------------------------------------------------===//
// Row by row
//===----------------------------------------------------------------------===//

/// The gradients of scale and shift: two sums over all rows, in one reduction.
static void buildScaleAndShift(LayerNormOp op, OpBuilder &builder, Value gradient,
                               SmallVectorImpl<Value> &operandGradients) {
  MLIRContext *context = op.getContext();
  unsigned loops = typeOf(op.getInput()).getRank();
  AffineMap element = identityMap(context, loops), row = leadingMap(context, loops, loops - 1);
  SmallVector<int64_t> rows = llvm::to_vector(llvm::seq<int64_t>(0, loops - 1));
  Type wide = computeType(typeOf(op.getScale()).getElementType());
  RankedTensorType type = withElement(op.getScale().getType(), wide);
  ReduceOp sums = buildReduce(
      builder, op.getLoc(), Combine::Sum, rows, {gradient, op.getInput(), op.getMean(), op.getRstd()},
      {element, element, row, row}, {type, type}, [](const Scalars &s, ValueRange in) -> SmallVector<Value> {
        Value g = s.widen(in[0]);
        Value normal = s.mul(s.sub(s.widen(in[1]), in[2]), in[3]);
        return {s.mul(g, normal), g};
      });
  operandGradients[1] =
      buildCast(builder, op.getLoc(), sums.getResult(0), typeOf(op.getScale()).getElementType());
  operandGradients[2] =
      buildCast(builder, op.getLoc(), sums.getResult(1), typeOf(op.getShift()).getElementType());
}

LogicalResult LayerNormOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                        SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(3, Value());
  if (failed(refuseAuxiliary(*this, resultGradients, 1, "mean")) ||
      failed(refuseAuxiliary(*this, resultGradients, 2, "rstd")))
    return failure();
  Value gradient = resultGradients[0];
  if (!gradient)
    return success();
  if (needed[0])
    operandGradients[0] = LayerNormGradOp::create(builder, getLoc(), getInput().getType(), gradient,
                                                  getInput(), getScale(), getMean(), getRstd());
  if (needed[1] || needed[2])
    buildScaleAndShift(*this, builder, gradient, operandGradients);
  return success();
}

/// With y the result and g its gradient: scale * y * (g - sum of g * y over the row). Masked elements have y
/// = 0.
LogicalResult SoftmaxOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                      SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(1, Value());
  if (failed(refuseAuxiliary(*this, resultGradients, 1, "lse")))
    return failure();
  if (!needed[0] || !resultGradients[0])
    return success();
  unsigned loops = typeOf(getInput()).getRank();
  AffineMap element = identityMap(getContext(), loops), row = leadingMap(getContext(), loops, loops - 1);
  Value dot = buildReduce(builder, getLoc(), Combine::Sum, {loops - 1}, {resultGradients[0], getResult()},
                          {element, element}, typeOf(getLse()), [](const Scalars &s, ValueRange in) {
                            return s.mul(s.widen(in[0]), s.widen(in[1]));
                          });
  double scale = getScale().convertToDouble();
  operandGradients[0] =
      buildMap(builder, getLoc(), {resultGradients[0], getResult(), dot}, {element, element, row},
               typeOf(getInput()), [&](const Scalars &s, ValueRange in) {
                 Value centred = s.mul(s.widen(in[1]), s.sub(s.widen(in[0]), in[2]));
                 return s.mul(centred, s.like(centred, scale));
               });
  return success();
}

LogicalResult CrossEntropyOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients,
                                           ArrayRef<bool> needed, SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(2, Value());
  if (failed(refuseAuxiliary(*this, resultGradients, 1, "lse")))
    return failure();
  if (needed[0] && resultGradients[0])
    operandGradients[0] =
        CrossEntropyGradOp::create(builder, getLoc(), getLogits().getType(), resultGradients[0], getLogits(),
                                   getLabels(), getLse(), getIgnoreIndexAttr());
  return success();
}

LogicalResult AttentionOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                        SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(1, Value());
  if (failed(refuseAuxiliary(*this, resultGradients, 1, "lse")))
    return failure();
  if (needed[0] && resultGradients[0])
    operandGradients[0] =
        AttentionGradOp::create(builder, getLoc(), getQkv().getType(), resultGradients[0], getQkv(),
                                getResult(), getLse(), getBatchAttr(), getHeadsAttr(), getCausalAttr());
  return success();
}
