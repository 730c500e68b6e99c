// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/lowering/KernelFrame.h"

#include "compiler/codegen/Storage.h"
#include "dialects/Graph/IR/GraphIndexing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace windlass::codegen {

KernelFrame::KernelFrame(func::FuncOp kernel, ModuleOp into)
    : builder(into.getBodyRegion()), loc(kernel.getLoc()), kernel(kernel) {
  SmallVector<Type> types;
  for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(), kernel.getResultTypes()))
    types.push_back(storageType(cast<RankedTensorType>(type)));
  types.append(2, builder.getIndexType());
  builder.setInsertionPointToEnd(into.getBody());
  function = func::FuncOp::create(builder, loc, kernel.getName(), builder.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  begin = entry->getArgument(types.size() - 2);
  end = entry->getArgument(types.size() - 1);
  builder.setInsertionPointToEnd(entry);
  func::ReturnOp::create(builder, loc);
  builder.setInsertionPointToStart(entry);
}

Value KernelFrame::argument(Value tensor) {
  return function.getArgument(cast<BlockArgument>(tensor).getArgNumber());
}

Value KernelFrame::result(unsigned number) { return function.getArgument(kernel.getNumArguments() + number); }

/// The range of the next loop: [begin, end) for the outermost, the whole extent for the others.
std::pair<Value, Value> KernelFrame::nextRange(int64_t extent) {
  if (rows.empty())
    return {begin, end};
  return {arith::ConstantIndexOp::create(builder, loc, 0),
          arith::ConstantIndexOp::create(builder, loc, extent)};
}

void KernelFrame::openRows(unsigned loop, int64_t extent) {
  auto [from, to] = nextRange(extent);
  auto nest = scf::ForOp::create(builder, loc, from, to, arith::ConstantIndexOp::create(builder, loc, 1));
  rows[loop] = nest.getInductionVar();
  builder.setInsertionPointToStart(nest.getBody());
}

void KernelFrame::openSequential(unsigned loop, int64_t extent) {
  Value from = arith::ConstantIndexOp::create(builder, loc, 0);
  Value to = arith::ConstantIndexOp::create(builder, loc, extent);
  auto nest = scf::ForOp::create(builder, loc, from, to, arith::ConstantIndexOp::create(builder, loc, 1));
  rows[loop] = nest.getInductionVar();
  builder.setInsertionPointToStart(nest.getBody());
}

std::pair<Value, Value> KernelFrame::openBands(unsigned loop, int64_t extent, int64_t bands) {
  Value from = arith::ConstantIndexOp::create(builder, loc, 0);
  Value to = arith::ConstantIndexOp::create(builder, loc, extent);
  Value most = arith::ConstantIndexOp::create(builder, loc, llvm::divideCeil(extent, bands));
  auto nest = scf::ForOp::create(builder, loc, from, to, most);
  builder.setInsertionPointToStart(nest.getBody());
  Value first = nest.getInductionVar(), left = arith::SubIOp::create(builder, loc, to, first);
  Value count = arith::MinSIOp::create(builder, loc, left, most);
  Value last = arith::AddIOp::create(builder, loc, first, count);
  auto band = scf::ForOp::create(builder, loc, first, last, arith::ConstantIndexOp::create(builder, loc, 1));
  rows[loop] = band.getInductionVar();
  builder.setInsertionPointToStart(band.getBody());
  return {first, count};
}

void KernelFrame::closeLoop() { builder.setInsertionPointAfter(builder.getInsertionBlock()->getParentOp()); }

void KernelFrame::openStrips(unsigned loop, int64_t extent, int64_t width) {
  auto [from, to] = nextRange(extent);
  Value step = arith::ConstantIndexOp::create(builder, loc, width);
  auto nest = scf::ForOp::create(builder, loc, from, to, step);
  builder.setInsertionPointToStart(nest.getBody());
  Value left = arith::SubIOp::create(builder, loc, to, nest.getInductionVar());
  cut = Cut{loop, nest.getInductionVar(), arith::MinSIOp::create(builder, loc, left, step), width};
}

void KernelFrame::cutToRange(unsigned loop) {
  cut = Cut{loop, begin, arith::SubIOp::create(builder, loc, end, begin), 0};
}

void KernelFrame::openSingleRow() {
  Value any = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, begin, end);
  auto branch = scf::IfOp::create(builder, loc, any, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
}

void KernelFrame::openRowsWithin(unsigned loop, int64_t from, int64_t to) {
  Value start = arith::ConstantIndexOp::create(builder, loc, from);
  Value first = arith::MaxSIOp::create(builder, loc, begin, start);
  Value last = arith::MinSIOp::create(builder, loc, end, arith::ConstantIndexOp::create(builder, loc, to));
  auto nest = scf::ForOp::create(builder, loc, first, last, arith::ConstantIndexOp::create(builder, loc, 1));
  builder.setInsertionPointToStart(nest.getBody());
  rows[loop] = arith::SubIOp::create(builder, loc, nest.getInductionVar(), start);
}

void KernelFrame::enter(ArrayRef<std::optional<unsigned>> loops, ArrayRef<int64_t> loopExtents) {
  current.assign(loops.begin(), loops.end());
  extents.assign(loopExtents.begin(), loopExtents.end());
}

void KernelFrame::enter(ArrayRef<int64_t> loopExtents) {
  current.clear();
  for (unsigned loop = 0; loop < loopExtents.size(); ++loop)
    current.push_back(loop);
  extents.assign(loopExtents.begin(), loopExtents.end());
}

unsigned KernelFrame::innerLoop(unsigned loop) const {
  return llvm::count_if(ArrayRef(current).take_front(loop), [&](auto outer) { return !isRow(outer); });
}

/// The part of a slice in one dimension of its buffer.
struct KernelFrame::DimensionSlice {
  OpFoldResult offset, size;
  int64_t stride = 1;
  AffineExpr inner; ///< index in the slice, from inner loops; null: rows alone give the index
};

/// An index of row loops and constants alone.
OpFoldResult KernelFrame::offsetOf(AffineExpr known) {
  if (auto constant = dyn_cast<AffineConstantExpr>(known))
    return builder.getIndexAttr(constant.getValue());
  return graph::buildIndex(builder, loc, known, [&](unsigned loop) {
    return isCut(current[loop]) ? cut->offset : rows.lookup(*current[loop]);
  });
}

OpFoldResult KernelFrame::extentOf(unsigned loop) const {
  return isCut(current[loop]) ? OpFoldResult(cut->size)
                              : OpFoldResult(Builder(loc.getContext()).getIndexAttr(extents[loop]));
}

/// The slice of one index. With one inner loop it has a stride. With several it is a window: all elements
/// that the loops touch, indexed by their sum.
KernelFrame::DimensionSlice KernelFrame::sliceDimension(AffineExpr expr) {
  graph::LinearIndex index = *graph::linearIndex(expr);
  AffineExpr known = builder.getAffineConstantExpr(index.constant);
  SmallVector<graph::LinearIndex::Term> inner;
  for (auto term : index.terms) {
    if (!isRow(current[term.loop]))
      inner.push_back(term);
    if (isRow(current[term.loop]) || isCut(current[term.loop]))
      known = known + builder.getAffineDimExpr(term.loop) * term.factor;
  }
  DimensionSlice slice{offsetOf(known), builder.getIndexAttr(1), 1, AffineExpr()};
  if (inner.size() == 1) {
    slice.stride = inner[0].factor;
    slice.size = extentOf(inner[0].loop);
    slice.inner = builder.getAffineDimExpr(innerLoop(inner[0].loop));
  } else if (!inner.empty()) {
    AffineExpr last = builder.getAffineConstantExpr(1);
    slice.inner = builder.getAffineConstantExpr(0);
    bool isStatic = true;
    int64_t size = 1;
    for (auto term : inner) {
      isStatic &= !isCut(current[term.loop]);
      size += term.factor * (extents[term.loop] - 1);
      last = last + (builder.getAffineDimExpr(term.loop) - 1) * term.factor;
      slice.inner = slice.inner + builder.getAffineDimExpr(innerLoop(term.loop)) * term.factor;
    }
    slice.size = isStatic ? OpFoldResult(builder.getIndexAttr(size))
                          : OpFoldResult(graph::buildIndex(builder, loc, last, [&](unsigned loop) {
                              return getValueOrCreateConstantIndexOp(builder, loc, extentOf(loop));
                            }));
  }
  return slice;
}

/// The slice of a buffer. In a slice with strides, all dimensions of one element are dropped: MLIR identifies
/// dropped dimensions by their sizes, or else by strides equal to those of the buffer.
Slice KernelFrame::slice(Value buffer, AffineMap map) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> offsets, sizes, strides;
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> indices;
  SmallVector<DimensionSlice> dimensions =
      llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) { return sliceDimension(expr); });
  bool isStrided = llvm::any_of(dimensions, [](const DimensionSlice &d) { return d.stride != 1; });
  for (const DimensionSlice &dimension : dimensions) {
    offsets.push_back(dimension.offset);
    sizes.push_back(dimension.size);
    strides.push_back(builder.getIndexAttr(dimension.stride));
    if (!dimension.inner || (isStrided && getConstantIntValue(dimension.size) == 1))
      continue;
    shape.push_back(getConstantIntValue(dimension.size).value_or(ShapedType::kDynamic));
    indices.push_back(dimension.inner);
  }
  auto inner = AffineMap::get(innerLoop(current.size()), 0, indices, builder.getContext());
  auto sliceType = memref::SubViewOp::inferRankReducedResultType(shape, type, offsets, sizes, strides);
  return {memref::SubViewOp::create(builder, loc, sliceType, buffer, offsets, sizes, strides), inner};
}

Slice KernelFrame::shapeOfReduced() {
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> indices;
  for (auto [loop, place] : llvm::enumerate(current))
    if (!place) {
      shape.push_back(extents[loop]);
      indices.push_back(builder.getAffineDimExpr(innerLoop(loop)));
    }
  OpBuilder atEntry = OpBuilder::atBlockBegin(&function.front());
  Value unread = memref::AllocaOp::create(atEntry, loc, MemRefType::get(shape, builder.getI8Type()));
  return {unread, AffineMap::get(innerLoop(current.size()), 0, indices, builder.getContext())};
}

Value KernelFrame::rowTemporary(Type type) {
  SmallVector<int64_t> shape;
  if (cut)
    shape.push_back(cut->width);
  OpBuilder atEntry = OpBuilder::atBlockBegin(&function.front());
  return memref::AllocaOp::create(atEntry, loc, MemRefType::get(shape, type));
}

Slice KernelFrame::temporarySlice(Value temporary) {
  unsigned loops = innerLoop(current.size());
  if (!cut)
    return {temporary, AffineMap::get(loops, 0, builder.getContext())};
  unsigned loop = llvm::find(current, std::optional(cut->loop)) - current.begin();
  auto map = AffineMap::get(loops, 0, builder.getAffineDimExpr(innerLoop(loop)));
  SmallVector<OpFoldResult> offsets = {builder.getIndexAttr(0)}, sizes = {cut->size},
                            strides = {builder.getIndexAttr(1)};
  return {memref::SubViewOp::create(builder, loc, temporary, offsets, sizes, strides), map};
}

Value KernelFrame::loopIndex(OpBuilder &inside, unsigned loop) {
  if (isRow(current[loop]))
    return rows.lookup(*current[loop]);
  Value index = linalg::IndexOp::create(inside, loc, innerLoop(loop));
  return isCut(current[loop]) ? arith::AddIOp::create(inside, loc, index, cut->offset).getResult() : index;
}

void KernelFrame::generic(ArrayRef<Slice> inputs, ArrayRef<Slice> outputs, Body body) {
  SmallVector<Value> ins, outs;
  SmallVector<AffineMap> maps;
  SmallVector<utils::IteratorType> iterators;
  for (const Slice &input : inputs)
    ins.push_back(input.buffer), maps.push_back(input.map);
  for (const Slice &output : outputs)
    outs.push_back(output.buffer), maps.push_back(output.map);
  for (std::optional<unsigned> loop : current)
    if (!isRow(loop))
      iterators.push_back(loop ? utils::IteratorType::parallel : utils::IteratorType::reduction);
  linalg::GenericOp::create(builder, loc, ins, outs, maps, iterators,
                            [&](OpBuilder &inside, Location, ValueRange arguments) {
                              linalg::YieldOp::create(inside, loc, body(inside, arguments));
                            });
}

void KernelFrame::fill(ArrayRef<Slice> outputs, llvm::function_ref<Value(OpBuilder &, Type)> value) {
  for (const Slice &output : outputs) {
    auto type = cast<MemRefType>(output.buffer.getType());
    SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
    SmallVector<AffineMap> maps = {builder.getMultiDimIdentityMap(type.getRank())};
    linalg::GenericOp::create(builder, loc, ValueRange(), output.buffer, maps, iterators,
                              [&](OpBuilder &inside, Location, ValueRange) {
                                linalg::YieldOp::create(inside, loc, value(inside, type.getElementType()));
                              });
  }
}

} // namespace windlass::codegen
