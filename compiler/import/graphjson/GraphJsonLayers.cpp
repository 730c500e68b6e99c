// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that layers are made of, where the graph has a coarse op: products, tables, norms, losses.

#include "compiler/import/graphjson/GraphJsonOp.h"
#include "dialects/Graph/IR/GraphAttributes.h"
#include "runtime/base/Units.h"

using namespace mlir;
using namespace windlass::graph;

namespace windlass {
namespace {

Values buildEmbeddingOp(GraphJsonOp &op) {
  if (!op.needMatrix(0) || !op.needIntegers(1) || !op.needBelow(1, op.dim(0, 0), "rows of the table") ||
      !op.needAtLeast(1, 0))
    return {};
  Shape shape(op.shape(1));
  shape.push_back(op.dim(0, 1));
  auto lookup = EmbeddingOp::create(op.builder, op.loc, tensorType(shape, op.type(0).getElementType()),
                                    op.in[0], op.in[1]);
  if (op.place.has("padding"))
    lookup->setAttr(kPadding,
                    op.builder.getI64IntegerAttr(op.place.at("padding").integer(0, op.dim(0, 0) - 1)));
  return {lookup.getResult()};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `tensor`, a batch of matrices, broadcast to the leading dimensions `batch`.
Value broadcastBatch(GraphJsonOp &op, Value tensor, ArrayRef<int64_t> batch) {
  Shape shape(batch);
  llvm::append_range(shape, typeOf(tensor).getShape().take_back(2));
  if (typeOf(tensor).getShape() == ArrayRef(shape))
    return tensor;
  AffineMap map = *broadcastMap(op.context(), shape, typeOf(tensor).getShape());
  return buildMap(op.builder, op.loc, tensor, map, tensorType(shape, typeOf(tensor).getElementType()),
                  [](const Scalars &, ValueRange x) { return x[0]; });
}

/// A product of many matrices with one matrix, as a product of all their rows, without a batch.
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
  if (!op.need(batch.has_value(), 1, "must have leading dimensions that broadcast with " + formatShape(a)))
    return {};
  Shape result = *batch;
  result.append({ta ? a.back() : a[a.size() - 2], tb ? b[b.size() - 2] : b.back()});
  if (b.size() == 2 && a.size() > 2 && !ta)
    return {multiplyRows(op, tb, result)};
  Value left = broadcastBatch(op, op.in[0], *batch), right = broadcastBatch(op, op.in[1], *batch);
  return {MatmulOp::create(op.builder, op.loc, tensorType(result, op.f32()), left, right, ta, tb)};
}

//===----------------------------------------------------------------------===//
// Normalisation, softmax, losses
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

Values buildRmsNorm(GraphJsonOp &op) {
  double epsilon = op.place.at("eps").number(1e-30, 1);
  if (!op.place.isOk() || !op.needFloats(0) || !op.needRank(0, 1) || !op.needVector(1, op.last(0)))
    return {};
  RankedTensorType row = tensorType(op.shape(0).drop_back(), op.f32());
  return {RmsNormOp::create(op.builder, op.loc, op.type(0), row, op.in[0], op.in[1], llvm::APFloat(epsilon))
              .getResult()};
}

Values buildBatchNorm(GraphJsonOp &op) {
  constexpr double kMomentum = 0.1;
  double epsilon = op.place.at("eps").number(1e-30, 1), momentum = op.number("momentum", kMomentum, 0, 1);
  bool unbiased = op.flag("unbiased");
  if (!op.place.isOk() || !op.needFloats(0) || !op.needRank(0, 2))
    return {};
  for (size_t i = 1; i < op.in.size(); ++i)
    if (!op.needVector(i, op.dim(0, 1)))
      return {};
  auto norm = BatchNormOp::create(op.builder, op.loc, op.type(0), op.type(3), op.type(4), op.in[0], op.in[1],
                                  op.in[2], op.in[3], op.in[4], /*share=*/Value(), llvm::APFloat(epsilon),
                                  llvm::APFloat(momentum), unbiased);
  return {norm.getResult()};
}

/// The order of dimensions with `dim` last, and the others in order.
SmallVector<unsigned> lastOrder(unsigned rank, unsigned dim) {
  SmallVector<unsigned> order;
  for (unsigned d = 0; d < rank; ++d)
    if (d != dim)
      order.push_back(d);
  order.push_back(dim);
  return order;
}

/// The inverse of lastOrder.
SmallVector<unsigned> backOrder(unsigned rank, unsigned dim) {
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, rank - 1));
  order.insert(order.begin() + dim, rank - 1);
  return order;
}

Values buildSoftmax(GraphJsonOp &op) {
  if (!op.needFloats(0) || !op.needRank(0, 1))
    return {};
  unsigned rank = op.rank(0);
  auto dim = static_cast<unsigned>(op.axis("dim", 0, rank - 1));
  if (!op.place.isOk())
    return {};
  bool isLast = dim + 1 == rank;
  Value rows = isLast ? op.in[0] : buildTranspose(op.builder, op.loc, op.in[0], lastOrder(rank, dim));
  RankedTensorType lse = tensorType(typeOf(rows).getShape().drop_back(), op.f32());
  Value result = SoftmaxOp::create(op.builder, op.loc, rows.getType(), lse, rows, Value(), Value(),
                                   op.builder.getF64FloatAttr(1), UnitAttr(), IntegerAttr())
                     .getResult();
  return {isLast ? result : buildTranspose(op.builder, op.loc, result, backOrder(rank, dim))};
}

/// x - max - log(sum(exp(x - max))), in reductions and maps: their adjoints need no op of their own.
Values buildLogSoftmax(GraphJsonOp &op) {
  if (!op.needFloats(0) || !op.needRank(0, 1))
    return {};
  unsigned rank = op.rank(0);
  int64_t dim = op.axis("dim", 0, rank - 1);
  if (!op.place.isOk())
    return {};
  AffineMap element = identityMap(op.context(), rank);
  SmallVector<unsigned> kept = lastOrder(rank, dim);
  kept.pop_back();
  AffineMap row = loopsMap(op.context(), rank, kept);
  Shape left(op.shape(0));
  left.erase(left.begin() + dim);
  RankedTensorType rows = tensorType(left, op.f32());
  Value max = buildReduce(op.builder, op.loc, Combine::Max, {dim}, op.in[0], element, rows,
                          [](const Scalars &, ValueRange x) { return x[0]; });
  Value sum = buildReduce(op.builder, op.loc, Combine::Sum, {dim}, {op.in[0], max}, {element, row}, rows,
                          [](const Scalars &s, ValueRange x) { return s.exp(s.sub(x[0], x[1])); });
  return {buildMap(op.builder, op.loc, {op.in[0], max, sum}, {element, row, row}, op.type(0),
                   [](const Scalars &s, ValueRange x) {
                     Value shifted = s.sub(x[0], x[1]);
                     return s.sub(shifted, s.log(x[2]));
                   })};
}

//===----------------------------------------------------------------------===//
// Look-ups by indices of the data
//===----------------------------------------------------------------------===//

/// Indices of which negative ones count from the end, as indices from the start.
Value fromStart(GraphJsonOp &op, Value indices, int64_t extent) {
  return buildElementwise(op.builder, op.loc, indices, typeOf(indices), [&](const Scalars &s, ValueRange x) {
    Value wrapped = arith::AddIOp::create(s.builder, s.loc, x[0], s.like(x[0], static_cast<double>(extent)));
    return s.select(s.compare(arith::CmpIPredicate::slt, x[0], s.like(x[0], 0)), wrapped, x[0]);
  });
}

/// Whether no index is known to lie outside of dimension `dim` of x. Negative ones count from its end.
bool needInside(GraphJsonOp &op, int64_t dim) {
  const int64_t extent = op.dim(0, dim);
  return op.needBelow(1, extent, "elements of dimension " + std::to_string(dim)) &&
         op.needAtLeast(1, -extent);
}

/// A gather as a look-up in a table: dimension `dim` of x becomes its rows, all other dimensions its columns.
Values buildGather(GraphJsonOp &op) {
  if (!op.needFloats(0) || !op.needRank(0, 1) || !op.needIntegers(1))
    return {};
  unsigned rank = op.rank(0);
  auto dim = static_cast<unsigned>(op.axis("dim", 0, 0));
  if (!op.place.isOk() || !needInside(op, dim))
    return {};
  SmallVector<unsigned> toFront{dim};
  Shape columns;
  for (unsigned d = 0; d < rank; ++d)
    if (d != dim) {
      toFront.push_back(d);
      columns.push_back(op.dim(0, d));
    }
  int64_t rows = op.dim(0, dim), width = llvm::product_of(columns);
  Value table = dim == 0 ? op.in[0] : buildTranspose(op.builder, op.loc, op.in[0], toFront);
  table = buildReshape(op.builder, op.loc, table, {rows, width});
  Shape shape(op.shape(1));
  shape.push_back(width);
  Value result = EmbeddingOp::create(op.builder, op.loc, tensorType(shape, op.f32()), table,
                                     fromStart(op, op.in[1], rows));
  shape.pop_back();
  size_t indices = shape.size();
  llvm::append_range(shape, columns);
  result = buildReshape(op.builder, op.loc, result, shape);
  SmallVector<unsigned> order;
  for (unsigned d = 0; d < dim; ++d)
    order.push_back(indices + d);
  for (unsigned d = 0; d < indices; ++d)
    order.push_back(d);
  for (unsigned d = dim; d < columns.size(); ++d)
    order.push_back(indices + d);
  return {dim == 0 ? result : buildTranspose(op.builder, op.loc, result, order)};
}

/// The number of each element that a gather by elements takes, in the row-major order of x; -1, which is no
/// element, for an index outside of its dimension.
Value numbersOfElements(GraphJsonOp &op, int64_t dim) {
  const int64_t extent = op.dim(0, dim);
  auto body = [&](const Scalars &s, ValueRange x) -> Value {
    Value sum, zero = s.like(x[0], 0), end = s.like(x[0], static_cast<double>(extent));
    int64_t stride = 1;
    for (int64_t d = op.rank(0); d-- > 0; stride *= op.dim(0, d)) {
      Value index = d == dim ? x[0] : s.index(d, op.i32());
      Value term = arith::MulIOp::create(s.builder, s.loc, index, s.like(x[0], static_cast<double>(stride)));
      sum = sum ? arith::AddIOp::create(s.builder, s.loc, sum, term).getResult() : term;
    }
    Value isFrom = s.compare(arith::CmpIPredicate::sge, x[0], zero);
    Value isBelow = s.compare(arith::CmpIPredicate::slt, x[0], end);
    Value isInside = arith::AndIOp::create(s.builder, s.loc, isFrom, isBelow);
    return s.select(isInside, sum, s.like(x[0], -1));
  };
  return buildElementwise(op.builder, op.loc, fromStart(op, op.in[1], extent), op.type(1), body);
}

/// z[i, j, ..] = x[i, indices[i, j, ..], ..], as a look-up in a table of one column, with an element per row.
Values buildGatherElements(GraphJsonOp &op) {
  if (!op.needFloats(0) || !op.needRank(0, 1) || !op.needIntegers(1) ||
      !op.need(op.rank(1) == op.rank(0), 1, "must have the dimensions of x"))
    return {};
  int64_t dim = op.axis("dim", 0, 0);
  for (int64_t d = 0; d < op.rank(0) && op.place.isOk(); ++d)
    op.need(d == dim || op.dim(1, d) <= op.dim(0, d), 1, "must lie inside x in its other dimensions");
  int64_t elements = op.type(0).getNumElements();
  if (!op.place.isOk() || !op.need(elements <= INT32_MAX, 0, "must have at most 2^31 - 1 elements") ||
      !needInside(op, dim))
    return {};
  Value table = buildReshape(op.builder, op.loc, op.in[0], {elements, 1});
  Shape shape(op.shape(1));
  shape.push_back(1);
  Value result =
      EmbeddingOp::create(op.builder, op.loc, tensorType(shape, op.f32()), table, numbersOfElements(op, dim));
  return {buildReshape(op.builder, op.loc, result, op.shape(1))};
}

Values buildDropoutOp(GraphJsonOp &op) {
  double rate = op.dropoutRate("rate");
  if (!op.needFloats(0) || !op.needRank(0, 1) || rate == 0)
    return {op.in[0]};
  return {DropoutOp::create(op.builder, op.loc, op.in[0], op.builder.getF64FloatAttr(rate))};
}

Values buildDetach(GraphJsonOp &op) {
  if (!op.isFloat(0))
    return {op.in[0]};
  MapOp copy = buildElementwise(op.builder, op.loc, op.in[0], op.type(0), [](const Scalars &, ValueRange x) {
                 return x[0];
               }).getDefiningOp<MapOp>();
  copy->setAttr(kDetached, op.builder.getUnitAttr());
  return {copy.getResult(0)};
}

constexpr GraphJsonEntry kLayerOps[] = {
    {"embedding", "table, indices", "padding (none)",
     "rows of a table; the result has the shape of the indices, then that of a row; looking up the row "
     "padding gives it no gradient; indices outside of the table are refused where they are known, and give "
     "0, without a gradient, where the run computes them",
     buildEmbeddingOp},
    {"matmul", "a, b", "trans_a (false), trans_b (false)",
     "product of matrices, or of two transposed ones; leading dimensions broadcast", buildMatmul},
    {"layer_norm", "x, scale, shift", "eps", "normalises rows, then scales and shifts", buildLayerNorm},
    {"rms_norm", "x, scale", "eps", "divides rows by their root mean square, then scales", buildRmsNorm},
    {"dropout", "x", "rate",
     "in training a share rate of the elements is 0, and the others are divided by 1 - rate; otherwise x",
     buildDropoutOp},
    {"detach", "x", "", "x, through which no gradient flows", buildDetach},
    {"batch_norm", "x, scale, shift, mean, variance", "eps, momentum (0.1), unbiased (false)",
     "normalises each channel (dimension 1): in training with the statistics of the batch, otherwise with "
     "mean and variance, the running statistics, which are parameters of the group statistics",
     buildBatchNorm},
    {"softmax", "x", "dim (the last)", "exp(x) divided by its sum along a dimension", buildSoftmax},
    {"log_softmax", "x", "dim (the last)", "logarithm of softmax", buildLogSoftmax},
    {"gather", "x, indices", "dim (0)",
     "elements of x at indices in a dimension; the shape of the indices takes the place of the dimension; "
     "negative indices count from the end; indices outside as for embedding",
     buildGather},
    {"gather_elements", "x, indices", "dim (0)",
     "for each index the element of x that is at this index in a dimension and at the place of the index in "
     "the other dimensions; indices as for gather",
     buildGatherElements},
};

} // namespace

llvm::ArrayRef<GraphJsonEntry> layerOps() { return kLayerOps; }

} // namespace windlass
