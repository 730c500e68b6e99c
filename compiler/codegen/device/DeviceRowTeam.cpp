// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions along rows: a quad of threads per row, or a block per row if there is more to add up than for a
// quad.

#include "compiler/codegen/device/DeviceMemory.h"
#include "compiler/codegen/device/DeviceTeam.h"
#include "compiler/codegen/vectors/ConstantTail.h"
#include "compiler/codegen/vectors/Vectorize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

/// The threads of a quad, which hold the lanes of a vector, and the neighbouring lanes of each.
constexpr int64_t kQuad = 4, kOwnLanes = kLanes / kQuad;
/// The threads of a block of quads with a row each, the fewest threads of a block that has one row, and the
/// threads of a block that makes pieces. The last is small, since there are often fewer pieces than a device
/// could make at once.
constexpr int64_t kQuadBlock = 128, kLeastBlock = 64, kPieceBlock = 64;

bool isReduction(linalg::GenericOp generic) { return generic.getNumReductionLoops() > 0; }

bool addsRows(linalg::GenericOp generic) { return isReduction(generic) && rowsOf(generic) > 1; }
bool needsBlock(linalg::GenericOp generic) {
  return addsRows(generic) ||
         (isReduction(generic) && generic.getStaticLoopRanges().back() > kReductionBlock);
}

/// The threads of a block that has one row: a quad for each row or block of elements that is summed at once.
int64_t rowBlockFor(ArrayRef<linalg::GenericOp> generics) {
  int64_t most = 1;
  for (linalg::GenericOp generic : generics)
    if (needsBlock(generic))
      most = std::max({most, rowsOf(generic),
                       int64_t(llvm::divideCeil(generic.getStaticLoopRanges().back(), kReductionBlock))});
  most = static_cast<int64_t>(llvm::bit_ceil(static_cast<uint64_t>(std::min(most, kTerms))));
  return std::max(kQuad * most, kLeastBlock);
}

/// All loops but the innermost, which is along a row.
SmallVector<unsigned> outerLoops(linalg::GenericOp generic) {
  return llvm::to_vector(llvm::seq<unsigned>(0, generic.getNumLoops() - 1));
}

class RowTeam final : public DeviceTeam {
public:
  RowTeam(RowNest &nest, ArrayRef<linalg::GenericOp> generics, const PieceSums &pieces, OpBuilder &builder)
      : function(nest.function), builder(builder), loc(function.getLoc()), threads(builder, loc),
        pieces(pieces), areRows(llvm::any_of(generics, addsRows)), rowBlock(rowBlockFor(generics)),
        isBlock(pieces.phase == SumPhase::Pieces ? areRows : llvm::any_of(generics, needsBlock)) {
    const bool isPiece = pieces.phase == SumPhase::Pieces;
    Share share = nest.deal(builder, isPiece ? pieces.count : 1, blockTasks());
    grid = share.grid;
    isActive = share.isActive;
    piece = share.task;
    row = nest.single ? threads.constant(0) : share.rows.front();
    for (size_t loop = 1; loop < nest.extents.size(); ++loop)
      row = threads.plus(threads.times(row, nest.extents[loop]), share.rows[loop]);
    Value thread = threads.thread();
    lane = threads.remainder(thread, kQuad);
    quad = threads.quotient(thread, kQuad);
    member = isBlock ? thread : lane;
    nest.takeApart(share.rows);
  }

  Values reduce(linalg::GenericOp generic, VectorBody &body, ValueRange initial) override;
  void store(linalg::GenericOp generic, VectorBody &body) override;

private:
  friend class SharedSums;

  BlockTasks blockTasks() const {
    switch (pieces.phase) {
    case SumPhase::Whole:
      return isBlock ? BlockTasks{1, rowBlock} : BlockTasks{kQuadBlock / kQuad, kQuad};
    case SumPhase::Pieces:
      return areRows ? BlockTasks{1, rowBlock} : BlockTasks{kPieceBlock / kQuad, kQuad};
    case SumPhase::Total:
      return {1, kTerms};
    }
    llvm_unreachable("closed enum");
  }
  void storePiece(linalg::GenericOp generic, VectorBody &body);
  Values addRows(linalg::GenericOp generic, VectorBody &body);
  Values addPieces(VectorBody &body);
  Values emitRow(linalg::GenericOp generic, VectorBody &body);
  Values emitBlock(linalg::GenericOp generic, VectorBody &body, Value number, int64_t last);
  Values addRest(VectorBody &body, ValueRange lanes, Value first, int64_t length);
  Values combineLanes(VectorBody &body, ValueRange lanes);
  void storeStrips(linalg::GenericOp generic, VectorBody &body);
  /// Values of `then` where a condition holds, else those of `otherwise`.
  Values chooseBranch(Value condition, llvm::function_ref<Values()> then, ValueRange otherwise);
  Value ownLane(Value from) { return threads.plus(from, threads.times(lane, kOwnLanes)); }

  func::FuncOp function;
  OpBuilder &builder;
  Location loc;
  ThreadBuilder threads;
  PieceSums pieces;
  const bool areRows;     ///< sums, and pieces of them, are over rows
  const int64_t rowBlock; ///< threads of a block that has one row
  const bool isBlock;
  Value isActive;   ///< this thread's quad has elements to add up, or results to store
  Value piece, row; ///< number of the result's row; number of the piece, in the phase of pieces
  Value lane, quad; ///< number of the thread in its quad, and of the quad in the block
  Value member;     ///< number of the thread in its team
  bool hasStored = false;
};

/// Sums whose items the members of a block make at the same time, and every thread adds up. By quads: an item
/// is one term, made by a quad. By threads: an item is the sum of kTerms stored terms, made by a thread.
class SharedSums final : public TermSums {
public:
  enum class By { Quads, Threads };
  SharedSums(RowTeam &team, VectorBody &body, By by)
      : TermSums(team.builder, team.loc, body, 1, kPartsAhead), team(team), by(by) {}

  Values addItems(Value from, Value to, int64_t span, ValueRange initial, Term item) override {
    const bool isByQuads = by == By::Quads;
    if (span != (isByQuads ? 1 : kTerms))
      return TermSums::addItems(from, to, span, initial, item);
    ThreadBuilder &threads = team.threads;
    Value member = isByQuads ? team.quad : team.member;
    Value own = threads.plus(from, threads.times(member, span));
    Value outer = std::exchange(team.isActive, threads.isLess(own, to));
    // All threads of a quad must take part in its shuffles; a single thread skips items beyond the end.
    Values values =
        isByQuads ? item(own)
                  : team.chooseBranch(team.isActive, [&] { return item(own); }, body.neutral(builder, 1));
    Values buffers;
    for (auto [number, value] : llvm::enumerate(values))
      buffers.push_back(
          blockBuffer(builder, team.function, kTerms, value.getType(), static_cast<unsigned>(number)));
    Value stores = team.isActive;
    if (isByQuads)
      stores = threads.both(stores, threads.isEqual(team.lane, 0));
    team.isActive = outer;
    team.chooseBranch(stores,
                      [&] {
                        for (auto [value, buffer] : llvm::zip(values, buffers))
                          memref::StoreOp::create(builder, loc, value, buffer, member);
                        return Values();
                      },
                      {});
    threads.barrier();
    Value begin = constant(0), rounded = threads.plus(threads.minus(to, from), constant(span - 1));
    Value count = threads.quotient(rounded, span);
    auto add = [&](Value number, ValueRange sum) {
      Values terms;
      for (Value buffer : buffers)
        terms.push_back(memref::LoadOp::create(builder, loc, buffer, number));
      return body.combine(builder, sum, terms, 1);
    };
    Values sums = buildLoop(builder, loc, begin, count, 1, initial, add, kPartsAhead);
    threads.barrier(); // before the next items are written there
    return sums;
  }

private:
  RowTeam &team;
  const By by;
};

Values RowTeam::chooseBranch(Value condition, llvm::function_ref<Values()> then, ValueRange otherwise) {
  auto branch = scf::IfOp::create(builder, loc, otherwise.getTypes(), condition,
                                  /*withElseRegion=*/!otherwise.empty());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Values values = then();
  if (otherwise.empty()) // then the branch has its terminator already
    return {};
  scf::YieldOp::create(builder, loc, values);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, otherwise);
  return Values(branch.getResults());
}

Values RowTeam::reduce(linalg::GenericOp generic, VectorBody &body, ValueRange initial) {
  if (pieces.phase == SumPhase::Pieces) {
    storePiece(generic, body);
    return Values(initial);
  }
  if (pieces.phase == SumPhase::Total)
    return body.combine(builder, initial, addPieces(body), 1);
  const int64_t rows = rowsOf(generic);
  if (rows == 1) {
    setRow(builder, body, generic, {}, Value());
    return body.combine(builder, initial, emitRow(generic, body), 1);
  }
  auto addRow = [&](Value number) {
    setRow(builder, body, generic, outerLoops(generic), number);
    return emitRow(generic, body);
  };
  // All quads work on one long row.
  if (generic.getStaticLoopRanges().back() > kReductionBlock)
    return TermSums(builder, loc, body, 1).sum(rows, initial, addRow);
  return SharedSums(*this, body, SharedSums::By::Quads).sum(rows, initial, addRow);
}

/// Stores the sum of a piece: a block of the row's elements, made by a quad; or a block of rows, made by all
/// quads.
void RowTeam::storePiece(linalg::GenericOp generic, VectorBody &body) {
  Values sums = areRows ? addRows(generic, body) : emitBlock(generic, body, piece, pieces.count - 1);
  chooseBranch(threads.both(isActive, threads.isEqual(member, 0)),
               [&] {
                 pieces.store(builder, loc, sums, piece, row);
                 return Values();
               },
               {});
}

/// The sum of the row's pieces, which the first phase has made.
Values RowTeam::addPieces(VectorBody &body) {
  return SharedSums(*this, body, SharedSums::By::Threads)
      .sum(pieces.count, body.neutral(builder, 1),
           [&](Value number) { return pieces.load(builder, loc, number, row); });
}

/// The sum of the rows of a piece.
Values RowTeam::addRows(linalg::GenericOp generic, VectorBody &body) {
  Value from = threads.times(piece, kTerms), full = threads.plus(from, threads.constant(kTerms));
  Value to = arith::MinSIOp::create(builder, loc, full, threads.constant(rowsOf(generic)));
  return SharedSums(*this, body, SharedSums::By::Quads)
      .addItems(from, to, 1, body.neutral(builder, 1), [&](Value number) {
        setRow(builder, body, generic, outerLoops(generic), number);
        return emitRow(generic, body);
      });
}

/// The sum along the innermost loop.
Values RowTeam::emitRow(linalg::GenericOp generic, VectorBody &body) {
  const int64_t blocks = llvm::divideCeil(generic.getStaticLoopRanges().back(), kReductionBlock);
  auto block = [&](Value number) { return emitBlock(generic, body, number, blocks - 1); };
  return blocks == 1
             ? block(threads.constant(0))
             : SharedSums(*this, body, SharedSums::By::Quads).sum(blocks, body.neutral(builder, 1), block);
}

/// The sum of a block, as Vectorize makes it, with the lanes in the threads of a quad. Threads without work
/// have neutral lanes.
Values RowTeam::emitBlock(linalg::GenericOp generic, VectorBody &body, Value number, int64_t last) {
  const unsigned innermost = generic.getNumLoops() - 1;
  const int64_t length = generic.getStaticLoopRanges().back(), whole = length / kLanes * kLanes;
  const int64_t ahead =
      iterationsAhead(generic, pieces, kOwnLanes, std::min(length, kReductionBlock) / kLanes);
  Values neutral = body.neutral(builder, kOwnLanes);
  Values lanes = chooseBranch(
      isActive,
      [&] {
        body.setLoop(innermost, nullptr);
        body.hoistInvariants(builder);
        Value from = threads.times(number, kReductionBlock);
        Value full = threads.plus(from, threads.constant(kReductionBlock));
        Value to = arith::MinSIOp::create(builder, loc, full, threads.constant(whole));
        if (std::optional<ConstantTail> tail = ConstantTail::find(generic))
          to = threads.between(from, tail->bound(builder, kLanes * ahead), to);
        auto add = [&](Value first, ValueRange carried) {
          body.setLoop(innermost, ownLane(first));
          return body.combine(builder, carried, body.emit(builder, kOwnLanes), kOwnLanes);
        };
        Values sums = buildLoop(builder, loc, from, to, kLanes, neutral, add, ahead);
        if (whole != length)
          sums = chooseBranch(
              threads.isEqual(number, last),
              [&] {
                Value first = ownLane(threads.constant(whole));
                body.setLoop(innermost, first);
                return addRest(body, sums, first, length);
              },
              sums);
        body.forgetInvariants();
        return sums;
      },
      neutral);
  return combineLanes(body, lanes);
}

/// Adds this thread's elements in [first, length), one per lane.
Values RowTeam::addRest(VectorBody &body, ValueRange lanes, Value first, int64_t length) {
  if (length % kOwnLanes == 0)
    return chooseBranch(
        threads.isLess(first, threads.constant(length)),
        [&] { return body.combine(builder, lanes, body.emit(builder, kOwnLanes), kOwnLanes); }, lanes);
  // In a loop: LLVM would combine loads of three neighbours to one of four, beyond the end.
  Value from = threads.constant(0), left = threads.minus(threads.constant(length), first);
  Value count = arith::MinSIOp::create(builder, loc, left, threads.constant(kOwnLanes));
  auto numbers = VectorType::get({kOwnLanes}, builder.getIndexType());
  return buildLoop(builder, loc, from, count, 1, lanes, [&](Value number, ValueRange sums) {
    body.setInnermost(threads.plus(first, number));
    Values terms;
    for (auto [term, sum] : llvm::zip(body.emit(builder, 1), sums))
      terms.push_back(vector::BroadcastOp::create(builder, loc, sum.getType(), term));
    Value all = vector::StepOp::create(builder, loc, numbers);
    Value own = vector::BroadcastOp::create(builder, loc, numbers, number);
    Value isOwn = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, all, own);
    Values added;
    for (auto [sum, old] : llvm::zip(body.combine(builder, sums, terms, kOwnLanes), sums))
      added.push_back(threads.choose(isOwn, sum, old));
    return added;
  });
}

/// Combines the 16 lanes by halves: at distances 8 and 4 with other threads, at 2 and 1 within the thread.
/// Every thread gets the sum.
Values RowTeam::combineLanes(VectorBody &body, ValueRange lanes) {
  Values sums(lanes);
  for (int64_t distance = kQuad / 2; distance > 0; distance /= 2) {
    Values others;
    for (Value sum : sums)
      others.push_back(threads.exchange(sum, distance));
    sums = body.combine(builder, sums, others, kOwnLanes);
  }
  return body.combineLanes(builder, sums, kOwnLanes);
}

/// Stores a result. A result may overwrite elements that other threads read for an earlier one, so that all
/// threads wait before the next result is stored.
void RowTeam::store(linalg::GenericOp generic, VectorBody &body) {
  if (std::exchange(hasStored, true))
    threads.barrier();
  Value stores = isActive;
  if (generic.getNumLoops() == 0)
    stores = threads.both(isActive, threads.isEqual(member, 0));
  chooseBranch(stores,
               [&] {
                 if (generic.getNumLoops() == 0)
                   body.storeOutputs(builder, body.emit(builder, 1), 1);
                 else
                   storeStrips(generic, body);
                 return Values();
               },
               {});
}

/// Stores strips of four elements, neighbouring strips by neighbouring threads. In a quad, a thread stores
/// the elements that it has added up.
void RowTeam::storeStrips(linalg::GenericOp generic, VectorBody &body) {
  SmallVector<int64_t> ranges = generic.getStaticLoopRanges();
  const int64_t length = ranges.pop_back_val(), strips = llvm::divideCeil(length, kOwnLanes);
  const bool isWhole = length % kOwnLanes == 0;
  int64_t tasks = strips;
  for (int64_t range : ranges)
    tasks *= range;
  body.hoistInvariants(builder);
  auto emitStrip = [&](Value first, int64_t width) {
    body.setInnermost(first);
    body.storeOutputs(builder, body.emit(builder, width), width);
    return Values();
  };
  auto emitTask = [&](Value task, ValueRange) {
    Value outer = threads.quotient(task, strips);
    Value first = threads.times(ranges.empty() ? task : threads.remainder(task, strips), kOwnLanes);
    for (size_t loop = ranges.size(); loop-- > 0; outer = threads.quotient(outer, ranges[loop]))
      body.setLoop(loop, threads.remainder(outer, ranges[loop]));
    if (isWhole)
      return emitStrip(first, kOwnLanes);
    Value end = threads.plus(first, threads.constant(kOwnLanes));
    Value isInside = threads.isLess(end, threads.constant(length + 1));
    auto branch = scf::IfOp::create(builder, loc, isInside, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    emitStrip(first, kOwnLanes);
    builder.setInsertionPointToStart(branch.elseBlock());
    buildLoop(builder, loc, first, threads.constant(length), 1, {},
              [&](Value element, ValueRange) { return emitStrip(element, 1); });
    return Values();
  };
  const int64_t step = isBlock ? grid.threads : kQuad;
  const int64_t ahead = isWhole ? iterationsAhead(generic, pieces, kOwnLanes, tasks / step) : 1;
  Value end = threads.constant(tasks), known = end;
  std::optional<ConstantTail> tail;
  if (isWhole && ranges.empty() && (tail = ConstantTail::find(generic))) {
    Value bound = tail->bound(builder, kOwnLanes * step * ahead);
    Value none = threads.constant(0), all = threads.constant(length);
    Value elements = threads.between(none, bound, all);
    known = threads.quotient(elements, kOwnLanes);
  }
  buildLoop(builder, loc, member, known, step, {}, emitTask, ahead);
  if (tail) {
    Values constants = body.constants(builder, tail->constants, kOwnLanes);
    buildLoop(builder, loc, threads.plus(known, member), end, step, {}, [&](Value task, ValueRange) {
      body.setInnermost(threads.times(task, kOwnLanes));
      body.storeOutputs(builder, constants, kOwnLanes);
      return Values();
    });
  }
  body.forgetInvariants();
}

} // namespace

int64_t iterationsAhead(linalg::GenericOp generic, const PieceSums &pieces, int64_t width,
                        int64_t iterations) {
  // Words of 32 bits per thread. Blocks of pieces have few threads, and so more registers for each.
  constexpr int64_t kWords = 32, kPieceWords = 64, kMost = 16;
  int64_t words = 0;
  for (OpOperand *input : generic.getDpsInputOperands()) {
    const bool isLoaded = !bufferOf(input->get()).getDefiningOp<memref::AllocaOp>() &&
                          !generic.getMatchingBlockArgument(input).use_empty();
    const bool isVector = generic.getMatchingIndexingMap(input).isFunctionOfDim(generic.getNumLoops() - 1);
    const int64_t bits = cast<MemRefType>(input->get().getType()).getElementTypeBitWidth();
    if (isLoaded)
      words += llvm::divideCeil(isVector ? width * bits : bits, 32);
  }
  const int64_t room = (pieces.phase == SumPhase::Pieces ? kPieceWords : kWords) / std::max(words, width);
  const int64_t most = std::min({room, iterations, kMost});
  return most < 1 ? 1 : static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(most)));
}

int64_t rowsOf(linalg::GenericOp generic) {
  int64_t rows = 1;
  for (auto [extent, kind] :
       llvm::zip(ArrayRef(generic.getStaticLoopRanges()).drop_back(), generic.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      rows *= extent;
  return rows;
}

void setRow(OpBuilder &builder, VectorBody &body, linalg::GenericOp generic, ArrayRef<unsigned> loops,
            Value number) {
  ThreadBuilder threads(builder, generic.getLoc());
  SmallVector<int64_t> ranges = generic.getStaticLoopRanges();
  if (!number) // there is only one row
    for (unsigned loop = 0; loop + 1 < ranges.size(); ++loop)
      body.setLoop(loop, threads.constant(0));
  for (; loops.size() > 1; loops = loops.drop_back()) {
    body.setLoop(loops.back(), threads.remainder(number, ranges[loops.back()]));
    number = threads.quotient(number, ranges[loops.back()]);
  }
  if (!loops.empty())
    body.setLoop(loops.front(), number);
}

std::unique_ptr<DeviceTeam> makeRowTeam(RowNest &nest, ArrayRef<linalg::GenericOp> generics,
                                        const PieceSums &pieces, OpBuilder &builder) {
  return std::make_unique<RowTeam>(nest, generics, pieces, builder);
}

} // namespace windlass::codegen
