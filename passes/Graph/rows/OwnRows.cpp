// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/rows/OwnRows.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphExchange.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "passes/Graph/Attributes.h"

using namespace mlir;

namespace windlass::graph {
namespace {

SplitForm formOfRows(RankedTensorType whole, int64_t ranks) {
  return SplitForm::split(whole.getNumElements(), whole.getNumElements() / ranks);
}

/// The shape of the tensor as a matrix whose rows the ranks share out, since exchanges move blocks of
/// dimension 0.
SmallVector<int64_t> asRows(RankedTensorType whole, int64_t ranks) {
  ArrayRef<int64_t> shape = whole.getShape();
  std::optional<PeriodicPart> rows = splitDimension(shape, formOfRows(whole, ranks));
  if (shape.size() <= 2 && rows->of == 0)
    return SmallVector<int64_t>(shape);
  const int64_t count = llvm::product_of(shape.take_front(rows->of + 1));
  return {count, whole.getNumElements() / count};
}

SmallVector<int64_t> ofOneRank(SmallVector<int64_t> shape, int64_t ranks) {
  shape.front() /= ranks;
  return shape;
}

/// Whether a map reads a whole tensor, each index a plain loop.
bool readsPlainly(AffineMap map, ArrayRef<int64_t> extents, ArrayRef<int64_t> shape) {
  if (!map || !map.isProjectedPermutation())
    return false;
  return llvm::all_of(llvm::zip_equal(map.getResults(), shape), [&](auto read) {
    auto [loop, size] = read;
    return extents[cast<AffineDimExpr>(loop).getPosition()] == size;
  });
}

/// The way of a look-up: every rank has the table and the indices of its own rows.
std::optional<SplitWay> lookUpWay(EmbeddingOp op, int64_t ranks) {
  std::optional<SplitForm> indices = rowForm(op.getIndices(), ranks), result = rowForm(op.getResult(), ranks);
  if (op.getOnto() || op.getFirst() || !indices || !result)
    return std::nullopt;
  return SplitWay{"rows", {SplitForm::varied(), *indices}, {*result}};
}

std::optional<SplitWay> sumOfLookUpsWay(EmbeddingGradOp op, int64_t ranks) {
  std::optional<SplitForm> gradient = rowForm(op.getGradient(), ranks),
                           indices = rowForm(op.getIndices(), ranks);
  if (op.getFirst() || !gradient || !indices)
    return std::nullopt;
  return SplitWay{"rows", {*gradient, *indices}, {SplitForm::terms()}};
}

/// The way of a dropout, on a rank's rows. Elements are dropped by their place in the whole tensor.
std::optional<SplitWay> dropWay(DropoutOp op, int64_t ranks) {
  std::optional<SplitForm> form = rowForm(op.getInput(), ranks);
  ArrayRef<int64_t> shape = typeOf(op.getInput()).getShape();
  if (!form || splitDimension(shape, *form)->of + 1 == shape.size())
    return std::nullopt;
  return SplitWay{"rows", {*form}, {*form}};
}

std::optional<SplitWay> anyWay(Operation *op, unsigned operand, const SplitForm &form, int64_t ranks) {
  if (isa<MatmulOp>(op)) // a library blocks products by their shape, so that fewer rows could change bits
    return std::nullopt;
  if (isa<BatchNormOp>(
          op)) // with one example, rows are channels, and their running statistics are whole states
    return std::nullopt;
  if (auto embedding = dyn_cast<EmbeddingOp>(op))
    return lookUpWay(embedding, ranks);
  if (auto gradient = dyn_cast<EmbeddingGradOp>(op))
    return sumOfLookUpsWay(gradient, ranks);
  if (auto dropout = dyn_cast<DropoutOp>(op))
    return dropWay(dropout, ranks);
  return wayThatReads(op, operand, form, {.ranks = ranks, .isStep = false});
}

/// Whether an op reads each float operand whole and by plain indices. The adjoints of other reads are more
/// than sums.
bool readsFloatsPlainly(Operation *op) {
  auto space = dyn_cast<IterationSpaceOpInterface>(op);
  if (!space || isa<EmbeddingOp>(op))
    return true;
  const SmallVector<int64_t> extents = space.getIterationExtents();
  return llvm::all_of(llvm::zip_equal(op->getOperands(), space.getOperandMaps()), [&](auto read) {
    auto [operand, map] = read;
    return !hasFloatElements(operand) || readsPlainly(map, extents, typeOf(operand).getShape());
  });
}

} // namespace

std::optional<SplitForm> rowForm(Value whole, int64_t ranks) {
  RankedTensorType type = typeOf(whole);
  if (type.getRank() == 0 || type.getNumElements() % ranks != 0)
    return std::nullopt;
  const SplitForm form = formOfRows(type, ranks);
  std::optional<PeriodicPart> rows = splitDimension(type.getShape(), form);
  return rows && rows->width > 1 ? std::optional(form) : std::nullopt;
}

std::optional<SplitWay> rowWay(Operation *op, unsigned operand, int64_t ranks, RowUse use) {
  std::optional<SplitForm> form = rowForm(op->getOperand(operand), ranks);
  std::optional<SplitWay> way = form ? anyWay(op, operand, *form, ranks) : std::nullopt;
  if (!way || way->reads[operand] != *form || !readsFloatsPlainly(op))
    return std::nullopt;
  for (auto [read, value] : llvm::zip_equal(way->reads, op->getOperands()))
    if (read.isSplit() && read != rowForm(value, ranks))
      return std::nullopt;
  for (auto [made, value] : llvm::zip_equal(way->makes, op->getResults()))
    if (use == RowUse::Sum ? made != SplitForm::terms() : !made.isSplit() || made != rowForm(value, ranks))
      return std::nullopt;
  return way;
}

RankedTensorType rowsType(RankedTensorType whole, int64_t ranks) {
  return tensorType(localShape(whole.getShape(), formOfRows(whole, ranks)), whole.getElementType());
}

Value RowExchange::own(Value whole) const {
  RankedTensorType type = typeOf(whole);
  const SmallVector<int64_t> rows = asRows(type, ranks);
  Value own = OwnPartOp::create(builder, loc, tensorType(ofOneRank(rows, ranks), type.getElementType()),
                                buildReshape(builder, loc, whole, rows), builder.getStringAttr(kTensorAxis),
                                builder.getI64IntegerAttr(ranks));
  return buildReshape(builder, loc, own, rowsType(type, ranks).getShape());
}

Value RowExchange::gather(Value rows, RankedTensorType whole) const {
  const SmallVector<int64_t> matrix = asRows(whole, ranks);
  Value all =
      AllGatherOp::create(builder, loc, tensorType(matrix, whole.getElementType()),
                          buildReshape(builder, loc, rows, ofOneRank(matrix, ranks)),
                          builder.getStringAttr(kTensorAxis), builder.getI64IntegerAttr(ranks), UnitAttr());
  return buildReshape(builder, loc, all, whole.getShape());
}

Value RowExchange::gatherForParts(Value rows, RankedTensorType whole, bool areKept) const {
  Value all = gather(rows, whole);
  for (Operation *op = all.getDefiningOp();; op = op->getOperand(0).getDefiningOp()) {
    if (!areKept)
      op->setAttr(kRepeat, builder.getUnitAttr());
    if (auto gathered = dyn_cast<AllGatherOp>(op)) {
      gathered.setVaried(true);
      return all;
    }
  }
}

Value RowExchange::scatter(Value terms) const {
  RankedTensorType type = typeOf(terms);
  const SmallVector<int64_t> rows = asRows(type, ranks);
  Value own = ReduceScatterOp::create(builder, loc, tensorType(ofOneRank(rows, ranks), type.getElementType()),
                                      buildReshape(builder, loc, terms, rows),
                                      builder.getStringAttr(kTensorAxis), builder.getI64IntegerAttr(ranks));
  return buildReshape(builder, loc, own, rowsType(type, ranks).getShape());
}

} // namespace windlass::graph
