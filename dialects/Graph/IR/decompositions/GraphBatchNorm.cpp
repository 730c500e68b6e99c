// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batch normalisation: verifier, loops, decomposition and adjoint.

#include "dialects/Graph/IR/GraphBuilders.h"

using namespace mlir;
using namespace windlass::graph;

namespace {

/// Builders over an image, whose loops are its dimensions. A vector of channels is read at the second loop.
struct Channels {
  OpBuilder &builder;
  Location loc;
  BatchNormOp op;

  RankedTensorType image() { return typeOf(op.getInput()); }
  AffineMap element() { return identityMap(builder.getContext(), image().getRank()); }
  AffineMap channel() { return loopsMap(builder.getContext(), image().getRank(), {1}); }
  RankedTensorType vector() { return typeOf(op.getMean()); }

  /// Sums over everything but the channels.
  ReduceOp sums(ValueRange inputs, ArrayRef<AffineMap> maps, unsigned count, BodyFn body) {
    SmallVector<int64_t> dims;
    for (int64_t dim = 0; dim < image().getRank(); ++dim)
      if (dim != 1)
        dims.push_back(dim);
    return buildReduce(builder, loc, Combine::Sum, dims, inputs, maps, SmallVector<Type>(count, vector()),
                       body);
  }
  Value vectorMap(ValueRange inputs, ScalarFn body) {
    return buildElementwise(builder, loc, inputs, vector(), body);
  }
  /// The sum divided by the number of elements of a channel.
  Value mean(Value sum) {
    return vectorMap(sum, [&](const Scalars &s, ValueRange in) {
      return s.div(in[0], s.like(in[0], static_cast<double>(op.getCount())));
    });
  }
  Value reciprocalDeviation(Value variance) {
    return vectorMap(variance, [&](const Scalars &s, ValueRange in) -> Value {
      Value shifted = s.add(in[0], s.like(in[0], op.getEpsilon().convertToDouble()));
      return math::RsqrtOp::create(s.builder, s.loc, shifted);
    });
  }
};

LogicalResult verifyElements(BatchNormOp op, StringRef name, Value value, ArrayRef<int64_t> shape,
                             bool isF32) {
  auto element = dyn_cast<FloatType>(typeOf(value).getElementType());
  if (element && element.getWidth() <= 32 && (!isF32 || element.isF32()) && typeOf(value).getShape() == shape)
    return success();
  return op.emitOpError() << "'" << name << "' must have shape [" << shape << "] and "
                          << (isF32 ? "f32 elements" : "float elements of at most 32 bits") << ", but is "
                          << value.getType();
}

} // namespace

int64_t BatchNormOp::getCount() {
  ArrayRef<int64_t> shape = typeOf(getInput()).getShape();
  return llvm::product_of(shape) / std::max<int64_t>(shape[1], 1);
}

bool BatchNormOp::isRunning(OpOperand &operand) {
  auto norm = dyn_cast<BatchNormOp>(operand.getOwner());
  return norm && (&operand == &norm.getMeanMutable() || &operand == &norm.getVarianceMutable());
}

LogicalResult BatchNormOp::verify() {
  if (typeOf(getInput()).getRank() < 2)
    return emitOpError("'input' must have batch and channels, but is ") << getInput().getType();
  double epsilon = getEpsilon().convertToDouble(), momentum = getMomentum().convertToDouble();
  if (epsilon <= 0)
    return emitOpError("epsilon must be positive, but is ") << epsilon;
  if (momentum < 0 || momentum > 1)
    return emitOpError("momentum must be from 0 to 1, but is ") << momentum;
  if (isTraining() && getCount() < 2)
    return emitOpError("a channel must have two elements or more to be normalised in training, has ")
           << getCount();
  if (Value share = getShare())
    if (typeOf(share).getRank() != 0 || !typeOf(share).getElementType().isF32())
      return emitOpError("'share' must be one f32, but is ") << share.getType();
  ArrayRef<int64_t> image = typeOf(getInput()).getShape(), channels = image.slice(1, 1);
  for (auto [name, value] : {std::pair("input", getInput()), std::pair("result", getResult())})
    if (failed(verifyElements(*this, name, value, image, false)))
      return failure();
  for (auto [name, value] : {std::pair("scale", getScale()), std::pair("shift", getShift())})
    if (failed(verifyElements(*this, name, value, channels, false)))
      return failure();
  for (auto [name, value] :
       {std::pair("mean", getMean()), std::pair("variance", getVariance()),
        std::pair("used_mean", getUsedMean()), std::pair("used_variance", getUsedVariance())})
    if (failed(verifyElements(*this, name, value, channels, true)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Loops: one over the channels; all elements of a channel are one loop of kind Whole
//===----------------------------------------------------------------------===//

SmallVector<int64_t> BatchNormOp::getIterationExtents() {
  ArrayRef<int64_t> shape = typeOf(getInput()).getShape();
  SmallVector<int64_t> extents{shape[1], shape[0]};
  llvm::append_range(extents, shape.drop_front(2));
  return extents;
}

SmallVector<LoopKind> BatchNormOp::getLoopKinds() {
  SmallVector<LoopKind> kinds(typeOf(getInput()).getRank(), LoopKind::Whole);
  kinds[0] = LoopKind::Parallel;
  return kinds;
}

static AffineMap imageMap(BatchNormOp op) {
  unsigned rank = typeOf(op.getInput()).getRank();
  SmallVector<unsigned> dims = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  std::swap(dims[0], dims[1]);
  return loopsMap(op.getContext(), rank, dims);
}

static AffineMap channelMap(BatchNormOp op) {
  return loopsMap(op.getContext(), typeOf(op.getInput()).getRank(), {0});
}

SmallVector<AffineMap> BatchNormOp::getOperandMaps() {
  SmallVector<AffineMap> maps(5, channelMap(*this));
  maps[0] = imageMap(*this);
  if (isTraining())
    maps.push_back(leadingMap(getContext(), typeOf(getInput()).getRank(), 0));
  return maps;
}

SmallVector<AffineMap> BatchNormOp::getResultMaps() {
  return {imageMap(*this), channelMap(*this), channelMap(*this)};
}

double BatchNormOp::getFlops() {
  constexpr double kPerElement = 8;
  return kPerElement * static_cast<double>(typeOf(getInput()).getNumElements());
}

//===----------------------------------------------------------------------===//
// Decomposition
//===----------------------------------------------------------------------===//

bool BatchNormOp::isOneKernel() { return false; }

SmallVector<Value> BatchNormOp::decompose(OpBuilder &builder) {
  Channels channels{builder, getLoc(), *this};
  AffineMap element = channels.element(), channel = channels.channel();
  Value mean = getMean(), variance = getVariance();
  if (isTraining()) {
    mean = channels.mean(
        channels
            .sums(getInput(), element, 1,
                  [](const Scalars &s, ValueRange in) -> SmallVector<Value> { return {s.widen(in[0])}; })
            .getResult(0));
    variance = channels.mean(channels
                                 .sums({getInput(), mean}, {element, channel}, 1,
                                       [](const Scalars &s, ValueRange in) -> SmallVector<Value> {
                                         Value centred = s.sub(s.widen(in[0]), in[1]);
                                         return {s.mul(centred, centred)};
                                       })
                                 .getResult(0));
  }
  Value result = buildMap(builder, getLoc(),
                          {getInput(), mean, channels.reciprocalDeviation(variance), getScale(), getShift()},
                          {element, channel, channel, channel, channel}, typeOf(getResult()),
                          [](const Scalars &s, ValueRange in) {
                            Value normal = s.mul(s.sub(s.widen(in[0]), in[1]), in[2]);
                            Value scaled = s.mul(normal, s.widen(in[3]));
                            return s.add(scaled, s.widen(in[4]));
                          });
  return {result, mean, variance};
}

//===----------------------------------------------------------------------===//
// Adjoint of the training form
//===----------------------------------------------------------------------===//

/// share * (statistic of this batch - running statistic). `isUnbiased`: the variance divides by one element
/// less.
static Value buildChange(Channels &channels, Value used, Value running, bool isUnbiased) {
  BatchNormOp op = channels.op;
  auto count = static_cast<double>(op.getCount());
  AffineMap element = identityMap(op.getContext(), 1), scalar = leadingMap(op.getContext(), 1, 0);
  return buildMap(channels.builder, channels.loc, {used, running, op.getShare()}, {element, element, scalar},
                  channels.vector(), [&](const Scalars &s, ValueRange in) {
                    Value own = in[0];
                    if (isUnbiased)
                      own = s.mul(own, s.like(own, count / (count - 1)));
                    return s.mul(in[2], s.sub(own, in[1]));
                  });
}

/// With n the normalised input and g the gradient: scale * rstd * (g - mean(g) - n * mean(n * g)).
LogicalResult BatchNormOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                        SmallVectorImpl<Value> &operandGradients) {
  operandGradients.assign(getNumOperands(), Value());
  if (resultGradients[1] || resultGradients[2])
    return emitOpError("no gradient flows through its auxiliary results");
  if (!isTraining())
    return emitOpError("has an adjoint in its training form only");
  Value gradient = resultGradients[0];
  if (!gradient)
    return success();
  Channels channels{builder, getLoc(), *this};
  AffineMap element = channels.element(), channel = channels.channel();
  Value rstd = channels.reciprocalDeviation(getUsedVariance());
  auto normal = [](const Scalars &s, ValueRange in) { return s.mul(s.sub(s.widen(in[1]), in[2]), in[3]); };
  SmallVector<Value> inputs{gradient, getInput(), getUsedMean(), rstd};
  SmallVector<AffineMap> maps{element, element, channel, channel};
  ReduceOp sums = channels.sums(inputs, maps, 2, [&](const Scalars &s, ValueRange in) -> SmallVector<Value> {
    Value each = s.widen(in[0]), wide = s.widen(in[0]);
    return {each, s.mul(wide, normal(s, in))};
  });
  if (needed[0]) {
    inputs.append({getScale(), channels.mean(sums.getResult(0)), channels.mean(sums.getResult(1))});
    maps.append(3, channel);
    operandGradients[0] =
        buildMap(builder, getLoc(), inputs, maps, typeOf(getInput()), [&](const Scalars &s, ValueRange in) {
          Value centred = s.sub(s.widen(in[0]), in[5]);
          Value rest = s.sub(centred, s.mul(normal(s, in), in[6]));
          return s.mul(s.mul(s.widen(in[4]), in[3]), rest);
        });
  }
  operandGradients[1] = buildCast(builder, getLoc(), sums.getResult(1), typeOf(getScale()).getElementType());
  operandGradients[2] = buildCast(builder, getLoc(), sums.getResult(0), typeOf(getShift()).getElementType());
  operandGradients[3] = buildChange(channels, getUsedMean(), getMean(), false);
  operandGradients[4] = buildChange(channels, getUsedVariance(), getVariance(), getUnbiased());
  return success();
}
