// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/device/DeviceMaps.h"

#include "compiler/codegen/device/DeviceMemory.h"
#include "compiler/codegen/device/DeviceThreads.h"
#include "compiler/codegen/vectors/ConstantTail.h"
#include "compiler/codegen/vectors/TermSums.h"
#include "dialects/Graph/IR/GraphDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

/// The most elements of a strip: the numbers of two blocks of the random generator, which makes four at a
/// time.
constexpr int64_t kMostElements = 8;

/// Whether the body computes in f64, as sines do for every type (Trigonometry.h). With four such elements per
/// thread, some devices lack the registers for eight warps, and their assembler would spill.
bool computesInDouble(linalg::GenericOp generic) {
  return llvm::any_of(generic.getBody()->without_terminator(), [](Operation &op) {
    return isa<math::SinOp, math::CosOp>(op) ||
           llvm::is_contained(op.getResultTypes(), Float64Type::get(op.getContext()));
  });
}

bool isAlongInnermost(linalg::GenericOp generic, OpOperand &operand) {
  const unsigned loops = generic.getNumLoops();
  return loops > 0 && generic.getMatchingIndexingMap(&operand).isFunctionOfDim(loops - 1);
}

/// True if two slices are the same part of their buffer.
bool areAlike(Value a, Value b) {
  auto first = a.getDefiningOp<memref::SubViewOp>(), second = b.getDefiningOp<memref::SubViewOp>();
  if (!first || !second)
    return a == b;
  return first.getSource() == second.getSource() && first.getMixedOffsets() == second.getMixedOffsets() &&
         first.getMixedSizes() == second.getMixedSizes() &&
         first.getMixedStrides() == second.getMixedStrides();
}

/// An index that is computed of constants alone.
std::optional<int64_t> constantOf(OpFoldResult index) {
  if (std::optional<int64_t> known = getConstantIntValue(index))
    return known;
  auto sum = cast<Value>(index).getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  std::optional<int64_t> left = constantOf(sum.getLhs()), right = constantOf(sum.getRhs());
  return left && right ? std::optional(*left + *right) : std::nullopt;
}

/// True if two slices of a buffer lie apart in some dimension, whatever their rows are.
bool areApart(Value a, Value b) {
  auto first = a.getDefiningOp<memref::SubViewOp>(), second = b.getDefiningOp<memref::SubViewOp>();
  if (!first || !second)
    return false;
  auto offsetsA = first.getMixedOffsets(), offsetsB = second.getMixedOffsets();
  auto sizesA = first.getMixedSizes(), sizesB = second.getMixedSizes();
  for (size_t dim = 0; dim < offsetsA.size(); ++dim) {
    auto fromA = constantOf(offsetsA[dim]), fromB = constantOf(offsetsB[dim]);
    auto sizeA = getConstantIntValue(sizesA[dim]), sizeB = getConstantIntValue(sizesB[dim]);
    if (fromA && fromB && sizeA && sizeB && (*fromA + *sizeA <= *fromB || *fromB + *sizeB <= *fromA))
      return true;
  }
  return false;
}

class MapSpreader {
public:
  explicit MapSpreader(RowNest &nest)
      : nest(nest), function(nest.function), builder(function.getBody()), loc(function.getLoc()),
        threads(builder, loc), isCut(nest.isCut()) {
    function.walk([&](linalg::GenericOp generic) { generics.push_back(generic); });
  }

  FailureOr<DeviceGrid> spread() {
    if (failed(check()))
      return failure();
    width = chooseWidth();
    for (linalg::GenericOp generic : generics)
      rowTasks = std::max(rowTasks, tasksOf(generic));
    builder.setInsertionPointToStart(&function.front());
    Value isActive = isCut ? dealRange() : dealRows();
    moveInto(isActive);
    for (linalg::GenericOp generic : generics)
      emit(generic);
    loadConditionsAhead();
    alignStrips();
    return grid;
  }

private:
  InFlightDiagnostic error() { return deviceError(function); }

  /// Checks that only generics write, since all threads of a row run the operations around them.
  LogicalResult check() {
    if (nest.strips)
      return error() << "strips of a map";
    WalkResult walk = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<linalg::GenericOp>(op))
        return WalkResult::skip();
      const bool isFrame =
          isa<func::FuncOp, func::ReturnOp, scf::ForOp, scf::IfOp, scf::YieldOp, memref::LoadOp>(op);
      return isFrame || isMemoryEffectFree(op) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return error() << "what writes outside of maps";
    if (generics.empty())
      return error() << "a function without a map";
    for (size_t later = 0; later < generics.size(); ++later)
      for (size_t earlier = 0; earlier < later; ++earlier)
        if (failed(checkAlone(generics[earlier], generics[later])))
          return failure();
    return success();
  }

  /// Checks that each thread reads and overwrites only elements that it has written itself.
  LogicalResult checkAlone(linalg::GenericOp earlier, linalg::GenericOp later) {
    for (OpOperand &output : earlier.getDpsInitsMutable())
      for (OpOperand &operand : later->getOpOperands()) {
        if (bufferOf(output.get()) != bufferOf(operand.get()) || areInOtherParts(earlier, later) ||
            areApart(output.get(), operand.get()))
          continue;
        const bool hasSameStrips =
            isCut ? isAlongInnermost(earlier, output) && isAlongInnermost(later, operand)
                  : areAlike(output.get(), operand.get()) &&
                        earlier.getMatchingIndexingMap(&output) == later.getMatchingIndexingMap(&operand) &&
                        earlier.getStaticLoopRanges() == later.getStaticLoopRanges();
        if (!hasSameStrips)
          return error() << "maps that touch what others made";
      }
    return success();
  }

  /// Whether two generics are in different parts of the range, so that no row has both.
  bool areInOtherParts(linalg::GenericOp a, linalg::GenericOp b) {
    for (scf::ForOp part : nest.parts)
      if (part->isProperAncestor(a) != part->isProperAncestor(b))
        return true;
    return false;
  }

  int64_t innermostOf(linalg::GenericOp generic) {
    SmallVector<int64_t> ranges = generic.getStaticLoopRanges();
    return ranges.empty() ? 1 : ranges.back();
  }

  /// The strips of the generic in one row; 1 if the range is part of the innermost dimension.
  int64_t tasksOf(linalg::GenericOp generic) {
    if (isCut)
      return 1;
    int64_t tasks = llvm::divideCeil(innermostOf(generic), width);
    for (int64_t extent : ArrayRef(generic.getStaticLoopRanges()).drop_back(generic.getNumLoops() > 0))
      tasks *= extent;
    return tasks;
  }

  /// The elements of a strip: 16 bytes of the widest element type (two blocks of random numbers if there are
  /// any), if all vector accesses are aligned to the strip; else 1.
  int64_t chooseWidth() {
    int64_t widest = 1, result = kMostElements;
    bool hasRandom = false, hasLoop = false;
    for (linalg::GenericOp generic : generics) {
      hasRandom |= !generic.getBody()->getOps<graph::RandomOp>().empty();
      hasLoop |= generic.getNumLoops() > 0;
      if (computesInDouble(generic))
        widest = sizeof(double);
      for (OpOperand &operand : generic->getOpOperands())
        if (isAlongInnermost(generic, operand))
          widest = std::max<int64_t>(widest,
                                     cast<MemRefType>(operand.get().getType()).getElementTypeBitWidth() / 8);
    }
    result = hasRandom ? kMostElements : std::min(kMostElements, kAccessBytes / widest);
    for (linalg::GenericOp generic : generics) {
      if (!hasLoop || (!isCut && innermostOf(generic) < result))
        return 1;
      for (OpOperand &operand : generic->getOpOperands())
        if (isAlongInnermost(generic, operand) && !beginsOnMultiple(generic, operand, result))
          return 1;
    }
    return result;
  }

  /// True if every strip of a slice begins on a multiple of `elements` in its buffer. The begin of the range
  /// does not count: the generated code checks it.
  bool beginsOnMultiple(linalg::GenericOp generic, OpOperand &operand, int64_t elements) {
    auto view = operand.get().getDefiningOp<memref::SubViewOp>();
    if (!view)
      return false;
    auto [strides, offset] = cast<MemRefType>(view.getSource().getType()).getStridesAndOffset();
    for (auto [stride, from] : llvm::zip(strides, view.getMixedOffsets())) {
      std::optional<int64_t> known = getConstantIntValue(from);
      const bool isRange = isCut && !known && cast<Value>(from) == rangeBegin(function);
      if (!isRange && known.value_or(1) * stride % elements != 0)
        return false;
    }
    auto [steps, start] = view.getType().getStridesAndOffset();
    for (auto [step, index] : llvm::zip(steps, generic.getMatchingIndexingMap(&operand).getResults()))
      if (!index.isFunctionOfDim(generic.getNumLoops() - 1) && step % elements != 0)
        return false;
    return true;
  }

  /// Deals out a range of elements: consecutive strips to consecutive threads; each band has blocks of its
  /// own.
  Value dealRange() {
    grid = {.perBlock = kMapThreads * width, .across = 1, .threads = kMapThreads};
    Value block = threads.block();
    if (nest.bands) {
      const int64_t step = *getConstantIntValue(nest.bands.getStep());
      grid.across = llvm::divideCeil(*getConstantIntValue(nest.bands.getUpperBound()), step);
      rows = {threads.times(threads.remainder(block, grid.across), step)};
      block = threads.quotient(block, grid.across);
    }
    size = threads.minus(rangeEnd(function), rangeBegin(function));
    Value inBlock = threads.times(threads.thread(), width);
    first = threads.plus(threads.times(block, grid.perBlock), inBlock);
    return threads.isLess(first, size);
  }

  /// Deals out a range of rows: for each row all strips of all inner rows, in memory order.
  Value dealRows() {
    Share share = nest.deal(builder, rowTasks, {.tasks = kMapThreads, .threadsEach = 1});
    grid = share.grid;
    rows = share.rows;
    task = share.task;
    return share.isActive;
  }

  /// Moves the rest of the function into a branch for threads with a task, and replaces the loops by one
  /// iteration.
  void moveInto(Value isActive) {
    auto branch = scf::IfOp::create(builder, loc, isActive, /*withElseRegion=*/false);
    Block *inside = branch.thenBlock();
    for (auto next = std::next(Block::iterator(branch)); !isa<func::ReturnOp>(*next);)
      (next++)->moveBefore(inside->getTerminator());
    nest.takeApart(rows);
  }

  void emit(linalg::GenericOp generic) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(generic);
    VectorBody body(generic);
    if (isCut)
      emitOverRange(generic, body, generic.getStaticLoopRanges());
    else
      emitTask(generic, body);
    generic.erase();
  }

  /// Builds this thread's strip of the generic, if the generic has that many strips.
  void emitTask(linalg::GenericOp generic, VectorBody &body) {
    if (tasksOf(generic) < rowTasks) {
      Value isOne = threads.isLess(task, threads.constant(tasksOf(generic)));
      builder.setInsertionPointToStart(
          scf::IfOp::create(builder, loc, isOne, /*withElseRegion=*/false).thenBlock());
    }
    SmallVector<int64_t> ranges = generic.getStaticLoopRanges();
    if (ranges.empty())
      return emitStrip(body, 1);
    const int64_t strips = llvm::divideCeil(ranges.back(), width);
    Value outer = threads.quotient(task, strips);
    Value from = threads.times(threads.remainder(task, strips), width);
    for (size_t loop = ranges.size() - 1; loop-- > 0; outer = threads.quotient(outer, ranges[loop]))
      body.setLoop(loop, threads.remainder(outer, ranges[loop]));
    if (ranges.back() % width != 0)
      return emitPart(generic, body, from, threads.constant(ranges.back()), {});
    body.setLoop(ranges.size() - 1, from);
    std::optional<RowBound> bound = RowBound::findIdle(generic);
    if (!bound)
      return emitStrip(body, width);
    Value isInFront = threads.isLess(from, bound->bound(builder));
    auto branch = scf::IfOp::create(builder, loc, isInFront, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    emitStrip(body, width);
    builder.setInsertionPointToStart(branch.elseBlock());
    body.assume(bound->comparison, bound->isTrueBehind);
    emitStrip(body, width);
  }

  void emitStrip(VectorBody &body, int64_t elements) {
    SmallVector<Value> results = body.emit(builder, elements);
    body.storeOutputs(builder, results, elements);
  }

  /// Builds the thread's strip of all rows, one after another.
  void emitOverRange(linalg::GenericOp generic, VectorBody &body, ArrayRef<int64_t> ranges,
                     unsigned loop = 0) {
    if (loop + 1 == ranges.size())
      return emitCut(generic, body);
    Value from = threads.constant(0), to = threads.constant(ranges[loop]);
    buildLoop(builder, loc, from, to, 1, {}, [&](Value row, ValueRange) {
      body.setLoop(loop, row);
      emitOverRange(generic, body, ranges, loop + 1);
      return Values();
    });
  }

  /// Builds a strip of the range, which may begin at any index.
  void emitCut(linalg::GenericOp generic, VectorBody &body) {
    Value rest = arith::AndIOp::create(builder, loc, rangeBegin(function), threads.constant(width - 1));
    emitPart(generic, body, first, size, threads.isEqual(rest, 0));
  }

  /// Builds the elements of a strip that are before `size`: by vectors if the strip is whole and aligned,
  /// else one by one.
  void emitPart(linalg::GenericOp generic, VectorBody &body, Value first, Value size, Value isAligned) {
    const unsigned innermost = generic.getNumLoops() - 1;
    Value end = threads.plus(first, threads.constant(width));
    Value atOnce = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, end, size);
    if (isAligned)
      atOnce = threads.both(atOnce, isAligned);
    auto branch = scf::IfOp::create(builder, loc, atOnce, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    body.setLoop(innermost, first);
    emitStrip(body, width);
    builder.setInsertionPointToStart(branch.elseBlock());
    Value last = arith::MinSIOp::create(builder, loc, end, size);
    auto loop = scf::ForOp::create(builder, loc, first, last, threads.constant(1));
    builder.setInsertionPointToStart(loop.getBody());
    body.setLoop(innermost, loop.getInductionVar());
    emitStrip(body, 1);
  }

  /// Makes loops that load the conditions of their branches, such as indices of rows, load for several
  /// iterations at once.
  void loadConditionsAhead() {
    constexpr uint64_t kMost = 8;
    SmallVector<scf::ForOp> loops;
    function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      Block &body = *loop.getBody();
      const std::optional<APInt> count = loop.getStaticTripCount();
      if (!count || body.getOps<memref::LoadOp>().empty() || body.getOps<scf::IfOp>().empty() ||
          storesWhatItLoads(body))
        continue;
      // At least two iterations of the unrolled loop are left.
      const uint64_t ahead = llvm::bit_floor(std::min(kMost, count->getZExtValue() / 2));
      if (ahead < 2 || failed(loopUnrollByFactor(loop, ahead)))
        continue;
      moveLoadsFirst(body);
      askForRegisters(function, grid.threads);
    }
  }

  /// True if the block loads from a buffer that it, or a block inside of it, stores to.
  static bool storesWhatItLoads(Block &block) {
    auto isLoaded = [&](Value buffer) {
      return llvm::any_of(block.getOps<memref::LoadOp>(), [&](memref::LoadOp load) {
        return bufferOf(load.getMemRef()) == bufferOf(buffer);
      });
    };
    WalkResult walk = block.walk([&](Operation *op) {
      auto one = dyn_cast<memref::StoreOp>(op);
      auto several = dyn_cast<vector::StoreOp>(op);
      return (one && isLoaded(one.getMemRef())) || (several && isLoaded(several.getBase()))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    return walk.wasInterrupted();
  }

  /// Sets the alignment of vector accesses to their size, which chooseWidth() has ensured.
  void alignStrips() {
    function.walk([](vector::LoadOp load) {
      if (!isTable(load.getBase()))
        load.setAlignment(accessBytes(load.getVectorType()));
    });
    function.walk([](vector::StoreOp store) { store.setAlignment(accessBytes(store.getVectorType())); });
  }

  RowNest &nest;
  func::FuncOp function;
  OpBuilder builder;
  Location loc;
  ThreadBuilder threads;
  const bool isCut;
  SmallVector<linalg::GenericOp> generics;
  int64_t width = 1;    ///< elements of a strip
  int64_t rowTasks = 1; ///< the most strips of a generic in one row
  DeviceGrid grid;
  SmallVector<Value> rows;
  Value task;        ///< number of this thread's task in its row
  Value first, size; ///< if isCut: begin of the thread's strip within the range, and the size of the range
};

} // namespace

FailureOr<DeviceGrid> spreadMaps(RowNest &nest) { return MapSpreader(nest).spread(); }

} // namespace windlass::codegen
