// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that move rows: stack, pad, embedding and its gradient.

#include "compiler/codegen/Storage.h"
#include "compiler/codegen/lowering/LowerKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

AffineMap pick(MLIRContext *context, unsigned loops, ArrayRef<unsigned> picked) {
  return AffineMap::getMultiDimMapWithTargets(loops, picked, context);
}

SmallVector<unsigned> numbers(unsigned from, unsigned to) { return llvm::to_vector(llvm::seq(from, to)); }

void copy(KernelFrame &frame, Slice from, Slice to) {
  frame.generic(from, to, [](OpBuilder &, ValueRange arguments) { return SmallVector<Value>{arguments[0]}; });
}

/// An index, relative to a table that begins at row `first` of a longer one.
Value loadIndex(KernelFrame &frame, Value indices, ArrayRef<unsigned> loops, std::optional<uint64_t> first) {
  SmallVector<Value> where;
  for (unsigned loop : loops)
    where.push_back(frame.row(loop));
  Value index = memref::LoadOp::create(frame.builder, frame.loc, frame.argument(indices), where);
  index = arith::IndexCastOp::create(frame.builder, frame.loc, frame.builder.getIndexType(), index);
  if (int64_t before = static_cast<int64_t>(first.value_or(0)))
    index = arith::SubIOp::create(frame.builder, frame.loc, index,
                                  arith::ConstantIndexOp::create(frame.builder, frame.loc, before));
  return index;
}

/// sum + term, both in their storage types.
Value addStored(OpBuilder &builder, Location loc, Value sum, Type element, Value term, Type added) {
  sum = fromStorage(builder, loc, sum, element);
  Value total = arith::AddFOp::create(builder, loc, sum, fromStorage(builder, loc, term, added));
  total = roundTo(builder, loc, total, element);
  return toStorage(builder, loc, total, element);
}

/// A number in the storage type of `element`.
Value storedConstant(OpBuilder &builder, Location loc, const APFloat &number, Type element) {
  Type type = computeType(element);
  double value = number.convertToDouble();
  if (!isa<FloatType>(type))
    return toStorage(
        builder, loc,
        arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, static_cast<int64_t>(value))),
        element);
  Value constant = arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, value));
  return toStorage(builder, loc, roundTo(builder, loc, constant, element), element);
}

Value indexConstant(KernelFrame &frame, int64_t value) {
  return arith::ConstantIndexOp::create(frame.builder, frame.loc, value);
}

} // namespace

/// Copies every input to its range of the stacked loop.
void lowerStack(graph::StackOp op, KernelFrame &frame) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getResult().getType()).getShape();
  unsigned axis = op.getAxis(), rank = shape.size();
  if (axis != 0)
    frame.openRows(0, shape[0]);
  int64_t start = 0;
  for (auto [input, part] : llvm::zip_equal(op.getInputs(), op.getParts())) {
    OpBuilder::InsertionGuard guard(frame.builder);
    if (axis == 0)
      frame.openRowsWithin(0, start, start + part);
    else if (part == 1)
      frame.bindRow(axis, indexConstant(frame, 0));
    else
      frame.releaseRow(axis);
    SmallVector<int64_t> extents(shape);
    extents[axis] = part;
    frame.enter(extents);
    SmallVector<AffineExpr> place;
    for (unsigned loop = 0; loop < rank; ++loop)
      place.push_back(frame.builder.getAffineDimExpr(loop) + (loop == axis ? start : 0));
    copy(frame, frame.slice(frame.argument(input), op.getMap()),
         frame.slice(frame.result(0), AffineMap::get(rank, 0, place, op.getContext())));
    start += part;
  }
}

/// Fills a row of the result, then overwrites the places for which the input has elements.
void lowerPad(graph::PadOp op, KernelFrame &frame) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  ArrayRef<int64_t> shape = type.getShape(),
                    input = cast<RankedTensorType>(op.getInput().getType()).getShape();
  frame.openRows(0, shape[0]);
  frame.enter(shape);
  Value result = frame.result(0), row = frame.row(0);
  frame.fill(frame.slice(result, frame.builder.getMultiDimIdentityMap(shape.size())),
             [&](OpBuilder &inside, Type) {
               return storedConstant(inside, frame.loc, op.getValue(), type.getElementType());
             });
  Value step = indexConstant(frame, op.getSteps()[0]);
  Value distance =
      arith::SubIOp::create(frame.builder, frame.loc, row, indexConstant(frame, op.getBefore()[0]));
  // Unsigned, so that rows before the input's first are past its last.
  Value source = arith::DivUIOp::create(frame.builder, frame.loc, distance, step);
  Value rest = arith::RemUIOp::create(frame.builder, frame.loc, distance, step);
  Value isOfInput = arith::CmpIOp::create(frame.builder, frame.loc, arith::CmpIPredicate::ult, source,
                                          indexConstant(frame, input[0]));
  Value isOnStep = arith::CmpIOp::create(frame.builder, frame.loc, arith::CmpIPredicate::eq, rest,
                                         indexConstant(frame, 0));
  Value isInside = arith::AndIOp::create(frame.builder, frame.loc, isOfInput, isOnStep);
  auto branch = scf::IfOp::create(frame.builder, frame.loc, isInside, /*withElseRegion=*/false);
  frame.builder.setInsertionPointToStart(branch.thenBlock());
  frame.bindRow(0, source);
  frame.enter(input);
  copy(frame, frame.slice(frame.argument(op.getInput()), frame.builder.getMultiDimIdentityMap(input.size())),
       frame.slice(result, op.getPlacement()));
}

/// Computes each element: that of the input which is placed there, or the fill value.
void lowerPadByElement(graph::PadOp op, KernelFrame &frame) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  ArrayRef<int64_t> shape = type.getShape(),
                    input = cast<RankedTensorType>(op.getInput().getType()).getShape();
  for (unsigned loop = 0; loop + 1 < shape.size(); ++loop)
    frame.openRows(loop, shape[loop]);
  if (shape.size() == 1)
    frame.cutToRange(0);
  frame.enter(shape);
  Slice to = frame.slice(frame.result(0), frame.builder.getMultiDimIdentityMap(shape.size()));
  frame.generic({}, to, [&](OpBuilder &inside, ValueRange) -> SmallVector<Value> {
    Location loc = frame.loc;
    auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(inside, loc, value); };
    Value isInside = arith::ConstantIntOp::create(inside, loc, 1, 1), first = constant(0);
    SmallVector<Value> place;
    for (auto [loop, extent] : llvm::enumerate(input)) {
      Value index = frame.loopIndex(inside, loop), before = constant(op.getBefore()[loop]);
      Value distance = arith::SubIOp::create(inside, loc, index, before);
      Value step = constant(op.getSteps()[loop]),
            source = arith::DivUIOp::create(inside, loc, distance, step);
      Value rest = arith::RemUIOp::create(inside, loc, distance, step);
      // Unsigned, so that places before the input's first are past its last.
      Value isWithin =
          arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::ult, source, constant(extent));
      Value isOne = arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::eq, rest, first);
      isInside = arith::AndIOp::create(inside, loc, isInside, isWithin);
      isInside = arith::AndIOp::create(inside, loc, isInside, isOne);
      place.push_back(arith::SelectOp::create(inside, loc, isWithin, source, first));
    }
    Value there = memref::LoadOp::create(inside, loc, frame.argument(op.getInput()), place);
    Value filling = storedConstant(inside, loc, op.getValue(), type.getElementType());
    return {arith::SelectOp::create(inside, loc, isInside, there, filling)};
  });
}

/// Looks up rows. The training loop checks indices of inputs before a step; an index that the step computes
/// may be wrong. A row that the table lacks is 0, as a part of a table gives 0 for the rows of other parts:
/// the sum over all parts is the look-up in the whole table.
void lowerEmbedding(graph::EmbeddingOp op, KernelFrame &frame) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  unsigned rank = type.getRank(), tableRow = rank;
  for (unsigned loop = 0; loop + 1 < rank; ++loop)
    frame.openRows(loop, type.getDimSize(loop));
  int64_t rows = cast<RankedTensorType>(op.getTable().getType()).getDimSize(0);
  Value index = loadIndex(frame, op.getIndices(), numbers(0, rank - 1), op.getFirst());
  frame.enter(type.getShape());
  Slice whole = frame.slice(frame.result(0), frame.builder.getMultiDimIdentityMap(rank));
  if (Value onto = op.getOnto())
    copy(frame, frame.slice(frame.argument(onto), frame.builder.getMultiDimIdentityMap(rank)), whole);
  // Unsigned, so that rows before the table's first are past its last.
  Value isInside = arith::CmpIOp::create(frame.builder, frame.loc, arith::CmpIPredicate::ult, index,
                                         indexConstant(frame, rows));
  auto branch = scf::IfOp::create(frame.builder, frame.loc, isInside, /*withElseRegion=*/!op.getOnto());
  if (!op.getOnto()) {
    frame.builder.setInsertionPointToStart(branch.elseBlock());
    frame.fill(whole, [&](OpBuilder &inside, Type stored) -> Value {
      return arith::ConstantOp::create(inside, frame.loc, inside.getZeroAttr(stored));
    });
  }
  frame.builder.setInsertionPointToStart(branch.thenBlock());
  frame.bindRow(tableRow, index);
  SmallVector<int64_t> extents(type.getShape());
  extents.push_back(rows);
  frame.enter(extents);
  Slice from =
      frame.slice(frame.argument(op.getTable()), pick(op.getContext(), rank + 1, {tableRow, rank - 1}));
  Slice to = frame.slice(frame.result(0), pick(op.getContext(), rank + 1, numbers(0, rank)));
  if (!op.getOnto())
    return copy(frame, from, to);
  Type element = type.getElementType();
  frame.generic({to, from}, to, [&](OpBuilder &inside, ValueRange in) {
    return SmallVector<Value>{addStored(inside, frame.loc, in[0], element, in[1], element)};
  });
}

/// Loops: 0 the table's rows; 1 the columns, over [begin, end); then those of the indices. Each of `bands`
/// bands of the table's rows is computed by itself, from all indices.
static void lowerBands(graph::EmbeddingGradOp op, KernelFrame &frame, int64_t bands) {
  MLIRContext *context = op.getContext();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getIndices().getType()).getShape();
  unsigned loops = 2 + shape.size();
  frame.cutToRange(1);
  auto [first, rows] = frame.openBands(0, type.getDimSize(0), bands);
  frame.enter(type.getShape());
  frame.fill(frame.slice(frame.result(0), pick(context, 2, {0, 1})),
             [&](OpBuilder &inside, Type stored) -> Value {
               return arith::ConstantOp::create(inside, frame.loc, inside.getZeroAttr(stored));
             });
  frame.closeLoop();
  for (auto [position, extent] : llvm::enumerate(shape))
    frame.openSequential(2 + position, extent);
  Value index = loadIndex(frame, op.getIndices(), numbers(2, loops), op.getFirst());
  // Unsigned, so that rows before the band's first are past its last.
  Value inBand = arith::SubIOp::create(frame.builder, frame.loc, index, first);
  Value known = arith::CmpIOp::create(frame.builder, frame.loc, arith::CmpIPredicate::ult, inBand, rows);
  auto branch = scf::IfOp::create(frame.builder, frame.loc, known, /*withElseRegion=*/false);
  frame.builder.setInsertionPointToStart(branch.thenBlock());
  frame.bindRow(0, index);
  SmallVector<int64_t> extents(type.getShape());
  llvm::append_range(extents, shape);
  frame.enter(extents);
  SmallVector<unsigned> gradientLoops = numbers(2, loops);
  gradientLoops.push_back(1);
  Slice sum = frame.slice(frame.result(0), pick(context, loops, {0, 1}));
  Slice gradient = frame.slice(frame.argument(op.getGradient()), pick(context, loops, gradientLoops));
  frame.generic({sum, gradient}, sum, [&](OpBuilder &inside, ValueRange arguments) -> SmallVector<Value> {
    return {addStored(inside, frame.loc, arguments[0], type.getElementType(), arguments[1],
                      cast<RankedTensorType>(op.getGradient().getType()).getElementType())};
  });
}

void lowerEmbeddingGrad(graph::EmbeddingGradOp op, KernelFrame &frame) { lowerBands(op, frame, 1); }

/// As many bands as keep a device busy; otherwise its threads would wait for one row after another.
void lowerEmbeddingGradByBands(graph::EmbeddingGradOp op, KernelFrame &frame) {
  constexpr int64_t kBands = 256;
  lowerBands(op, frame, kBands);
}

} // namespace windlass::codegen
