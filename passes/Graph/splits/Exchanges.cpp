// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/splits/Exchanges.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphExchange.h"
#include "dialects/Graph/IR/GraphSplits.h"

using namespace mlir;

namespace windlass::graph {
namespace {

/// The dimension of ranks x periods x width that each rank has a part of.
constexpr int64_t kColumns = 2;

/// (i, j, k) as (j, i, k).
Value swapLeading(OpBuilder &builder, Location loc, Value tensor) {
  ArrayRef<int64_t> shape = typeOf(tensor).getShape();
  return buildMap(builder, loc, tensor, loopsMap(builder.getContext(), 3, {1, 0, 2}),
                  tensorType({shape[1], shape[0], shape[2]}, typeOf(tensor).getElementType()),
                  [](const Scalars &, ValueRange in) { return in[0]; });
}

/// The first `columns` columns of a matrix.
Value firstColumns(OpBuilder &builder, Location loc, Value matrix, int64_t columns) {
  RankedTensorType type = typeOf(matrix);
  if (type.getDimSize(1) == columns)
    return matrix;
  return buildMap(builder, loc, matrix, identityMap(builder.getContext(), 2),
                  tensorType({type.getDimSize(0), columns}, type.getElementType()),
                  [](const Scalars &, ValueRange in) { return in[0]; });
}

/// Notes on the reshape of `from`, if there is one, which dimensions are shared out.
void noteDimensions(Value reshaped, Value from, int64_t ofOperand, int64_t ofResult) {
  if (reshaped != from)
    setSplitDimensions(reshaped.getDefiningOp(), ofOperand, ofResult);
}

} // namespace

Value ExchangeBuilder::reduce(Value terms) const {
  return AllReduceOp::create(builder, loc, terms, builder.getStringAttr(kTensorAxis),
                             builder.getI64IntegerAttr(ranks));
}

Value ExchangeBuilder::vary(Value whole) const {
  return VaryOp::create(builder, loc, whole, builder.getStringAttr(kTensorAxis),
                        builder.getI64IntegerAttr(ranks));
}

Value ExchangeBuilder::stack(Value own) const {
  RankedTensorType type = typeOf(own);
  SmallVector<int64_t> one{1}, all{ranks};
  one.append(type.getShape().begin(), type.getShape().end());
  all.append(type.getShape().begin(), type.getShape().end());
  Value row = buildReshape(builder, loc, own, one);
  return AllGatherOp::create(builder, loc, tensorType(all, type.getElementType()), row,
                             builder.getStringAttr(kTensorAxis), builder.getI64IntegerAttr(ranks),
                             UnitAttr());
}

Value ExchangeBuilder::gather(Value part, const SplitForm &form, ArrayRef<int64_t> shape) const {
  const int64_t periods = llvm::product_of(shape) / form.period;
  Value rows = buildReshape(builder, loc, part, {periods, form.width});
  if (const std::optional<PeriodicPart> split = splitDimension(shape, form))
    noteDimensions(rows, part, split->of, kColumns - 1);
  Value all = stack(rows); // ranks x periods x width
  if (periods > 1)
    all = swapLeading(builder, loc, all);
  all = buildReshape(builder, loc, all, {periods, ranks * form.width});
  return buildReshape(builder, loc, firstColumns(builder, loc, all, form.period), shape);
}

Value ExchangeBuilder::cut(Value whole, const SplitForm &form) const {
  RankedTensorType type = typeOf(whole);
  const int64_t periods = type.getNumElements() / form.period;
  Value rows = buildReshape(builder, loc, whole, {periods, form.period});
  if (ranks * form.width != form.period)
    rows = PadOp::create(builder, loc, tensorType({periods, ranks * form.width}, type.getElementType()), rows,
                         builder.getDenseI64ArrayAttr({0, 0}), builder.getDenseI64ArrayAttr({1, 1}),
                         builder.getF64FloatAttr(0));
  Value parts = buildReshape(builder, loc, rows, {periods, ranks, form.width});
  if (periods > 1)
    parts = swapLeading(builder, loc, parts); // ranks x periods x width
  else
    parts = buildReshape(builder, loc, rows, {ranks, periods, form.width});
  Value own = OwnPartOp::create(builder, loc, tensorType({1, periods, form.width}, type.getElementType()),
                                parts, builder.getStringAttr(kTensorAxis), builder.getI64IntegerAttr(ranks));
  Value part = buildReshape(builder, loc, own, localShape(type.getShape(), form));
  if (const std::optional<PeriodicPart> split = splitDimension(type.getShape(), form))
    noteDimensions(part, own, kColumns, split->of);
  return part;
}

} // namespace windlass::graph
