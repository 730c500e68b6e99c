// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/vectors/Vectorize.h"

#include "compiler/codegen/vectors/TermSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

/// Rewrites one linalg.generic.
class GenericVectorizer {
public:
  explicit GenericVectorizer(linalg::GenericOp generic, PieceSums pieces = {})
      : builder(generic), loc(generic.getLoc()), generic(generic), pieces(std::move(pieces)), body(generic) {
    for (const Range &range : cast<linalg::LinalgOp>(*generic).createLoopRanges(builder, loc))
      bounds.push_back(range.size);
    for (auto [loop, kind] : llvm::enumerate(generic.getIteratorTypesArray()))
      (kind == utils::IteratorType::reduction ? reduced : parallel).push_back(loop);
  }

  void rewrite() {
    bool alongReduction = !reduced.empty() && reduced.back() == innermost();
    if (bounds.empty())
      emitMap(1);
    else if (alongReduction)
      overLoops(parallel, [&] { emitLaneReduction(); });
    else
      overLoops(ArrayRef(parallel).drop_back(), [&] { emitStrips(); });
    generic.erase();
  }

  /// Stores the sums of blocks [begin, end) of the only row of the function.
  void storeBlocks(Value begin, Value end) {
    const int64_t last = pieces.count - 1;
    overRange(begin, end, 1, {}, [&](Value number, ValueRange) {
      pieces.store(builder, loc, emitBlock(number, last), number, constant(0));
      return Values();
    });
    generic.erase();
  }

private:
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value bound(unsigned loop) { return getValueOrCreateConstantIndexOp(builder, loc, bounds[loop]); }
  /// The extent of a reduced loop, which is constant.
  int64_t extent(unsigned loop) { return *getConstantIntValue(bounds[loop]); }
  unsigned innermost() const { return bounds.size() - 1; }

  /// Nested loops over `loops`, outermost first, around `inner`.
  void overLoops(ArrayRef<unsigned> loops, llvm::function_ref<void()> inner) {
    if (loops.empty())
      return inner();
    Value from = constant(0), to = bound(loops.front());
    overRange(from, to, 1, {}, [&](Value iv, ValueRange) {
      body.setLoop(loops.front(), iv);
      overLoops(loops.drop_front(), inner);
      return Values();
    });
  }

  Values overRange(Value from, Value to, int64_t step, ValueRange carried,
                   llvm::function_ref<Values(Value, ValueRange)> inner) {
    return buildLoop(builder, loc, from, to, step, carried, inner);
  }

  /// Cuts [0, bound) of the innermost loop into strips of decreasing width; the last are single elements.
  void emitStrips() {
    SmallVector<int64_t> widths = {kLanes, 1};
    if (!reduced.empty())
      widths.insert(widths.begin(), kColumns);
    body.setLoop(innermost(), nullptr);
    if (reduced.empty())
      body.hoistInvariants(builder);
    Value from = constant(0);
    for (int64_t width : widths) {
      Value to = roundDown(bound(innermost()), width);
      if (from == to || getConstantIntValue(from) == getConstantIntValue(to).value_or(-1))
        continue;
      overRange(from, to, width, {}, [&](Value iv, ValueRange) {
        body.setLoop(innermost(), iv);
        emitMap(width);
        return Values();
      });
      from = to;
    }
    body.forgetInvariants();
  }

  Value roundDown(Value value, int64_t multiple) {
    if (auto known = getConstantIntValue(value))
      return constant(*known / multiple * multiple);
    if (multiple == 1)
      return value;
    Value rest = arith::AndIOp::create(builder, loc, value, constant(multiple - 1));
    return arith::SubIOp::create(builder, loc, value, rest);
  }

  /// One vector of results: loads, the body, stores; a reduction adds up its rows in between.
  void emitMap(int64_t width) {
    Values results = reduced.empty() ? body.emit(builder, width)
                                     : sumRows(reduced, body.loadOutputs(builder, width), width,
                                               [&] { return body.emit(builder, width); });
    body.storeOutputs(builder, results, width);
  }

  /// The innermost loop is reduced: a row is the elements along it, added up by lanes.
  void emitLaneReduction() {
    Values totals = sumRows(ArrayRef(reduced).drop_back(), body.loadOutputs(builder, 1), 1, [&] {
      body.setLoop(innermost(), nullptr);
      body.hoistInvariants(builder);
      Values sums = emitRow();
      body.forgetInvariants();
      return sums;
    });
    body.storeOutputs(builder, totals, 1);
  }

  /// `initial` plus the rows of these loops, in the order of all of them, the last fastest.
  Values sumRows(ArrayRef<unsigned> loops, ValueRange initial, int64_t width,
                 llvm::function_ref<Values()> row) {
    int64_t rows = 1;
    for (unsigned loop : loops)
      rows *= extent(loop);
    return sumTerms(rows, initial, width, [&](Value number) {
      setRow(loops, number);
      return row();
    });
  }

  void setRow(ArrayRef<unsigned> loops, Value number) {
    for (; loops.size() > 1; loops = loops.drop_back()) {
      Value size = constant(extent(loops.back()));
      body.setLoop(loops.back(), arith::RemUIOp::create(builder, loc, number, size));
      number = arith::DivUIOp::create(builder, loc, number, size);
    }
    if (!loops.empty())
      body.setLoop(loops.front(), number);
  }

  Values sumTerms(int64_t count, ValueRange initial, int64_t width, TermSums::Term term) {
    return TermSums(builder, loc, body, width).sum(count, initial, term);
  }

  /// The sum along the innermost loop, from the sums of its blocks. A row that is shorter than a vector has
  /// as many lanes as it needs.
  Values emitRow() {
    int64_t length = extent(innermost());
    if (length < kLanes) {
      auto width = static_cast<int64_t>(llvm::bit_ceil(static_cast<uint64_t>(length)));
      return body.combineLanes(builder, emitRest(0, width), width);
    }
    int64_t blocks = llvm::divideCeil(length, kReductionBlock);
    auto block = [&](Value number) {
      return pieces.phase == SumPhase::Total ? pieces.load(builder, loc, number, constant(0))
                                             : emitBlock(number, blocks - 1);
    };
    return blocks == 1 ? block(constant(0)) : sumTerms(blocks, body.neutral(builder, 1), 1, block);
  }

  /// The sum of a block: lane l adds up elements l, l + 16, ... The elements behind the last whole vector
  /// belong to the last block.
  Values emitBlock(Value number, int64_t last) {
    int64_t length = extent(innermost()), whole = length / kLanes * kLanes;
    Value from = arith::MulIOp::create(builder, loc, number, constant(kReductionBlock));
    Value full = arith::AddIOp::create(builder, loc, from, constant(kReductionBlock));
    Value to = arith::MinSIOp::create(builder, loc, full, constant(whole));
    Values lanes = overRange(from, to, kLanes, body.neutral(builder, kLanes), [&](Value iv, ValueRange sums) {
      body.setLoop(innermost(), iv);
      return body.combine(builder, sums, body.emit(builder, kLanes), kLanes);
    });
    if (whole != length)
      lanes = onlyIn(last, number, lanes,
                     [&] { return body.combine(builder, lanes, emitRest(whole, kLanes), kLanes); });
    return body.combineLanes(builder, lanes, kLanes);
  }

  /// The elements from `whole` on, one a lane.
  Values emitRest(int64_t whole, int64_t width) {
    body.setLoop(innermost(), constant(whole));
    return body.emitFirst(builder, extent(innermost()) - whole, width);
  }

  /// The values of `changed` in iteration `only` of a loop, and `values` in other iterations.
  Values onlyIn(int64_t only, Value number, ValueRange values, llvm::function_ref<Values()> changed) {
    Value isIt = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, number, constant(only));
    auto branch = scf::IfOp::create(builder, loc, values.getTypes(), isIt, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, changed());
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, values);
    return Values(branch.getResults());
  }

  OpBuilder builder;
  Location loc;
  linalg::GenericOp generic;
  PieceSums pieces;
  VectorBody body;
  SmallVector<OpFoldResult> bounds;
  SmallVector<unsigned> parallel, reduced;
};

} // namespace

void vectorizeGenerics(func::FuncOp function) {
  SmallVector<linalg::GenericOp> generics;
  function.walk([&](linalg::GenericOp generic) { generics.push_back(generic); });
  for (linalg::GenericOp generic : generics)
    GenericVectorizer(generic).rewrite();
}

LogicalResult vectorizeRow(func::FuncOp function, SumPhase phase) {
  SmallVector<linalg::GenericOp> others;
  linalg::GenericOp row;
  function.walk([&](linalg::GenericOp generic) {
    if (generic.getNumReductionLoops() > 0 && !row)
      row = generic;
    else
      others.push_back(generic);
  });
  PieceSums pieces{phase};
  pieces.count = llvm::divideCeil(row.getStaticLoopRanges().back(), kReductionBlock);
  if (failed(pieces.addBuffers(function, row, /*results=*/1)))
    return failure();
  GenericVectorizer vectorizer(row, pieces);
  if (phase == SumPhase::Pieces) { // this phase needs neither the first values nor the result
    const unsigned range = function.getNumArguments() - 2;
    vectorizer.storeBlocks(function.getArgument(range), function.getArgument(range + 1));
    for (linalg::GenericOp other : others)
      other.erase();
    return success();
  }
  vectorizer.rewrite();
  vectorizeGenerics(function);
  return success();
}

} // namespace windlass::codegen
