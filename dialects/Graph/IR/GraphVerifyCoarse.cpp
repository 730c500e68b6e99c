// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the coarse ops: matmul, embedding, normalisation, softmax, attention, cross-entropy.

#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/decompositions/GraphDropout.h"

using namespace mlir;
using namespace windlass::graph;

/// Verifies the shape of the value called `name`.
static LogicalResult verifyShape(Operation *op, StringRef name, Value value, ArrayRef<int64_t> shape) {
  if (typeOf(value).getShape() == shape)
    return success();
  return op->emitOpError() << "'" << name << "' must have shape [" << shape << "], but is "
                           << value.getType();
}

/// Verifies that the value called `name` has this shape and float elements of at most 32 bits, as auxiliary
/// results are f32.
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

/// Verifies that `onto`, to which the op adds, has the type of the result.
static LogicalResult verifyOnto(Operation *op, Value onto) {
  if (!onto || onto.getType() == op->getResult(0).getType())
    return success();
  return op->emitOpError("'onto' must have the result's type ")
         << op->getResult(0).getType() << ", but is " << onto.getType();
}

static LogicalResult verifyFirst(Operation *op, std::optional<uint64_t> first) {
  if (!first || static_cast<int64_t>(*first) >= 0)
    return success();
  return op->emitOpError("begins at a row of its table, not at ") << static_cast<int64_t>(*first);
}

/// The extents of all dimensions of `value` but the last.
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
  if (failed(verifyFloat(*this, "a", getA(), a)) || failed(verifyFloat(*this, "b", getB(), b)) ||
      failed(verifyOnto(*this, getOnto())))
    return failure();
  return verifyFloat(*this, "result", getResult(), shape);
}

LogicalResult EmbeddingOp::verify() {
  if (typeOf(getTable()).getRank() != 2)
    return emitOpError("'table' must have 2 dimensions, but is ") << getTable().getType();
  if (Attribute padding = (*this)->getAttr(kPadding)) {
    auto row = dyn_cast<IntegerAttr>(padding);
    const auto first = static_cast<int64_t>(getFirst().value_or(0));
    if (!row || row.getInt() < first || row.getInt() >= first + typeOf(getTable()).getDimSize(0))
      return emitOpError("'graph.padding' must be a row of the table, but is ") << padding;
  }
  SmallVector<int64_t> shape(typeOf(getIndices()).getShape());
  if (failed(verifyIntegers(*this, "indices", getIndices(), shape)) ||
      failed(verifyFirst(*this, getFirst())) || failed(verifyOnto(*this, getOnto())))
    return failure();
  shape.push_back(typeOf(getTable()).getDimSize(1));
  return verifyFloat(*this, "result", getResult(), shape);
}

LogicalResult EmbeddingGradOp::verify() {
  if (failed(verifyRank(*this, "gradient", getGradient(), 1)) ||
      failed(verifyIntegers(*this, "indices", getIndices(), rowsOf(getGradient()))) ||
      failed(verifyFirst(*this, getFirst())))
    return failure();
  if (typeOf(getResult()).getRank() != 2)
    return emitOpError("'result' must have 2 dimensions, but is ") << getType();
  return verifyFloat(*this, "result", getResult(),
                     {typeOf(getResult()).getDimSize(0), typeOf(getGradient()).getShape().back()});
}

//===----------------------------------------------------------------------===//
// Row by row
//===----------------------------------------------------------------------===//

using Named = std::pair<StringRef, Value>;

/// Verifies a normalisation of the rows of `input`: the values of `whole` have the shape of `input`, those of
/// `row` the shape of one row, and `statistics` have one element per row.
static LogicalResult verifyNorm(Operation *op, Value input, ArrayRef<Named> whole, ArrayRef<Named> row,
                                ArrayRef<Named> statistics) {
  if (failed(verifyRank(op, "input", input, 1)))
    return failure();
  ArrayRef<int64_t> shape = typeOf(input).getShape();
  auto haveShape = [op](ArrayRef<Named> values, ArrayRef<int64_t> wanted) {
    return llvm::all_of(values, [&](const Named &value) {
      return succeeded(verifyFloat(op, value.first, value.second, wanted));
    });
  };
  return success(haveShape({{"input", input}}, shape) && haveShape(whole, shape) &&
                 haveShape(row, shape.take_back()) && llvm::all_of(statistics, [&](const Named &value) {
                   return succeeded(verifyAuxiliary(op, value.first, value.second, shape.drop_back()));
                 }));
}

static LogicalResult verifyEpsilon(Operation *op, const APFloat &epsilon) {
  if (epsilon.convertToDouble() <= 0)
    return op->emitOpError("epsilon must be positive, but is ") << epsilon.convertToDouble();
  return success();
}

LogicalResult LayerNormOp::verify() {
  if (failed(verifyEpsilon(*this, getEpsilon())))
    return failure();
  return verifyNorm(*this, getInput(), {{"result", getResult()}},
                    {{"scale", getScale()}, {"shift", getShift()}},
                    {{"mean", getMean()}, {"rstd", getRstd()}});
}

LogicalResult LayerNormGradOp::verify() {
  return verifyNorm(*this, getInput(), {{"gradient", getGradient()}, {"result", getResult()}},
                    {{"scale", getScale()}}, {{"mean", getMean()}, {"rstd", getRstd()}});
}

LogicalResult RmsNormOp::verify() {
  if (failed(verifyEpsilon(*this, getEpsilon())))
    return failure();
  return verifyNorm(*this, getInput(), {{"result", getResult()}}, {{"scale", getScale()}},
                    {{"rstd", getRstd()}});
}

LogicalResult RmsNormGradOp::verify() {
  return verifyNorm(*this, getInput(), {{"gradient", getGradient()}, {"result", getResult()}},
                    {{"scale", getScale()}}, {{"rstd", getRstd()}});
}

/// Verifies that a mask has the rank of the scores, and that each extent is that of the scores or 1.
static LogicalResult verifyMask(Operation *op, Value mask, ArrayRef<int64_t> scores) {
  if (!mask)
    return success();
  ArrayRef<int64_t> shape = typeOf(mask).getShape();
  bool fits = shape.size() == scores.size() && hasFloatElements(mask);
  for (size_t dim = 0; fits && dim < shape.size(); ++dim)
    fits = shape[dim] == scores[dim] || shape[dim] == 1;
  if (fits)
    return success();
  return op->emitOpError("'mask' must have float elements and extents of [")
         << scores << "] or 1, but is " << mask.getType();
}

static LogicalResult verifyWindow(Operation *op, std::optional<int64_t> window) {
  if (!window || *window >= 1)
    return success();
  return op->emitOpError("window must be at least 1, but is ") << *window;
}

static LogicalResult verifyBase(SoftmaxOp op, ArrayRef<int64_t> rows) {
  if (!op.getBase())
    return success();
  RankedTensorType type = typeOf(op.getBase());
  const bool fits = type.getElementType() == computeType(typeOf(op.getInput()).getElementType()) &&
                    type.getRank() == static_cast<int64_t>(rows.size()) &&
                    llvm::all_of(llvm::zip(type.getShape(), rows), [](auto extents) {
                      return std::get<0>(extents) == std::get<1>(extents) || std::get<0>(extents) == 1;
                    });
  if (fits)
    return success();
  return op.emitOpError("'base' must have numbers that bodies compute in and extents of [")
         << rows << "] or 1, but is " << type;
}

LogicalResult SoftmaxOp::verify() {
  if (failed(verifyRank(*this, "input", getInput(), getCausal() || getWindow() ? 2 : 1)) ||
      failed(verifyWindow(*this, getWindow())) ||
      failed(verifyMask(*this, getMask(), typeOf(getInput()).getShape())))
    return failure();
  ArrayRef<int64_t> shape = typeOf(getInput()).getShape();
  return success(succeeded(verifyFloat(*this, "input", getInput(), shape)) &&
                 succeeded(verifyFloat(*this, "result", getResult(), shape)) &&
                 succeeded(verifyBase(*this, shape.drop_back())) &&
                 succeeded(verifyAuxiliary(*this, "lse", getLse(), shape.drop_back())));
}

/// Verifies that label smoothing moves a share of at least 0 and less than 1.
static LogicalResult verifySmoothing(Operation *op, double smoothing) {
  if (smoothing >= 0 && smoothing < 1)
    return success();
  return op->emitOpError("smoothing must be in [0, 1), but is ") << smoothing;
}

LogicalResult CrossEntropyOp::verify() {
  if (failed(verifyRank(*this, "logits", getLogits(), 1)) ||
      failed(verifySmoothing(*this, getSmoothing().convertToDouble())))
    return failure();
  return success(succeeded(verifyFloat(*this, "logits", getLogits(), typeOf(getLogits()).getShape())) &&
                 succeeded(verifyIntegers(*this, "labels", getLabels(), rowsOf(getLogits()))) &&
                 succeeded(verifyAuxiliary(*this, "losses", getLosses(), rowsOf(getLogits()))) &&
                 succeeded(verifyAuxiliary(*this, "lse", getLse(), rowsOf(getLogits()))));
}

LogicalResult CrossEntropyGradOp::verify() {
  if (failed(verifyRank(*this, "logits", getLogits(), 1)) ||
      failed(verifySmoothing(*this, getSmoothing().convertToDouble())))
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

/// Verifies that `input` is (batch*tokens) x (heads*size). Returns tokens and size.
static FailureOr<std::pair<int64_t, int64_t>> verifyHeads(Operation *op, StringRef name, Value input,
                                                          int64_t batch, int64_t heads) {
  if (typeOf(input).getRank() != 2)
    return op->emitOpError() << "'" << name << "' must have 2 dimensions, but is " << input.getType();
  int64_t rows = typeOf(input).getDimSize(0), columns = typeOf(input).getDimSize(1);
  if (batch < 1 || rows % batch != 0)
    return op->emitOpError("batch must divide the ") << rows << " rows of '" << name << "', but is " << batch;
  if (heads < 1 || columns % heads != 0)
    return op->emitOpError() << "the heads must divide the " << columns << " columns of '" << name
                             << "', but are " << heads;
  if (failed(verifyFloat(op, name, input, {rows, columns})))
    return failure();
  return std::pair(rows / batch, columns / heads);
}

template <typename OpT> static LogicalResult verifyPacked(OpT op, Value output) {
  int64_t batch = op.getBatch(), heads = op.getHeads();
  if (op.getKvHeads())
    return op.emitOpError("kv_heads is for keys and values that stand apart from the queries");
  if (RankedTensorType qkv = typeOf(op.getInputs()[0]);
      heads < 1 || (qkv.getRank() == 2 && qkv.getDimSize(1) % (3 * heads) != 0))
    return op.emitOpError("three times heads must divide the ")
           << qkv.getShape().back() << " columns of 'qkv', but heads is " << heads;
  auto shape = verifyHeads(op, "qkv", op.getInputs()[0], batch, 3 * heads);
  if (failed(shape))
    return failure();
  auto [tokens, size] = *shape;
  return success(succeeded(verifyFloat(op, "output", output, {batch * tokens, heads * size})) &&
                 succeeded(verifyAuxiliary(op, "lse", op.getLse(), {batch, heads, tokens})) &&
                 succeeded(verifyMask(op, op.getMask(), {batch, heads, tokens, tokens})));
}

template <typename OpT> static LogicalResult verifyApart(OpT op, Value output) {
  int64_t batch = op.getBatch(), heads = op.getHeads(), kvHeads = op.getKvHeads().value_or(heads);
  if (kvHeads < 1 || heads % kvHeads != 0)
    return op.emitOpError("kv_heads must divide the ") << heads << " heads, but is " << kvHeads;
  auto query = verifyHeads(op, "q", op.getInputs()[0], batch, heads);
  auto key = verifyHeads(op, "k", op.getInputs()[1], batch, kvHeads);
  if (failed(query) || failed(key))
    return failure();
  if (query->second != key->second)
    return op.emitOpError("its heads must have one size, but it is ")
           << query->second << " for 'q' and " << key->second << " for 'k'";
  ArrayRef<int64_t> q = typeOf(op.getInputs()[0]).getShape(), k = typeOf(op.getInputs()[1]).getShape();
  return success(succeeded(verifyFloat(op, "v", op.getInputs()[2], k)) &&
                 succeeded(verifyFloat(op, "output", output, q)) &&
                 succeeded(verifyAuxiliary(op, "lse", op.getLse(), {batch, heads, query->first})) &&
                 succeeded(verifyMask(op, op.getMask(), {batch, heads, query->first, key->first})));
}

template <typename OpT> static LogicalResult verifyAttention(OpT op, Value output) {
  if (op.getInputs().size() != 1 && op.getInputs().size() != 3)
    return op.emitOpError("has one packed input or three, but has ") << op.getInputs().size();
  if (failed(verifyWindow(op, op.getWindow())) ||
      failed(verifyDropout(op, op.getDropout(), op.getRandom(), static_cast<int64_t>(op.getSite()))))
    return failure();
  return op.getInputs().size() == 1 ? verifyPacked(op, output) : verifyApart(op, output);
}

LogicalResult AttentionOp::verify() { return verifyAttention(*this, getResult()); }

LogicalResult AttentionGradOp::verify() {
  if (failed(verifyAttention(*this, getOutput())) ||
      failed(verifyFloat(*this, "gradient", getGradient(), typeOf(getOutput()).getShape())))
    return failure();
  SmallVector<Value> differentiated(getInputs());
  if (getMask() && hasMaskGradient())
    differentiated.push_back(getMask());
  if (getNumResults() != differentiated.size())
    return emitOpError("gives a gradient for each of its ")
           << getInputs().size() << " inputs, and for its mask where it has one, but has " << getNumResults()
           << " results";
  for (auto [input, result] : llvm::zip_equal(differentiated, getResults()))
    if (failed(verifyFloat(*this, "result", result, typeOf(input).getShape())))
      return failure();
  return success();
}
