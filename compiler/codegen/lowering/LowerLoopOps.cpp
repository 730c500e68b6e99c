// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps and reductions: chooses their row loops, and builds the work of one row.

#include "compiler/codegen/Storage.h"
#include "compiler/codegen/lowering/ElementBody.h"
#include "compiler/codegen/lowering/LowerKernel.h"
#include "compiler/codegen/vectors/Vectorize.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

arith::AtomicRMWKind combinerOf(graph::ReduceOp reduce, Type type) {
  bool sum = reduce.getCombine() == graph::Combine::Sum;
  if (isa<FloatType>(type))
    return sum ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::maximumf;
  return sum ? arith::AtomicRMWKind::addi : arith::AtomicRMWKind::maxs;
}

Type elementOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

class LoopOpsLowering {
public:
  LoopOpsLowering(func::FuncOp kernel, KernelFrame &frame) : kernel(kernel), frame(frame) {}

  LogicalResult lower() {
    if (failed(collectReductions()) || failed(checkReductions()))
      return failure();
    openLoops();
    for (graph::ReduceOp reduce : reductions)
      if (failed(emitReduce(reduce)))
        return failure();
    return emitResults();
  }

private:
  InFlightDiagnostic error() { return kernel.emitError("kernel '") << kernel.getName() << "': "; }

  LogicalResult collectReductions() {
    for (Operation &op : kernel.front().without_terminator()) {
      if (auto reduce = dyn_cast<graph::ReduceOp>(op))
        reductions.push_back(reduce);
      else if (!isa<graph::MapOp>(op))
        return error() << "no code can be generated for '" << op.getName() << "'";
    }
    return success();
  }

  static unsigned loopsOf(graph::ReduceOp reduce) { return reduce.getMapValues().front().getNumDims(); }

  static bool reducesInnermost(graph::ReduceOp reduce) {
    return llvm::is_contained(reduce.getDims(), int64_t(loopsOf(reduce)) - 1);
  }

  static ArrayRef<int64_t> shapeOf(Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape();
  }

  /// Checks that all reductions of a kernel have results with the same rows.
  LogicalResult checkReductions() {
    for (graph::ReduceOp reduce : reductions)
      if (shapeOf(reduce.getResult(0)) != shapeOf(reductions.front().getResult(0)) ||
          reducesInnermost(reduce) != reducesInnermost(reductions.front()))
        return error() << "its reductions do not end in the same rows";
    return success();
  }

  /// Opens the row loops. A row has one value of every reduction, or is one iteration of all loops of a map
  /// but the innermost. For a reduction over outer loops, rows are strips of the innermost loop.
  void openLoops() {
    bool isMap = reductions.empty();
    auto shape =
        shapeOf(isMap ? kernel.front().getTerminator()->getOperand(0) : reductions.front().getResult(0));
    rowShape = shape;
    bool keepsInnermost = !shape.empty() && (isMap || !reducesInnermost(reductions.front()));
    unsigned rows = shape.size() - keepsInnermost;
    if (shape.empty())
      frame.openSingleRow();
    for (unsigned loop = 0; loop < rows; ++loop)
      frame.openRows(loop, shape[loop]);
    if (isMap && shape.size() == 1)
      frame.cutToRange(0);
    if (!isMap && keepsInnermost)
      frame.openStrips(rows, shape.back(), kColumns);
  }

  AffineMap identity(unsigned loops) { return AffineMap::getMultiDimIdentityMap(loops, kernel.getContext()); }

  AffineMap leading(unsigned loops, unsigned count) {
    SmallVector<unsigned> targets = llvm::to_vector(llvm::seq(0u, count));
    return AffineMap::getMultiDimMapWithTargets(loops, targets, kernel.getContext());
  }

  /// Slices of everything in `loaded`; results of reductions must be those of this row.
  LogicalResult sliceLoads(const LoadedElements &loaded, AffineMap ownRow, SmallVectorImpl<Slice> &slices) {
    for (const auto &entry : loaded) {
      auto [tensor, map] = entry.first;
      if (isa<BlockArgument>(tensor)) {
        slices.push_back(frame.slice(frame.argument(tensor), map));
        continue;
      }
      if (!temporaries.contains(tensor) || map != ownRow)
        return error() << "the result of a reduction is needed outside of its row";
      slices.push_back(frame.temporarySlice(temporaries.lookup(tensor)));
    }
    return success();
  }

  void bindLoads(OpBuilder &inside, ValueRange arguments, LoadedElements &loaded) {
    for (auto [entry, argument] : llvm::zip(loaded, arguments)) {
      Value tensor = entry.first.first;
      entry.second =
          isa<BlockArgument>(tensor) ? fromStorage(inside, frame.loc, argument, elementOf(tensor)) : argument;
    }
  }

  LogicalResult emitReduce(graph::ReduceOp reduce) {
    SmallVector<std::optional<unsigned>> loops;
    SmallVector<AffineExpr> kept;
    for (unsigned loop = 0; loop < loopsOf(reduce); ++loop) {
      bool isReduced = llvm::is_contained(reduce.getDims(), int64_t(loop));
      loops.push_back(isReduced ? std::nullopt : std::optional<unsigned>(kept.size()));
      if (!isReduced)
        kept.push_back(frame.builder.getAffineDimExpr(loop));
    }
    frame.enter(loops, graph::loopExtents(reduce));
    LoadedElements loaded;
    SmallVector<Slice> inputs;
    collectLoads(reduce, identity(loops.size()), loaded);
    if (failed(sliceLoads(loaded, AffineMap::get(loops.size(), 0, kept, kernel.getContext()), inputs)))
      return failure();
    if (reduce.getExtents())
      inputs.push_back(frame.shapeOfReduced());
    SmallVector<Slice> outputs = makeTemporaries(reduce);
    frame.generic(inputs, outputs, [&](OpBuilder &inside, ValueRange arguments) {
      bindLoads(inside, arguments, loaded);
      ElementBody body(inside, frame.module(), loaded,
                       [&](OpBuilder &b, unsigned loop) { return frame.loopIndex(b, loop); });
      SmallVector<Value> values = body.emitYielded(reduce, identity(loops.size())), combined;
      for (auto [value, total] : llvm::zip(values, arguments.take_back(outputs.size())))
        combined.push_back(
            arith::getReductionOp(combinerOf(reduce, total.getType()), inside, frame.loc, total, value));
      return combined;
    });
    return success();
  }

  /// The accumulators of a reduction, with neutral first values.
  SmallVector<Slice> makeTemporaries(graph::ReduceOp reduce) {
    SmallVector<Slice> slices;
    for (Value result : reduce.getResults())
      temporaries[result] = frame.rowTemporary(computeType(elementOf(result)));
    for (Value result : reduce.getResults())
      slices.push_back(frame.temporarySlice(temporaries[result]));
    frame.fill(slices, [&](OpBuilder &inside, Type type) -> Value {
      return arith::getIdentityValue(combinerOf(reduce, type), type, inside, frame.loc);
    });
    return slices;
  }

  /// Stores the results. Results with one value per row come last: the others may read what they overwrite.
  LogicalResult emitResults() {
    llvm::MapVector<ArrayRef<int64_t>, SmallVector<unsigned>> byShape;
    ValueRange results = kernel.front().getTerminator()->getOperands();
    for (auto [number, result] : llvm::enumerate(results))
      byShape[shapeOf(result)].push_back(number);
    auto groups = byShape.takeVector();
    llvm::stable_sort(groups, [](auto &a, auto &b) { return a.first.size() > b.first.size(); });
    for (auto &[shape, numbers] : groups)
      if (shape.size() < rowShape.size() || shape.take_front(rowShape.size()) != rowShape)
        return error() << "the dimensions of its results do not begin with those of its rows";
      else if (failed(emitGroup(numbers)))
        return failure();
    return success();
  }

  LogicalResult emitGroup(ArrayRef<unsigned> numbers);

  func::FuncOp kernel;
  KernelFrame &frame;
  SmallVector<graph::ReduceOp> reductions;
  ArrayRef<int64_t> rowShape; ///< of the reductions' results, or of the map's
  llvm::DenseMap<Value, Value> temporaries;
};

LogicalResult LoopOpsLowering::emitGroup(ArrayRef<unsigned> numbers) {
  ValueRange results = kernel.front().getTerminator()->getOperands();
  unsigned rank = shapeOf(results[numbers.front()]).size();
  frame.enter(shapeOf(results[numbers.front()]));
  LoadedElements loaded;
  SmallVector<Slice> inputs, outputs;
  for (unsigned number : numbers)
    collectLoads(Element{results[number], identity(rank)}, loaded);
  if (failed(sliceLoads(loaded, leading(rank, rowShape.size()), inputs)))
    return failure();
  for (unsigned number : numbers)
    outputs.push_back(frame.slice(frame.result(number), identity(rank)));
  frame.generic(inputs, outputs, [&](OpBuilder &inside, ValueRange arguments) {
    bindLoads(inside, arguments, loaded);
    ElementBody body(inside, frame.module(), loaded,
                     [&](OpBuilder &b, unsigned loop) { return frame.loopIndex(b, loop); });
    SmallVector<Value> stored;
    for (unsigned number : numbers) {
      Value value = body.emit({results[number], identity(rank)});
      stored.push_back(toStorage(inside, frame.loc, value, elementOf(results[number])));
    }
    return stored;
  });
  return success();
}

} // namespace

LogicalResult lowerLoopOps(func::FuncOp kernel, KernelFrame &frame) {
  return LoopOpsLowering(kernel, frame).lower();
}

} // namespace windlass::codegen
