// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over rows: a thread per column, 32 columns side by side in a warp, and several warps for blocks
// of rows.

#include "compiler/codegen/device/DeviceMemory.h"
#include "compiler/codegen/device/DeviceTeam.h"
#include "compiler/codegen/vectors/Vectorize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

/// The most warps of a block, so that each thread can have the promised registers; and the warps of a block
/// that makes pieces.
constexpr int64_t kMostWarps = 16, kPieceWarps = 8;

class ColumnTeam final : public DeviceTeam {
public:
  ColumnTeam(RowNest &nest, ArrayRef<linalg::GenericOp> generics, const PieceSums &pieces, OpBuilder &builder)
      : function(nest.function), builder(builder), loc(function.getLoc()), threads(builder, loc),
        pieces(pieces), warps(warpsFor(generics)) {
    Value thread = threads.thread();
    lane = threads.remainder(thread, kWarpThreads);
    warp = threads.quotient(thread, kWarpThreads);
    column = nest.loops.empty() ? dealRange() : dealRows(nest);
    makeSingle(nest.strips, column);
  }

  Values reduce(linalg::GenericOp generic, VectorBody &body, ValueRange initial) override;

  void store(linalg::GenericOp generic, VectorBody &body) override {
    Value stores = threads.both(isActive, threads.isEqual(warp, 0));
    auto branch = scf::IfOp::create(builder, loc, stores, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    storeAll(generic.getStaticLoopRanges(), body, 0);
  }

private:
  friend class WarpSums;

  /// The number of warps: one for every kTerms terms of the longest sum.
  int64_t warpsFor(ArrayRef<linalg::GenericOp> generics) const {
    int64_t most = pieces.count;
    for (linalg::GenericOp generic : generics)
      if (pieces.phase == SumPhase::Whole && generic.getNumReductionLoops() > 0)
        most = std::max(most, rowsOf(generic));
    return pieces.phase == SumPhase::Pieces ? kPieceWarps
                                            : std::min<int64_t>(kMostWarps, llvm::divideCeil(most, kTerms));
  }

  /// Assigns columns of the range to threads. In the phase of pieces, each warp also gets one piece, and
  /// consecutive blocks have all pieces of the same columns.
  Value dealRange() {
    const bool isPiece = pieces.phase == SumPhase::Pieces;
    grid = {.perBlock = kWarpThreads,
            .across = isPiece ? static_cast<int64_t>(llvm::divideCeil(pieces.count, warps)) : 1,
            .threads = kWarpThreads * warps};
    Value row = threads.quotient(threads.block(), grid.across);
    Value first = threads.plus(rangeBegin(function), threads.times(row, kWarpThreads));
    Value column = threads.plus(first, lane);
    isActive = threads.isLess(column, rangeEnd(function));
    if (isPiece) {
      Value place = threads.remainder(threads.block(), grid.across);
      piece = threads.plus(threads.times(place, warps), warp);
      isActive = threads.both(isActive, threads.isLess(piece, threads.constant(pieces.count)));
    }
    return column;
  }

  Value dealRows(RowNest &nest) {
    const int64_t columns = *getConstantIntValue(nest.strips.getUpperBound());
    Share share = nest.deal(builder, llvm::divideCeil(columns, kWarpThreads), {1, kWarpThreads * warps});
    grid = share.grid;
    Value column = threads.plus(threads.times(share.task, kWarpThreads), lane);
    isActive = threads.isLess(column, threads.constant(columns));
    nest.takeApart(share.rows);
    return column;
  }

  /// Replaces the loop over strips by a single strip of one column.
  void makeSingle(scf::ForOp strips, Value column) {
    for (auto size : llvm::to_vector(strips.getBody()->getOps<arith::MinSIOp>()))
      size.replaceAllUsesWith(threads.constant(1));
    strips.getInductionVar().replaceAllUsesWith(column);
    for (Operation &op : llvm::make_early_inc_range(strips.getBody()->without_terminator()))
      op.moveBefore(strips);
    strips.erase();
  }

  /// Stores the results of a column, for all indices of further loops in order.
  void storeAll(ArrayRef<int64_t> ranges, VectorBody &body, unsigned loop) {
    if (loop == ranges.size())
      return body.storeOutputs(builder, body.emit(builder, 1), 1);
    if (ShapedType::isDynamic(ranges[loop])) {
      body.setLoop(loop, threads.constant(0));
      return storeAll(ranges, body, loop + 1);
    }
    Value from = threads.constant(0), to = threads.constant(ranges[loop]);
    buildLoop(builder, loc, from, to, 1, {}, [&](Value index, ValueRange) {
      body.setLoop(loop, index);
      storeAll(ranges, body, loop + 1);
      return Values();
    });
  }

  func::FuncOp function;
  OpBuilder &builder;
  Location loc;
  Values emitRow(linalg::GenericOp generic, VectorBody &body, Value number);
  void storePiece(linalg::GenericOp generic, VectorBody &body);
  int64_t rowsAhead(linalg::GenericOp generic) const {
    return iterationsAhead(generic, pieces, 1, std::min(rowsOf(generic), kTerms));
  }

  ThreadBuilder threads;
  PieceSums pieces;
  const int64_t warps;
  Value lane, warp;
  Value column, piece; ///< of this thread; `piece`: in the phase of pieces
  Value isActive;      ///< this thread has a column (and a piece)
};

/// Sums over rows: warps make the sums of blocks of rows in turn, and every warp adds all of these up.
class WarpSums final : public TermSums {
public:
  WarpSums(ColumnTeam &team, VectorBody &body, int64_t ahead)
      : TermSums(team.builder, team.loc, body, 1, ahead), team(team) {}

protected:
  Values addItems(Value from, Value to, int64_t span, ValueRange initial, Term item) override {
    // Only this loop has other bounds for some threads.
    Value own = span <= kTerms ? team.threads.choose(team.isActive, to, from) : to;
    if (span != kTerms)
      return TermSums::addItems(from, own, span, initial, item);
    ThreadBuilder &threads = team.threads;
    Values buffers;
    for (auto [number, value] : llvm::enumerate(initial))
      buffers.push_back(blockBuffer(builder, team.function, {kTerms, kWarpThreads}, value.getType(),
                                    static_cast<unsigned>(number)));
    auto placeOf = [&](Value first) {
      return Values{threads.quotient(threads.minus(first, from), kTerms), team.lane};
    };
    Value begin = threads.plus(from, threads.times(team.warp, kTerms));
    buildLoop(builder, loc, begin, own, kTerms * team.warps, {}, [&](Value first, ValueRange) {
      Values values = item(first), place = placeOf(first);
      for (auto [value, buffer] : llvm::zip(values, buffers))
        memref::StoreOp::create(builder, loc, value, buffer, place);
      return Values();
    });
    threads.barrier();
    auto add = [&](Value first, ValueRange sum) {
      Values terms, place = placeOf(first);
      for (Value buffer : buffers)
        terms.push_back(memref::LoadOp::create(builder, loc, buffer, place));
      return body.combine(builder, sum, terms, 1);
    };
    Values sums = buildLoop(builder, loc, from, own, kTerms, initial, add, kPartsAhead);
    threads.barrier(); // before the next sums are written there
    return sums;
  }

private:
  ColumnTeam &team;
};

Values ColumnTeam::reduce(linalg::GenericOp generic, VectorBody &body, ValueRange initial) {
  const unsigned innermost = generic.getNumLoops() - 1;
  body.setLoop(innermost, threads.constant(0));
  if (pieces.phase == SumPhase::Pieces) {
    storePiece(generic, body);
    return Values(initial);
  }
  if (pieces.phase == SumPhase::Total)
    return WarpSums(*this, body, kPartsAhead).sum(pieces.count, initial, [&](Value number) {
      return pieces.load(builder, loc, number, column);
    });
  return WarpSums(*this, body, rowsAhead(generic)).sum(rowsOf(generic), initial, [&](Value number) {
    return emitRow(generic, body, number);
  });
}

Values ColumnTeam::emitRow(linalg::GenericOp generic, VectorBody &body, Value number) {
  setRow(builder, body, generic, llvm::to_vector(llvm::seq<unsigned>(0, generic.getNumLoops() - 1)), number);
  return body.emit(builder, 1);
}

/// Stores the sum of one piece, a block of rows, which each thread makes for its column.
void ColumnTeam::storePiece(linalg::GenericOp generic, VectorBody &body) {
  auto branch = scf::IfOp::create(builder, loc, isActive, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value from = threads.times(piece, kTerms), end = threads.plus(from, threads.constant(kTerms));
  Value to = arith::MinSIOp::create(builder, loc, end, threads.constant(rowsOf(generic)));
  Values neutral = body.neutral(builder, 1);
  auto add = [&](Value number, ValueRange sum) {
    return body.combine(builder, sum, emitRow(generic, body, number), 1);
  };
  Values sums = buildLoop(builder, loc, from, to, 1, neutral, add, rowsAhead(generic));
  pieces.store(builder, loc, sums, piece, column);
}

} // namespace

std::unique_ptr<DeviceTeam> makeColumnTeam(RowNest &nest, ArrayRef<linalg::GenericOp> generics,
                                           const PieceSums &pieces, OpBuilder &builder) {
  return std::make_unique<ColumnTeam>(nest, generics, pieces, builder);
}

} // namespace windlass::codegen
