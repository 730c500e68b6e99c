// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/DeviceFrame.h"

#include "dialects/Graph/IR/GraphDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;

namespace windlass::codegen {
namespace {

/// Numbers of two blocks of the random generator, which makes them by the four.
constexpr int64_t kMostElements = 8;

class MapSpreader {
public:
  explicit MapSpreader(func::FuncOp function)
      : function(function), builder(function.getBody()), loc(function.getLoc()) {}

  FailureOr<DeviceFrame> spread() {
    if (failed(checkEffects()) || failed(collectLoops()) || failed(collectGenerics()))
      return failure();
    frame.width = chooseWidth();
    builder.setInsertionPointToStart(&function.front());
    Value isActive = frame.isCut ? spreadRange() : spreadRows();
    if (failed(moveInto(isActive)))
      return failure();
    return frame;
  }

private:
  InFlightDiagnostic error() {
    return function.emitError("kernel '") << function.getName() << "': no device code is made of ";
  }

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value rangeBegin() { return function.getArgument(function.getNumArguments() - 2); }
  Value rangeEnd() { return function.getArgument(function.getNumArguments() - 1); }

  /// The rows: loops that stand one in the other, each alone among the loops of its block.
  LogicalResult collectLoops() {
    Block *block = &function.front();
    while (true) {
      auto nests = llvm::to_vector(block->getOps<scf::ForOp>());
      auto branches = llvm::to_vector(block->getOps<scf::IfOp>());
      if (nests.size() + branches.size() > 1 || (!branches.empty() && !rows.empty()))
        return error() << "several loops over rows";
      if (!branches.empty()) { // one row in all
        if (single || !asksForRange(branches.front()))
          return error() << "more than maps of rows yet";
        single = branches.front();
        block = single.thenBlock();
        continue;
      }
      if (nests.empty())
        return success();
      std::optional<int64_t> extent = getConstantIntValue(nests.front().getUpperBound());
      if (!rows.empty() && (!extent || getConstantIntValue(nests.front().getLowerBound()) != 0))
        return error() << "a loop over rows whose number is not known";
      if (rows.empty() &&
          (nests.front().getLowerBound() != rangeBegin() || nests.front().getUpperBound() != rangeEnd()))
        return error() << "a loop that is not over the range";
      extents.push_back(extent.value_or(0));
      rows.push_back(nests.front());
      block = rows.back().getBody();
    }
  }

  /// Branches of another kind than that of a kernel of one row would be taken by the wrong threads.
  bool asksForRange(scf::IfOp branch) {
    auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
    return compare && compare.getLhs() == rangeBegin() && compare.getRhs() == rangeEnd() &&
           branch.getElseRegion().empty();
  }

  /// Nothing but the generics may write: all threads of a row do what stands around them.
  LogicalResult checkEffects() {
    WalkResult walk = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<linalg::GenericOp>(op))
        return WalkResult::skip();
      const bool isFrame =
          isa<func::FuncOp, func::ReturnOp, scf::ForOp, scf::IfOp, scf::YieldOp, memref::LoadOp>(op);
      return isFrame || isMemoryEffectFree(op) ? WalkResult::advance() : WalkResult::interrupt();
    });
    return walk.wasInterrupted() ? error() << "more than maps of rows yet" : success();
  }

  static Value bufferOf(Value slice) {
    while (auto view = slice.getDefiningOp<memref::SubViewOp>())
      slice = view.getSource();
    return slice;
  }

  LogicalResult collectGenerics() {
    function.walk([&](linalg::GenericOp generic) { frame.generics.push_back(generic); });
    llvm::SmallDenseSet<Value> written;
    for (linalg::GenericOp generic : frame.generics) {
      SmallVector<int64_t> ranges = generic.getStaticLoopRanges();
      if (generic.getNumReductionLoops() != 0)
        return error() << "reductions yet";
      if (ranges.size() > 1)
        return error() << "more than maps of rows yet";
      const bool loops = !ranges.empty();
      const int64_t length = loops ? ranges.front() : 1;
      if (generic != frame.generics.front() && (loops != hasLoop || length != innermost))
        return error() << "results of several lengths";
      hasLoop = loops, innermost = length;
      // Another thread may have written it, or not yet.
      for (Value input : generic.getDpsInputs())
        if (written.contains(bufferOf(input)))
          return error() << "maps of what it made before";
      for (Value output : generic.getDpsInits())
        written.insert(bufferOf(output));
    }
    if (frame.generics.empty())
      return error() << "a function without a map";
    frame.isCut = rows.empty() && !single;
    if (innermost == 0 || llvm::is_contained(ArrayRef(extents).drop_front(extents.empty() ? 0 : 1), 0))
      return error() << "tensors without elements";
    return success();
  }

  /// As many elements as are 16 bytes of the widest, if all operands that a vector reads or writes are
  /// aligned so.
  int64_t chooseWidth() {
    int64_t widest = 1;
    bool hasRandom = false;
    for (linalg::GenericOp generic : frame.generics) {
      hasRandom |= !generic.getBody()->getOps<graph::RandomOp>().empty();
      if (computesInDouble(generic))
        widest = sizeof(double);
      for (OpOperand &operand : generic->getOpOperands())
        if (isAlongInnermost(generic, operand))
          widest = std::max<int64_t>(widest,
                                     cast<MemRefType>(operand.get().getType()).getElementTypeBitWidth() / 8);
    }
    const int64_t width = hasRandom ? kMostElements : std::min(kMostElements, kAccessBytes / widest);
    if (!hasLoop || (!frame.isCut && innermost % width != 0))
      return 1;
    for (linalg::GenericOp generic : frame.generics)
      for (OpOperand &operand : generic->getOpOperands())
        if (isAlongInnermost(generic, operand) && !beginsOnMultiple(operand.get(), width))
          return 1;
    return width;
  }

  /// Sines do whatever they are of (Trigonometry.h). Of these, four elements a thread leave no room for eight
  /// warps on some devices, whose assembler would rather spill.
  static bool computesInDouble(linalg::GenericOp generic) {
    return llvm::any_of(generic.getBody()->without_terminator(), [](Operation &op) {
      return isa<math::SinOp, math::CosOp>(op) ||
             llvm::is_contained(op.getResultTypes(), Float64Type::get(op.getContext()));
    });
  }

  static bool isAlongInnermost(linalg::GenericOp generic, OpOperand &operand) {
    return generic.getNumLoops() == 1 && generic.getMatchingIndexingMap(&operand).isFunctionOfDim(0);
  }

  /// True if a slice begins on a multiple of `width` elements of its buffer. Of what is cut to the range, the
  /// code asks.
  bool beginsOnMultiple(Value slice, int64_t width) {
    auto view = slice.getDefiningOp<memref::SubViewOp>();
    if (!view)
      return false;
    auto [strides, offset] = cast<MemRefType>(view.getSource().getType()).getStridesAndOffset();
    for (auto [stride, from] : llvm::zip(strides, view.getMixedOffsets())) {
      std::optional<int64_t> known = getConstantIntValue(from);
      const bool isRange = frame.isCut && !known && cast<Value>(from) == rangeBegin();
      if (!isRange && known.value_or(1) * stride % width != 0)
        return false;
    }
    return true;
  }

  Value threadNumber() {
    return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                        NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type()));
  }
  Value blockNumber() {
    return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                        NVVM::BlockIdXOp::create(builder, loc, builder.getI32Type()));
  }
  Value isLess(Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, a, b);
  }
  Value times(Value a, int64_t factor) { return arith::MulIOp::create(builder, loc, a, constant(factor)); }
  Value plus(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value quotient(Value a, int64_t by) { return arith::DivUIOp::create(builder, loc, a, constant(by)); }
  Value remainder(Value a, int64_t by) { return arith::RemUIOp::create(builder, loc, a, constant(by)); }

  /// The range is one of elements: consecutive strips for consecutive threads.
  Value spreadRange() {
    frame.grid = {.perBlock = kMapThreads * frame.width, .across = 1, .threads = kMapThreads};
    frame.begin = rangeBegin();
    frame.size = arith::SubIOp::create(builder, loc, rangeEnd(), frame.begin);
    Value inBlock = times(threadNumber(), frame.width);
    frame.first = plus(times(blockNumber(), frame.grid.perBlock), inBlock);
    return isLess(frame.first, frame.size);
  }

  /// The range is one of rows: for each of them all strips of all inner rows, in memory's order.
  Value spreadRows() {
    const int64_t strips = hasLoop ? innermost / frame.width : 1;
    const int64_t inner = std::accumulate(extents.begin() + std::min<size_t>(1, extents.size()),
                                          extents.end(), int64_t(1), std::multiplies<>());
    const int64_t tasks = inner * strips;
    frame.grid = mapGrid(tasks);
    Value task = threadNumber(), row = blockNumber();
    Value isInside;
    if (frame.grid.perBlock > 1) {
      isInside = isLess(task, constant(frame.grid.perBlock * tasks));
      Value first = times(row, frame.grid.perBlock);
      row = plus(first, quotient(task, tasks));
      task = remainder(task, tasks);
    } else {
      task = plus(times(remainder(row, frame.grid.across), kMapThreads), task);
      isInside = isLess(task, constant(tasks));
      row = quotient(row, frame.grid.across);
    }
    row = plus(row, rangeBegin());
    if (hasLoop) {
      frame.first = times(remainder(task, strips), frame.width);
      task = quotient(task, strips);
    }
    for (size_t loop = extents.size(); loop-- > 1;) {
      indices.insert(indices.begin(), remainder(task, extents[loop]));
      task = quotient(task, extents[loop]);
    }
    indices.insert(indices.begin(), row);
    return arith::AndIOp::create(builder, loc, isInside, isLess(row, rangeEnd()));
  }

  /// The rest of the function is done by threads with a task; of the loops, one iteration.
  LogicalResult moveInto(Value isActive) {
    auto branch = scf::IfOp::create(builder, loc, isActive, /*withElseRegion=*/false);
    Block *inside = branch.thenBlock();
    for (auto next = std::next(Block::iterator(branch)); !isa<func::ReturnOp>(*next);)
      (next++)->moveBefore(inside->getTerminator());
    if (single)
      takeOut(single.thenBlock(), single);
    for (auto [loop, index] : llvm::zip_first(rows, indices)) {
      loop.getInductionVar().replaceAllUsesWith(index);
      takeOut(loop.getBody(), loop);
    }
    return success();
  }

  /// The operations of a block, but for its terminator, take the place of what they are in.
  static void takeOut(Block *block, Operation *around) {
    for (Operation &op : llvm::make_early_inc_range(block->without_terminator()))
      op.moveBefore(around);
    around->erase();
  }

  func::FuncOp function;
  OpBuilder builder;
  Location loc;
  SmallVector<scf::ForOp> rows;
  scf::IfOp single;
  SmallVector<int64_t> extents; ///< of the loops; 0 for the outermost, which has the range
  SmallVector<Value> indices;   ///< of the loops, in this thread
  int64_t innermost = 1;        ///< elements along the generics' loop
  bool hasLoop = false;
  DeviceFrame frame;
};

} // namespace

FailureOr<DeviceFrame> spreadOverThreads(func::FuncOp function) { return MapSpreader(function).spread(); }

/// Tables keep what LLVM would make of constants out: loads that no kernel may have (AuditPtx.h). Their names
/// are ones that PTX can have.
static LogicalResult exposeTables(ModuleOp module) {
  unsigned count = 0;
  for (auto table : llvm::to_vector(module.getOps<memref::GlobalOp>())) {
    auto name = StringAttr::get(module.getContext(), "windlass_table_" + std::to_string(count++));
    if (failed(SymbolTable::replaceAllSymbolUses(table, name, module)))
      return table.emitError("not every use of a table is known");
    table.setSymName(name);
    table.setPublic();
    table.setConstant(false);
  }
  return success();
}

LogicalResult moveToDevice(ModuleOp module) {
  if (failed(exposeTables(module)))
    return failure();
  AttrTypeReplacer replacer;
  Attribute space = IntegerAttr::get(IntegerType::get(module.getContext(), 64), kGlobalMemory);
  replacer.addReplacement([&](MemRefType type) -> std::optional<Type> {
    return MemRefType::get(type.getShape(), type.getElementType(), type.getLayout(), space);
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  return success();
}

} // namespace windlass::codegen
