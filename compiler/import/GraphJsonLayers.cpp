// Operations that layers are made of, where the graph has a coarse op: products, tables, norms, attention,
// losses.

#include "compiler/import/GraphJsonOp.h"

using namespace mlir;
using namespace windlass::graph;

namespace windlass {
namespace {

Values buildEmbeddingOp(GraphJsonOp &op) {
  if (!op.needMatrix(0) || !op.needIntegers(1))
    return {};
  Shape shape(op.shape(1));
  shape.push_back(op.dim(0, 1));
  return {EmbeddingOp::create(op.builder, op.loc, tensorType(shape, op.type(0).getElementType()), op.in[0],
                              op.in[1])};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `tensor`, a batch of matrices, with these leading dimensions.
Value broadcastBatch(GraphJsonOp &op, Value tensor, ArrayRef<int64_t> batch) {
  Shape shape(batch);
  llvm::append_range(shape, typeOf(tensor).getShape().take_back(2));
  if (typeOf(tensor).getShape() == ArrayRef(shape))
    return tensor;
  AffineMap map = *broadcastMap(op.context(), shape, typeOf(tensor).getShape());
  return buildMap(op.builder, op.loc, tensor, map, tensorType(shape, typeOf(tensor).getElementType()),
                  [](const Scalars &, ValueRange x) { return x[0]; });
}

/// Matrices times one matrix are rows times that matrix: no batch is needed.
Value multiplyRows(GraphJsonOp &op, bool transposeB, ArrayRef<int64_t> result) {
  int64_t k = op.last(0), rows = op.type(0).getNumElements() / k;
  Value a = buildReshape(op.builder, op.loc, op.in[0], {rows, k});
  Value product = MatmulOp::create(op.builder, op.loc, tensorType({rows, result.back()}, op.f32()), a,
                                   op.in[1], false, transposeB);
  return buildReshape(op.builder, op.loc, product, result);
}

Values buildMatmul(GraphJsonOp &op) {
  bool ta = op.flag("trans_a"), tb = op.flag("trans_b");
  if (!op.needFloats(0) || !op.needFloats(1) || !op.need(op.rank(0) >= 2, 0, "must be a matrix") ||
      !op.need(op.rank(1) >= 2, 1, "must be a matrix"))
    return {};
  ArrayRef<int64_t> a = op.shape(0), b = op.shape(1);
  int64_t k = ta ? a[a.size() - 2] : a.back();
  std::string rule = std::string("must have ") + std::to_string(k) + (tb ? " columns" : " rows");
  if (!op.need((tb ? b.back() : b[b.size() - 2]) == k, 1, rule))
    return {};
  std::optional<Shape> batch = broadcastShape(a.drop_back(2), b.drop_back(2));
  if (!op.need(batch.has_value(), 1, "must have leading dimensions that broadcast with " + describeShape(a)))
    return {};
  Shape result = *batch;
  result.append({ta ? a.back() : a[a.size() - 2], tb ? b[b.size() - 2] : b.back()});
  if (b.size() == 2 && a.size() > 2 && !ta)
    return {multiplyRows(op, tb, result)};
  Value left = broadcastBatch(op, op.in[0], *batch), right = broadcastBatch(op, op.in[1], *batch);
  return {MatmulOp::create(op.builder, op.loc, tensorType(result, op.f32()), left, right, ta, tb)};
}

//===----------------------------------------------------------------------===//
// Normalisation, attention, losses
//===----------------------------------------------------------------------===//

Values buildLayerNorm(GraphJsonOp &op) {
  double epsilon = op.place.at("eps").number(1e-30, 1);
  if (!op.place.isOk() || !op.needFloats(0) || !op.needRank(0, 1) || !op.needVector(1, op.last(0)) ||
      !op.needVector(2, op.last(0)))
    return {};
  RankedTensorType row = tensorType(op.shape(0).drop_back(), op.f32());
  return {LayerNormOp::create(op.builder, op.loc, op.type(0), row, row, op.in[0], op.in[1], op.in[2],
                              llvm::APFloat(epsilon))
              .getResult()};
}

Values buildAttention(GraphJsonOp &op) {
  int64_t batch = op.dims.size(op.place.at("batch")), heads = op.dims.size(op.place.at("heads"));
  bool causal = op.flag("causal");
  if (!op.place.isOk() || !op.needMatrix(0) ||
      !op.need(op.dim(0, 0) % batch == 0, 0, "must have a multiple of " + std::to_string(batch) + " rows") ||
      !op.need(op.dim(0, 1) % (3 * heads) == 0, 0, "must have 3 x heads x size columns"))
    return {};
  int64_t rows = op.dim(0, 0);
  RankedTensorType result = tensorType({rows, op.dim(0, 1) / 3}, op.type(0).getElementType());
  RankedTensorType lse = tensorType({batch, heads, rows / batch}, op.f32());
  return {AttentionOp::create(op.builder, op.loc, result, lse, op.in[0], batch, heads, causal).getResult()};
}

Values buildCrossEntropy(GraphJsonOp &op) {
  if (!op.needMatrix(0) || !op.needIntegers(1) ||
      !op.need(op.rank(1) == 1 && op.dim(1, 0) == op.dim(0, 0), 1,
               "must be a vector of " + std::to_string(op.dim(0, 0)) + " labels"))
    return {};
  RankedTensorType row = tensorType({op.dim(0, 0)}, op.f32());
  return {CrossEntropyOp::create(op.builder, op.loc, row, row, op.in[0], op.in[1]).getLosses()};
}

constexpr GraphJsonEntry kLayerOps[] = {
    {"embedding", "table, indices", "", "rows of a table: indices' shape, then a row", buildEmbeddingOp},
    {"matmul", "a, b", "trans_a (false), trans_b (false)",
     "product of matrices, or of two transposed ones; leading dimensions broadcast", buildMatmul},
    {"layer_norm", "x, scale, shift", "eps", "normalises rows, then scales and shifts", buildLayerNorm},
    {"attention", "qkv", "batch, heads, causal (false)",
     "self-attention; columns of qkv: queries, keys, values, each heads x size; batch sequences one below "
     "the other",
     buildAttention},
    {"cross_entropy", "logits, labels", "",
     "per row: minus the log-probability of its label; 0 for label -100", buildCrossEntropy},
};

} // namespace

llvm::ArrayRef<GraphJsonEntry> layerOps() { return kLayerOps; }

} // namespace windlass
