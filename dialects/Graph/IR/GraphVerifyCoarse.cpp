// Verifiers of the coarse ops: matmul, embedding, normalisation, softmax, attention, cross-entropy.

#include "dialects/Graph/IR/GraphBuilders.h"

using namespace mlir;
using namespace windlass::graph;

/// The value called `name` has this shape.
static LogicalResult verifyShape(Operation *op, StringRef name, Value value, ArrayRef<int64_t> shape) {
  if (typeOf(value).getShape() == shape)
    return success();
  return op->emitOpError() << "'" << name << "' must have shape [" << shape << "], but is "
                           << value.getType();
}

/// The value called `name` has this shape and elements of float, at most 32 bits: auxiliaries are f32.
static LogicalResult verifyFloat(Operation *op, StringRef name, Value value, ArrayRef<int64_t> shape) {
  auto element = dyn_cast<FloatType>(typeOf(value).getElementType());
  if (!element || element.getWidth() > 32)
    return op->emitOpError() << "'" << name << "' must have float elements of at most 32 bits, but is "
                             << value.getType();
  return verifyShape(op, name, value, shape);
}

static LogicalResult verifyAuxiliary(Operation *op, StringRef name, Value value, ArrayRef<int64_t> shape) {
  if (!typeOf(value).getElementType().isF32())
    return op->emitOpError() << "'" << name << "' must have f32 elements, but is " << value.getType();
  return verifyShape(op, name, value, shape);
}

static LogicalResult verifyIntegers(Operation *op, StringRef name, Value value, ArrayRef<int64_t> shape) {
  if (!isa<IntegerType>(typeOf(value).getElementType()))
    return op->emitOpError() << "'" << name << "' must have integer elements, but is " << value.getType();
  return verifyShape(op, name, value, shape);
}

static LogicalResult verifyRank(Operation *op, StringRef name, Value value, int64_t least) {
  if (typeOf(value).getRank() < least)
    return op->emitOpError() << "'" << name << "' must have at least " << least << " dimensions, but is "
                             << value.getType();
  return success();
}

/// All dimensions but the last: the rows of `value`.
static ArrayRef<int64_t> rowsOf(Value value) { return typeOf(value).getShape().drop_back(); }

//===----------------------------------------------------------------------===//
// Matmul and embedding
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::verify() {
  if (failed(verifyRank(*this, "a", getA(), 2)))
    return failure();
  ArrayRef<int64_t> a = typeOf(getA()).getShape(), b = typeOf(getB()).getShape();
  if (a.size() != b.size() || a.drop_back(2) != b.drop_back(2))
    return emitOpError("its operands must have equal batch dimensions, but are ")
           << getA().getType() << " and " << getB().getType();
  auto [m, ka] = std::pair(a[a.size() - 2], a.back());
  auto [kb, n] = std::pair(b[b.size() - 2], b.back());
  if (getTransposeA())
    std::swap(m, ka);
  if (getTransposeB())
    std::swap(kb, n);
  if (ka != kb)
    return emitOpError("sums over k, which is ") << ka << " in a but " << kb << " in b";
  SmallVector<int64_t> shape(a.drop_back(2));
  shape.append({m, n});
  if (failed(verifyFloat(*this, "a", getA(), a)) || failed(verifyFloat(*this, "b", getB(), b)))
    return failure();
  return verifyFloat(*this, "result", getResult(), shape);
}

LogicalResult EmbeddingOp::verify() {
  if (typeOf(getTable()).getRank() != 2)
    return emitOpError("'table' must have 2 dimensions, but is ") << getTable().getType();
  SmallVector<int64_t> shape(typeOf(getIndices()).getShape());
  if (failed(verifyIntegers(*this, "indices", getIndices(), shape)))
    return failure();
  shape.push_back(typeOf(getTable()).getDimSize(1));
  return verifyFloat(*this, "result", getResult(), shape);
}

LogicalResult EmbeddingGradOp::verify() {
  if (failed(verifyRank(*this, "gradient", getGradient(), 1)) ||
      failed(verifyIntegers(*this, "indices", getIndices(), rowsOf(getGradient()))))
    return failure();
  if (typeOf(getResult()).getRank() != 2)
    return emitOpError("'result' must have 2 dimensions, but is ") << getType();
  return verifyFloat(*this, "result", getResult(),
                     {typeOf(getResult()).getDimSize(0), typeOf(getGradient()).getShape().back()});
}

//===----------------------------------------------------------------------===//
// Row by row
//===----------------------------------------------------------------------===//

LogicalResult LayerNormOp::verify() {
  if (failed(verifyRank(*this, "input", getInput(), 1)))
    return failure();
  ArrayRef<int64_t> shape = typeOf(getInput()).getShape();
  if (getEpsilon().convertToDouble() <= 0)
    return emitOpError("epsilon must be positive, but is ") << getEpsilon().convertToDouble();
  return success(succeeded(verifyFloat(*this, "input", getInput(), shape)) &&
                 succeeded(verifyFloat(*this, "scale", getScale(), shape.take_back())) &&
                 succeeded(verifyFloat(*this, "shift", getShift(), shape.take_back())) &&
                 succeeded(verifyFloat(*this, "result", getResult(), shape)) &&
                 succeeded(verifyAuxiliary(*this, "mean", getMean(), shape.drop_back())) &&
                 succeeded(verifyAuxiliary(*this, "rstd", getRstd(), shape.drop_back())));
}

LogicalResult LayerNormGradOp::verify() {
  if (failed(verifyRank(*this, "input", getInput(), 1)))
    return failure();
  ArrayRef<int64_t> shape = typeOf(getInput()).getShape();
  return success(succeeded(verifyFloat(*this, "input", getInput(), shape)) &&
                 succeeded(verifyFloat(*this, "gradient", getGradient(), shape)) &&
                 succeeded(verifyFloat(*this, "scale", getScale(), shape.take_back())) &&
                 succeeded(verifyAuxiliary(*this, "mean", getMean(), shape.drop_back())) &&
                 succeeded(verifyAuxiliary(*this, "rstd", getRstd(), shape.drop_back())) &&
                 succeeded(verifyFloat(*this, "result", getResult(), shape)));
}

LogicalResult SoftmaxOp::verify() {
  if (failed(verifyRank(*this, "input", getInput(), getCausal() ? 2 : 1)))
    return failure();
  ArrayRef<int64_t> shape = typeOf(getInput()).getShape();
  return success(succeeded(verifyFloat(*this, "input", getInput(), shape)) &&
                 succeeded(verifyFloat(*this, "result", getResult(), shape)) &&
                 succeeded(verifyAuxiliary(*this, "lse", getLse(), shape.drop_back())));
}

LogicalResult CrossEntropyOp::verify() {
  if (failed(verifyRank(*this, "logits", getLogits(), 1)))
    return failure();
  return success(succeeded(verifyFloat(*this, "logits", getLogits(), typeOf(getLogits()).getShape())) &&
                 succeeded(verifyIntegers(*this, "labels", getLabels(), rowsOf(getLogits()))) &&
                 succeeded(verifyAuxiliary(*this, "losses", getLosses(), rowsOf(getLogits()))) &&
                 succeeded(verifyAuxiliary(*this, "lse", getLse(), rowsOf(getLogits()))));
}

LogicalResult CrossEntropyGradOp::verify() {
  if (failed(verifyRank(*this, "logits", getLogits(), 1)))
    return failure();
  ArrayRef<int64_t> shape = typeOf(getLogits()).getShape();
  return success(succeeded(verifyFloat(*this, "logits", getLogits(), shape)) &&
                 succeeded(verifyAuxiliary(*this, "gradient", getGradient(), shape.drop_back())) &&
                 succeeded(verifyIntegers(*this, "labels", getLabels(), shape.drop_back())) &&
                 succeeded(verifyAuxiliary(*this, "lse", getLse(), shape.drop_back())) &&
                 succeeded(verifyFloat(*this, "result", getResult(), shape)));
}

LogicalResult GradNormOp::verify() {
  if (getGradients().empty())
    return emitOpError("must have a gradient");
  for (Value gradient : getGradients())
    if (failed(verifyFloat(*this, "gradients", gradient, typeOf(gradient).getShape())))
      return failure();
  return verifyFloat(*this, "norm", getNorm(), {});
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// `qkv` is (batch*sequence) x (3*heads*size), `output` a third as wide, `lse` batch x heads x sequence.
static LogicalResult verifyAttention(Operation *op, Value qkv, Value output, Value lse, int64_t batch,
                                     int64_t heads) {
  if (typeOf(qkv).getRank() != 2)
    return op->emitOpError("'qkv' must have 2 dimensions, but is ") << qkv.getType();
  int64_t rows = typeOf(qkv).getDimSize(0), columns = typeOf(qkv).getDimSize(1);
  if (batch < 1 || rows % batch != 0)
    return op->emitOpError("batch must divide the ") << rows << " rows of 'qkv', but is " << batch;
  if (heads < 1 || columns % (3 * heads) != 0)
    return op->emitOpError("three times heads must divide the ")
           << columns << " columns of 'qkv', but heads is " << heads;
  return success(succeeded(verifyFloat(op, "qkv", qkv, {rows, columns})) &&
                 succeeded(verifyFloat(op, "output", output, {rows, columns / 3})) &&
                 succeeded(verifyAuxiliary(op, "lse", lse, {batch, heads, rows / batch})));
}

LogicalResult AttentionOp::verify() {
  return verifyAttention(*this, getQkv(), getResult(), getLse(), getBatch(), getHeads());
}

LogicalResult AttentionGradOp::verify() {
  if (failed(verifyAttention(*this, getQkv(), getOutput(), getLse(), getBatch(), getHeads())))
    return failure();
  return success(succeeded(verifyFloat(*this, "gradient", getGradient(), typeOf(getOutput()).getShape())) &&
                 succeeded(verifyFloat(*this, "result", getResult(), typeOf(getQkv()).getShape())));
}
