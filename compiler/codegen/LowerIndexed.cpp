// Kernels that say where rows go rather than what is computed: stack, embedding and its gradient.

#include "compiler/codegen/LowerKernel.h"
#include "compiler/codegen/Storage.h"

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

Value loadIndex(KernelFrame &frame, Value indices, ArrayRef<unsigned> loops) {
  SmallVector<Value> where;
  for (unsigned loop : loops)
    where.push_back(frame.row(loop));
  Value index = memref::LoadOp::create(frame.builder, frame.loc, frame.argument(indices), where);
  return arith::IndexCastOp::create(frame.builder, frame.loc, frame.builder.getIndexType(), index);
}

Value indexConstant(KernelFrame &frame, int64_t value) {
  return arith::ConstantIndexOp::create(frame.builder, frame.loc, value);
}

} // namespace

void lowerStack(graph::StackOp op, KernelFrame &frame) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getResult().getType()).getShape();
  unsigned axis = op.getAxis(), rank = shape.size();
  if (axis != 0)
    frame.openRows(0, shape[0]);
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    OpBuilder::InsertionGuard guard(frame.builder);
    Value place = indexConstant(frame, number);
    if (axis == 0) {
      Value after =
          arith::CmpIOp::create(frame.builder, frame.loc, arith::CmpIPredicate::sge, place, frame.begin);
      Value before =
          arith::CmpIOp::create(frame.builder, frame.loc, arith::CmpIPredicate::slt, place, frame.end);
      Value inside = arith::AndIOp::create(frame.builder, frame.loc, after, before);
      auto branch = scf::IfOp::create(frame.builder, frame.loc, inside, /*withElseRegion=*/false);
      frame.builder.setInsertionPointToStart(branch.thenBlock());
    }
    frame.bindRow(axis, place);
    frame.enter(rank);
    copy(frame, frame.slice(frame.argument(input), op.getMap()),
         frame.slice(frame.result(0), frame.builder.getMultiDimIdentityMap(rank)));
  }
}

/// The training loop checks indices before a step; here a wrong one only must not touch other memory.
void lowerEmbedding(graph::EmbeddingOp op, KernelFrame &frame) {
  MLIRContext *context = op.getContext();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getResult().getType()).getShape();
  unsigned rank = shape.size(), tableRow = rank;
  for (unsigned loop = 0; loop + 1 < rank; ++loop)
    frame.openRows(loop, shape[loop]);
  int64_t rows = cast<RankedTensorType>(op.getTable().getType()).getDimSize(0);
  Value index = loadIndex(frame, op.getIndices(), numbers(0, rank - 1));
  Value least = arith::MaxSIOp::create(frame.builder, frame.loc, index, indexConstant(frame, 0));
  frame.bindRow(tableRow,
                arith::MinSIOp::create(frame.builder, frame.loc, least, indexConstant(frame, rows - 1)));
  frame.enter(rank + 1);
  copy(frame, frame.slice(frame.argument(op.getTable()), pick(context, rank + 1, {tableRow, rank - 1})),
       frame.slice(frame.result(0), pick(context, rank + 1, numbers(0, rank))));
}

/// Loops: 0 the table's rows, 1 the columns, of which [begin, end) are ours, then those of the indices.
void lowerEmbeddingGrad(graph::EmbeddingGradOp op, KernelFrame &frame) {
  MLIRContext *context = op.getContext();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getIndices().getType()).getShape();
  unsigned loops = 2 + shape.size();
  frame.cutToRange(1);
  frame.enter(2);
  frame.fill(frame.slice(frame.result(0), pick(context, 2, {0, 1})),
             [&](OpBuilder &inside, Type stored) -> Value {
               return arith::ConstantOp::create(inside, frame.loc, inside.getZeroAttr(stored));
             });
  for (auto [position, extent] : llvm::enumerate(shape))
    frame.openSequential(2 + position, extent);
  Value index = loadIndex(frame, op.getIndices(), numbers(2, loops));
  Value known = arith::CmpIOp::create(frame.builder, frame.loc, arith::CmpIPredicate::ult, index,
                                      indexConstant(frame, type.getDimSize(0)));
  auto branch = scf::IfOp::create(frame.builder, frame.loc, known, /*withElseRegion=*/false);
  frame.builder.setInsertionPointToStart(branch.thenBlock());
  frame.bindRow(0, index);
  frame.enter(loops);
  SmallVector<unsigned> gradientLoops = numbers(2, loops);
  gradientLoops.push_back(1);
  Slice sum = frame.slice(frame.result(0), pick(context, loops, {0, 1}));
  Slice gradient = frame.slice(frame.argument(op.getGradient()), pick(context, loops, gradientLoops));
  frame.generic({sum, gradient}, sum, [&](OpBuilder &inside, ValueRange arguments) -> SmallVector<Value> {
    Type element = type.getElementType();
    Type added = cast<RankedTensorType>(op.getGradient().getType()).getElementType();
    Value total =
        arith::AddFOp::create(inside, frame.loc, fromStorage(inside, frame.loc, arguments[0], element),
                              fromStorage(inside, frame.loc, arguments[1], added));
    if (element.isBF16())
      total = roundToBf16(inside, frame.loc, total);
    return {toStorage(inside, frame.loc, total, element)};
  });
}

} // namespace windlass::codegen
