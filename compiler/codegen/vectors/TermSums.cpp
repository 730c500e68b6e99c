// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/vectors/TermSums.h"

#include "compiler/codegen/vectors/Vectorize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace windlass::codegen {

void moveLoadsFirst(Block &block) {
  llvm::SmallPtrSet<Operation *, 32> early;
  for (Operation &op : llvm::reverse(block)) {
    const bool isNeeded = llvm::any_of(op.getUsers(), [&](Operation *user) { return early.contains(user); });
    if (isa<memref::LoadOp, vector::LoadOp>(op) || (isNeeded && isPure(&op) && op.getNumRegions() == 0))
      early.insert(&op);
  }
  Operation *late = nullptr; // the first
  for (Operation &op : llvm::make_early_inc_range(block)) {
    const bool canMove =
        early.contains(&op) && llvm::all_of(op.getOperands(), [&](Value operand) {
          Operation *definition = operand.getDefiningOp();
          return !definition || definition->getBlock() != &block || early.contains(definition);
        });
    if (!canMove)
      early.erase(&op), late = late ? late : &op;
    else if (late)
      op.moveBefore(late);
  }
}

Values buildLoop(OpBuilder &builder, Location loc, Value from, Value to, int64_t step, ValueRange carried,
                 llvm::function_ref<Values(Value, ValueRange)> inner, int64_t ahead) {
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); };
  Values values(carried);
  if (ahead > 1) {
    // (to - from) / step, rounded up, is the number of iterations; in groups, rounded down.
    const int64_t group = step * ahead;
    Value length = arith::SubIOp::create(builder, loc, to, from);
    Value rounded = arith::AddIOp::create(builder, loc, length, constant(step - 1));
    Value whole = arith::AndIOp::create(builder, loc, rounded, constant(-group));
    Value end = arith::AddIOp::create(builder, loc, from, whole);
    values = buildLoop(builder, loc, from, end, group, carried, [&](Value first, ValueRange sums) {
      Values results(sums);
      for (int64_t number = 0; number < ahead; ++number) {
        Value distance = constant(number * step);
        results = inner(arith::AddIOp::create(builder, loc, first, distance), results);
      }
      moveLoadsFirst(*builder.getInsertionBlock());
      return results;
    });
    from = end;
  }
  auto loop = scf::ForOp::create(builder, loc, from, to, constant(step), values);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Values results = inner(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!carried.empty()) // otherwise the loop was made with its terminator
    scf::YieldOp::create(builder, loc, results);
  return Values(loop.getResults());
}

Value TermSums::constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

Values TermSums::sum(int64_t count, ValueRange initial, Term term) {
  int64_t span = 1;
  while (span * kTerms < count)
    span *= kTerms;
  Value from = constant(0);
  return sumSpans(count, from, constant(count), span, initial, term);
}

/// initial + the sums of `span` terms each in [from, to), the last of which may have fewer.
Values TermSums::sumSpans(int64_t count, Value from, Value to, int64_t span, ValueRange initial, Term term) {
  if (span == 1)
    return addItems(from, to, span, initial, term);
  return addItems(from, to, span, initial, [&](Value first) {
    Value end = arith::AddIOp::create(builder, loc, first, constant(span));
    if (count % span != 0)
      end = arith::MinSIOp::create(builder, loc, end, to);
    return sumSpans(count, first, end, span / kTerms, body.neutral(builder, width), term);
  });
}

Values TermSums::addItems(Value from, Value to, int64_t span, ValueRange initial, Term item) {
  auto add = [&](Value first, ValueRange sums) { return body.combine(builder, sums, item(first), width); };
  return buildLoop(builder, loc, from, to, span, initial, add, span == 1 ? ahead : 1);
}

} // namespace windlass::codegen
