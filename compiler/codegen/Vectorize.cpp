// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/Vectorize.h"

#include "compiler/codegen/VectorBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

using Values = SmallVector<Value>;

/// Rewrites one linalg.generic.
class GenericVectorizer {
public:
  explicit GenericVectorizer(linalg::GenericOp generic)
      : builder(generic), loc(generic.getLoc()), generic(generic), body(generic) {
    for (const Range &range : cast<linalg::LinalgOp>(*generic).createLoopRanges(builder, loc))
      bounds.push_back(range.size);
    for (auto [loop, kind] : llvm::enumerate(generic.getIteratorTypesArray()))
      (kind == utils::IteratorType::reduction ? reduced : parallel).push_back(loop);
  }

  void rewrite() {
    bool alongReduction = !reduced.empty() && reduced.back() == bounds.size() - 1;
    if (bounds.empty())
      emitMap(1);
    else if (alongReduction)
      overLoops(parallel, [&] { emitLaneReduction(); });
    else
      overLoops(ArrayRef(parallel).drop_back(), [&] { emitStrips(); });
    generic.erase();
  }

private:
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value bound(unsigned loop) { return getValueOrCreateConstantIndexOp(builder, loc, bounds[loop]); }

  /// Nested loops over `loops`, outermost first, around `inner`.
  void overLoops(ArrayRef<unsigned> loops, llvm::function_ref<void()> inner) {
    overLoops(loops, {}, [&](ValueRange) {
      inner();
      return Values();
    });
  }

  /// As above, carrying values from each iteration to the next.
  Values overLoops(ArrayRef<unsigned> loops, ValueRange carried,
                   llvm::function_ref<Values(ValueRange)> inner) {
    if (loops.empty())
      return inner(carried);
    return overRange(constant(0), bound(loops.front()), 1, carried, [&](Value iv, ValueRange values) {
      body.setLoop(loops.front(), iv);
      return overLoops(loops.drop_front(), values, inner);
    });
  }

  Values overRange(Value from, Value to, int64_t step, ValueRange carried,
                   llvm::function_ref<Values(Value, ValueRange)> inner) {
    auto loop = scf::ForOp::create(builder, loc, from, to, constant(step), carried);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Values results = inner(loop.getInductionVar(), loop.getRegionIterArgs());
    if (!carried.empty()) // otherwise the loop was made with its terminator
      scf::YieldOp::create(builder, loc, results);
    return Values(loop.getResults());
  }

  /// Cuts [0, bound) of the innermost loop into strips of decreasing width; the last are single elements.
  void emitStrips() {
    unsigned loop = bounds.size() - 1;
    SmallVector<int64_t> widths = {kLanes, 1};
    if (!reduced.empty())
      widths.insert(widths.begin(), kColumns);
    body.setLoop(loop, nullptr);
    if (reduced.empty())
      body.hoistInvariants(builder);
    Value from = constant(0);
    for (int64_t width : widths) {
      Value to = roundDown(bound(loop), width);
      if (from == to || getConstantIntValue(from) == getConstantIntValue(to).value_or(-1))
        continue;
      overRange(from, to, width, {}, [&](Value iv, ValueRange) {
        body.setLoop(loop, iv);
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

  /// One vector of results: loads, the body, stores; a reduction runs its loops in index order in between.
  void emitMap(int64_t width) {
    Values results;
    if (reduced.empty()) {
      results = body.emit(builder, width);
    } else {
      Values initial = body.loadOutputs(builder, width);
      results = overLoops(reduced, initial, [&](ValueRange sums) {
        return body.combine(builder, sums, body.emit(builder, width), width);
      });
    }
    body.storeOutputs(builder, results, width);
  }

  /// The innermost loop is reduced: blocks of lanes, combined by a fixed tree, added up in order.
  void emitLaneReduction() {
    unsigned loop = bounds.size() - 1;
    Values totals =
        overLoops(ArrayRef(reduced).drop_back(), body.loadOutputs(builder, 1), [&](ValueRange carried) {
          body.setLoop(loop, nullptr);
          body.hoistInvariants(builder);
          Values sums = emitBlocks(loop, carried);
          body.forgetInvariants();
          return sums;
        });
    body.storeOutputs(builder, totals, 1);
  }

  Values emitBlocks(unsigned loop, ValueRange carried) {
    Value end = bound(loop);
    std::optional<int64_t> known = getConstantIntValue(end);
    if (known && *known <= kReductionBlock)
      return body.combine(builder, carried, emitBlock(loop, constant(0), end), 1);
    return overRange(constant(0), end, kReductionBlock, carried, [&](Value from, ValueRange totals) {
      Value full = arith::AddIOp::create(builder, loc, from, constant(kReductionBlock));
      Value to = arith::MinSIOp::create(builder, loc, full, end);
      return body.combine(builder, totals, emitBlock(loop, from, to), 1);
    });
  }

  /// Lane l takes elements from + l, from + l + 16, ...; the elements after the last full vector follow
  /// singly.
  Values emitBlock(unsigned loop, Value from, Value to) {
    auto strip = [&](Value begin, Value end, int64_t width, ValueRange carried) {
      return overRange(begin, end, width, carried, [&](Value iv, ValueRange sums) {
        body.setLoop(loop, iv);
        return body.combine(builder, sums, body.emit(builder, width), width);
      });
    };
    // `from` is a multiple of the lanes, so rounding the end down leaves full vectors.
    Value vectorsEnd = roundDown(to, kLanes);
    Values lanes = strip(from, vectorsEnd, kLanes, body.neutral(builder, kLanes));
    return strip(vectorsEnd, to, 1, body.combineLanes(builder, lanes, kLanes));
  }

  OpBuilder builder;
  Location loc;
  linalg::GenericOp generic;
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

} // namespace windlass::codegen
