#include "compiler/codegen/KernelFrame.h"

#include "compiler/codegen/Storage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// [begin, end) for the outermost loop, all of it for the others.
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

void KernelFrame::enter(unsigned rank) {
  current.clear();
  for (unsigned loop = 0; loop < rank; ++loop)
    current.push_back(loop);
}

unsigned KernelFrame::innerLoop(unsigned loop) const {
  return llvm::count_if(ArrayRef(current).take_front(loop), [&](auto outer) { return !isRow(outer); });
}

Slice KernelFrame::slice(Value buffer, AffineMap map) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> offsets, sizes, strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> indices;
  for (auto [extent, expr] : llvm::zip(type.getShape(), map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    std::optional<unsigned> loop = dim ? current[dim.getPosition()] : std::nullopt;
    if (!dim || isRow(loop)) {
      offsets.push_back(dim ? OpFoldResult(rows.lookup(*loop))
                            : builder.getIndexAttr(cast<AffineConstantExpr>(expr).getValue()));
      sizes.push_back(builder.getIndexAttr(1));
      continue;
    }
    offsets.push_back(isCut(loop) ? OpFoldResult(cut->offset) : builder.getIndexAttr(0));
    sizes.push_back(isCut(loop) ? OpFoldResult(cut->size) : builder.getIndexAttr(extent));
    shape.push_back(isCut(loop) ? ShapedType::kDynamic : extent);
    indices.push_back(builder.getAffineDimExpr(innerLoop(dim.getPosition())));
  }
  auto inner = AffineMap::get(innerLoop(current.size()), 0, indices, builder.getContext());
  auto sliceType = memref::SubViewOp::inferRankReducedResultType(shape, type, offsets, sizes, strides);
  return {memref::SubViewOp::create(builder, loc, sliceType, buffer, offsets, sizes, strides), inner};
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
