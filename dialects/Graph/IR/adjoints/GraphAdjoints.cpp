// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adjoints of the coarse ops, of reshape and of stack.

#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "dialects/Graph/IR/decompositions/GraphDropout.h"

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
  if (!needed[0] || !resultGradients[0])
    return success();
  operandGradients[0] = buildReshape(builder, getLoc(), resultGradients[0], typeOf(getInput()).getShape());
  auto split = (*this)->getAttrOfType<DenseI64ArrayAttr>(kSplitDimensions);
  if (split && split.size() == 2 && operandGradients[0] != resultGradients[0])
    setSplitDimensions(operandGradients[0].getDefiningOp(), split[1], split[0]);
  return success();
}

/// Each input's gradient is its part of the result's along the stacked loop, with the loops renamed to the
/// input's.
LogicalResult StackOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                    SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(getInputs().size(), Value());
  if (!resultGradients[0])
    return success();
  unsigned loops = typeOf(getResult()).getRank(), rank = getMap().getNumResults(), axis = getAxis();
  bool isNewLoop = !getMap().isFunctionOfDim(axis);
  if (rank + isNewLoop != loops ||
      llvm::any_of(getMap().getResults(), [](AffineExpr e) { return !isa<AffineDimExpr>(e); }))
    return emitOpError("has no derivative unless every loop but a new one indexes its inputs");
  int64_t begin = 0;
  for (auto [i, input, part] : llvm::enumerate(getInputs(), getParts())) {
    AffineExpr start = getAffineConstantExpr(std::exchange(begin, begin + part), getContext());
    if (!needed[i])
      continue;
    SmallVector<AffineExpr> indices(loops, start);
    for (unsigned dim = 0; dim < rank; ++dim) {
      unsigned loop = getMap().getDimPosition(dim);
      AffineExpr index = getAffineDimExpr(dim, getContext());
      indices[loop] = loop == axis ? index + start : index;
    }
    operandGradients[i] =
        buildMap(builder, getLoc(), resultGradients[0], AffineMap::get(rank, 0, indices, getContext()),
                 typeOf(input), [](const Scalars &, ValueRange in) { return in[0]; });
  }
  return success();
}

AffineMap PadOp::getPlacement() {
  SmallVector<AffineExpr> indices;
  for (auto [d, before] : llvm::enumerate(getBefore()))
    indices.push_back(getAffineDimExpr(d, getContext()) * getSteps()[d] + before);
  return AffineMap::get(indices.size(), 0, indices, getContext());
}

LogicalResult PadOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                  SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(1, Value());
  if (needed[0] && resultGradients[0])
    operandGradients[0] = buildMap(builder, getLoc(), resultGradients[0], getPlacement(), typeOf(getInput()),
                                   [](const Scalars &, ValueRange in) { return in[0]; });
  return success();
}

//===----------------------------------------------------------------------===//
// Matmul and embedding
//===----------------------------------------------------------------------===//

/// With op(A) m x k and op(B) k x n: d op(A) = dC op(B)^T and d op(B) = op(A)^T dC. Each gradient is stored
/// as its operand is, transposed or not.
LogicalResult MatmulOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                     SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(getNumOperands(), Value());
  Value dC = resultGradients[0];
  if (!dC)
    return success();
  if (getOnto())
    operandGradients[2] = dC;
  Value a = getA(), b = getB();
  // An f32 sum of products of narrow operands has narrow gradients.
  if (Type narrow = typeOf(a).getElementType(); narrow == typeOf(b).getElementType())
    dC = buildCast(builder, getLoc(), dC, narrow);
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

/// `gradient`, set to 0 for look-ups of the row of padding.
static Value withoutPadding(EmbeddingOp op, int64_t padding, OpBuilder &builder, Value gradient) {
  const unsigned loops = typeOf(gradient).getRank();
  return buildMap(builder, op.getLoc(), {gradient, op.getIndices()},
                  {identityMap(op.getContext(), loops), leadingMap(op.getContext(), loops, loops - 1)},
                  typeOf(gradient), [&](const Scalars &s, ValueRange in) {
                    Value wide = s.widen(in[0]);
                    Value isPadding = s.compare(arith::CmpIPredicate::eq, in[1],
                                                s.like(in[1], static_cast<double>(padding)));
                    return s.select(isPadding, s.like(wide, 0), wide);
                  });
}

LogicalResult EmbeddingOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                        SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(getNumOperands(), Value());
  if (getOnto())
    operandGradients[2] = resultGradients[0];
  if (!needed[0] || !resultGradients[0])
    return success();
  Value rows = resultGradients[0];
  if (auto padding = (*this)->getAttrOfType<IntegerAttr>(kPadding))
    rows = withoutPadding(*this, padding.getInt(), builder, rows);
  // Rows are summed in the compute type of bodies, and the sum is rounded once.
  Type element = typeOf(getTable()).getElementType();
  Value sum =
      EmbeddingGradOp::create(builder, getLoc(), withElement(getTable().getType(), computeType(element)),
                              rows, getIndices(), getFirstAttr());
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

/// The gradient of a scale over rows: the sum of gradient * normalised input.
static Value buildRowScale(RmsNormOp op, OpBuilder &builder, Value gradient) {
  unsigned loops = typeOf(op.getInput()).getRank();
  AffineMap element = identityMap(op.getContext(), loops),
            row = leadingMap(op.getContext(), loops, loops - 1);
  SmallVector<int64_t> rows = llvm::to_vector(llvm::seq<int64_t>(0, loops - 1));
  Type narrow = typeOf(op.getScale()).getElementType();
  Value sum = buildReduce(builder, op.getLoc(), Combine::Sum, rows, {gradient, op.getInput(), op.getRstd()},
                          {element, element, row}, withElement(op.getScale().getType(), computeType(narrow)),
                          [](const Scalars &s, ValueRange in) {
                            Value incoming = s.widen(in[0]);
                            return s.mul(incoming, s.mul(s.widen(in[1]), in[2]));
                          });
  return buildCast(builder, op.getLoc(), sum, narrow);
}

LogicalResult RmsNormOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                      SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(2, Value());
  if (failed(refuseAuxiliary(*this, resultGradients, 1, "rstd")))
    return failure();
  Value gradient = resultGradients[0];
  if (needed[0] && gradient)
    operandGradients[0] = RmsNormGradOp::create(builder, getLoc(), getInput().getType(), gradient, getInput(),
                                                getScale(), getRstd());
  if (needed[1] && gradient)
    operandGradients[1] = buildRowScale(*this, builder, gradient);
  return success();
}

/// The sum of a gradient over the dimensions along which a mask is repeated.
static Value buildMaskGradient(OpBuilder &builder, Location loc, Value gradient, Value mask) {
  SmallVector<int64_t> repeated, kept;
  for (auto [dim, extent] : llvm::enumerate(typeOf(mask).getShape())) {
    if (extent != typeOf(gradient).getDimSize(dim))
      repeated.push_back(dim);
    else
      kept.push_back(extent);
  }
  Type narrow = typeOf(mask).getElementType();
  if (repeated.empty())
    return buildCast(builder, loc, gradient, narrow);
  Value sum = buildReduce(builder, loc, Combine::Sum, repeated, gradient,
                          identityMap(builder.getContext(), typeOf(gradient).getRank()),
                          tensorType(kept, computeType(narrow)),
                          [](const Scalars &s, ValueRange in) { return s.widen(in[0]); });
  return buildCast(builder, loc, buildReshape(builder, loc, sum, typeOf(mask).getShape()), narrow);
}

/// With y the result and g its gradient: y * (g - sum of g * y over the row), times scale for the input.
/// Masked elements have y = 0.
LogicalResult SoftmaxOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                      SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(getNumOperands(), Value()); // none of the base: no probability depends on it
  if (failed(refuseAuxiliary(*this, resultGradients, 1, "lse")))
    return failure();
  if (!resultGradients[0])
    return success();
  unsigned loops = typeOf(getInput()).getRank();
  AffineMap element = identityMap(getContext(), loops), row = leadingMap(getContext(), loops, loops - 1);
  Value dot = buildReduce(builder, getLoc(), Combine::Sum, {loops - 1}, {resultGradients[0], getResult()},
                          {element, element}, typeOf(getLse()), [](const Scalars &s, ValueRange in) {
                            Value wide = s.widen(in[0]);
                            return s.mul(wide, s.widen(in[1]));
                          });
  auto centred = [&](double scale) {
    return buildMap(builder, getLoc(), {resultGradients[0], getResult(), dot}, {element, element, row},
                    typeOf(getInput()), [&](const Scalars &s, ValueRange in) {
                      Value probability = s.widen(in[1]);
                      Value gradient = s.mul(probability, s.sub(s.widen(in[0]), in[2]));
                      return s.mul(gradient, s.like(gradient, scale));
                    });
  };
  if (needed[0])
    operandGradients[0] = centred(getScale().convertToDouble());
  if (getMask() && needed[1])
    operandGradients[1] = buildMaskGradient(builder, getLoc(), centred(1), getMask());
  return success();
}

/// The gradient of logits that are part of a row, so that the log-sum-exp has a gradient h, too: softmax * (g
/// + h) - onehot(label) * g, with g = 0 for rows with an ignored label.
static Value buildPartialCrossEntropy(CrossEntropyOp op, OpBuilder &builder, Value ofLosses, Value ofLse) {
  auto ignored = static_cast<double>(static_cast<int64_t>(op.getIgnoreIndex()));
  unsigned loops = typeOf(op.getLogits()).getRank();
  AffineMap element = identityMap(op.getContext(), loops),
            row = leadingMap(op.getContext(), loops, loops - 1);
  SmallVector<Value> inputs{op.getLogits(), op.getLabels(), op.getLse(), ofLse};
  SmallVector<AffineMap> maps{element, row, row, row};
  if (ofLosses) {
    inputs.push_back(ofLosses);
    maps.push_back(row);
  }
  return buildMap(
      builder, op.getLoc(), inputs, maps, typeOf(op.getLogits()), [&](const Scalars &s, ValueRange in) {
        Value probability = s.exp(s.sub(s.widen(in[0]), in[2]));
        if (!ofLosses)
          return s.mul(probability, in[3]);
        Value zero = s.like(in[4], 0.0), label = in[1];
        Value isIgnored = s.compare(arith::CmpIPredicate::eq, label, s.constant(label.getType(), ignored));
        Value isLabel = s.compare(arith::CmpIPredicate::eq, s.index(loops - 1, label.getType()), label);
        Value loss = s.select(isIgnored, zero, in[4]);
        Value outgoing = s.mul(probability, s.add(loss, in[3]));
        return s.sub(outgoing, s.select(isLabel, loss, zero));
      });
}

LogicalResult CrossEntropyOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients,
                                           ArrayRef<bool> needed, SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(2, Value());
  if (!needed[0])
    return success();
  if (resultGradients[1]) {
    if (!getSmoothing().isZero())
      return emitOpError("no gradient flows through its 'lse' where labels are smoothed");
    operandGradients[0] = buildPartialCrossEntropy(*this, builder, resultGradients[0], resultGradients[1]);
    return success();
  }
  if (resultGradients[0])
    operandGradients[0] =
        CrossEntropyGradOp::create(builder, getLoc(), getLogits().getType(), resultGradients[0], getLogits(),
                                   getLabels(), getLse(), getIgnoreIndexAttr(), getSmoothingAttr());
  return success();
}

LogicalResult AttentionOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                        SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(getNumOperands(), Value());
  if (failed(refuseAuxiliary(*this, resultGradients, 1, "lse")))
    return failure();
  if (!resultGradients[0])
    return success();
  SmallVector<Type> types(getInputs().getTypes());
  if (getMask() && needed[getInputs().size()]) // the mask follows the inputs among the operands
    types.push_back(getMask().getType());
  auto gradients = AttentionGradOp::create(builder, getLoc(), types, resultGradients[0], getResult(),
                                           getLse(), getInputs(), getMask(), getRandom(), getBatchAttr(),
                                           getHeadsAttr(), getKvHeadsAttr(), getCausalAttr(), getWindowAttr(),
                                           getScaleAttr(), getDropoutAttr(), getSiteAttr());
  if (Attribute within = (*this)->getAttr(kWithin))
    gradients->setAttr(kWithin, within);
  for (auto [i, gradient] : llvm::enumerate(gradients.getResults()))
    if (needed[i])
      operandGradients[i] = gradient;
  return success();
}
