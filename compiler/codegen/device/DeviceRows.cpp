// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/device/DeviceRows.h"

#include "compiler/codegen/device/DeviceThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

/// Whether `branch` is that of a kernel of one row: taken if the range is not empty. Any other branch is part
/// of a row's work.
bool asksForRange(scf::IfOp branch) {
  auto function = branch->getParentOfType<func::FuncOp>();
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  return compare && compare.getLhs() == rangeBegin(function) && compare.getRhs() == rangeEnd(function) &&
         branch.getElseRegion().empty();
}

bool isOverPart(scf::ForOp loop) {
  auto function = loop->getParentOfType<func::FuncOp>();
  auto from = loop.getLowerBound().getDefiningOp<arith::MaxSIOp>();
  auto to = loop.getUpperBound().getDefiningOp<arith::MinSIOp>();
  return from && to && from.getLhs() == rangeBegin(function) && to.getLhs() == rangeEnd(function);
}

/// Moves the operations of `block`, without its terminator, before `around`, and erases `around`.
void takeOut(Block *block, Operation *around) {
  for (Operation &op : llvm::make_early_inc_range(block->without_terminator()))
    op.moveBefore(around);
  around->erase();
}

/// Replaces the loop by a branch that runs its body for `row`, if `row` is within the bounds of the loop.
void becomeBranch(scf::ForOp loop, Value row) {
  OpBuilder builder(loop);
  ThreadBuilder threads(builder, loop.getLoc());
  Value one = threads.constant(1);
  Value next = threads.plus(row, one);
  Value beginsBefore = threads.isLess(loop.getLowerBound(), next);
  Value isInside = threads.both(beginsBefore, threads.isLess(row, loop.getUpperBound()));
  auto branch = scf::IfOp::create(builder, loop.getLoc(), isInside, /*withElseRegion=*/false);
  loop.getInductionVar().replaceAllUsesWith(row);
  for (Operation &op : llvm::make_early_inc_range(loop.getBody()->without_terminator()))
    op.moveBefore(branch.thenYield());
  loop.erase();
}

} // namespace

InFlightDiagnostic deviceError(func::FuncOp function) {
  return function.emitError("kernel '") << function.getName() << "': no device code is made of ";
}

Value rangeBegin(func::FuncOp function) { return function.getArgument(function.getNumArguments() - 2); }
Value rangeEnd(func::FuncOp function) { return function.getArgument(function.getNumArguments() - 1); }

FailureOr<RowNest> RowNest::find(func::FuncOp function) {
  RowNest nest;
  nest.function = function;
  Block *block = &function.front();
  while (true) {
    auto loops = llvm::to_vector(block->getOps<scf::ForOp>());
    auto branches = llvm::to_vector(block->getOps<scf::IfOp>());
    const bool isOutermost = nest.loops.empty() && !nest.single;
    if (isOutermost && loops.empty() && branches.size() == 1 && asksForRange(branches.front())) {
      nest.single = branches.front();
      block = nest.single.thenBlock();
      continue;
    }
    if (isOutermost && !loops.empty() && llvm::all_of(loops, isOverPart)) {
      nest.parts = loops;
      return nest;
    }
    if (loops.empty() || nest.single)
      return nest;
    scf::ForOp loop = loops.front();
    const bool isRange =
        loop.getLowerBound() == rangeBegin(function) && loop.getUpperBound() == rangeEnd(function);
    if (isOutermost && !isRange) {
      nest.bands = loop;
      return nest;
    }
    std::optional<int64_t> extent = getConstantIntValue(loop.getUpperBound());
    if (loops.size() > 1 || (!isOutermost && (!extent || getConstantIntValue(loop.getLowerBound()) != 0)))
      return deviceError(function) << "several loops over rows";
    if (getConstantIntValue(loop.getStep()) != 1) {
      nest.strips = loop;
      return nest;
    }
    nest.extents.push_back(extent.value_or(0));
    nest.loops.push_back(loop);
    block = loop.getBody();
  }
}

int64_t RowNest::innerRows() const {
  int64_t rows = 1;
  for (int64_t extent : ArrayRef(extents).drop_front(std::min<size_t>(1, extents.size())))
    rows *= extent;
  return rows;
}

Share RowNest::deal(OpBuilder &builder, int64_t rowTasks, BlockTasks block) {
  ThreadBuilder threads(builder, function.getLoc());
  Share share;
  const int64_t tasks = std::max<int64_t>(1, innerRows() * rowTasks);
  share.grid = gridOf(tasks, block.tasks, block.tasks * block.threadsEach);
  Value task = threads.thread(), row = threads.block();
  if (block.threadsEach > 1)
    task = block.tasks == 1 ? threads.constant(0) : threads.quotient(task, block.threadsEach);
  if (share.grid.perBlock > 1) {
    share.isActive = threads.isLess(task, threads.constant(share.grid.perBlock * tasks));
    Value first = threads.times(row, share.grid.perBlock);
    row = threads.plus(first, threads.quotient(task, tasks));
    task = threads.remainder(task, tasks);
  } else {
    task = threads.plus(threads.times(threads.remainder(row, share.grid.across), block.tasks), task);
    share.isActive = threads.isLess(task, threads.constant(tasks));
    row = threads.quotient(row, share.grid.across);
  }
  row = threads.plus(row, rangeBegin(function));
  share.isActive = threads.both(share.isActive, threads.isLess(row, rangeEnd(function)));
  share.task = threads.remainder(task, rowTasks);
  Value inner = threads.quotient(task, rowTasks);
  SmallVector<Value> reversed;
  for (size_t loop = extents.size(); loop-- > 1;) {
    reversed.push_back(threads.remainder(inner, extents[loop]));
    inner = threads.quotient(inner, extents[loop]);
  }
  share.rows.push_back(row);
  share.rows.append(reversed.rbegin(), reversed.rend());
  return share;
}

void RowNest::takeApart(ValueRange rows) {
  if (single)
    takeOut(single.thenBlock(), single);
  for (scf::ForOp part : parts)
    becomeBranch(part, rows.front());
  if (bands)
    loops = {bands};
  for (auto [loop, row] : llvm::zip_first(loops, rows)) {
    loop.getInductionVar().replaceAllUsesWith(row);
    takeOut(loop.getBody(), loop);
  }
  single = nullptr, bands = nullptr, loops.clear(), parts.clear();
}

} // namespace windlass::codegen
