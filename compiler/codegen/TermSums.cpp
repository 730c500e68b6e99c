// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/TermSums.h"

#include "compiler/codegen/Vectorize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace windlass::codegen {

Values buildLoop(OpBuilder &builder, Location loc, Value from, Value to, int64_t step, ValueRange carried,
                 llvm::function_ref<Values(Value, ValueRange)> inner) {
  auto loop =
      scf::ForOp::create(builder, loc, from, to, arith::ConstantIndexOp::create(builder, loc, step), carried);
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
  return buildLoop(builder, loc, from, to, span, initial, [&](Value first, ValueRange sums) {
    return body.combine(builder, sums, item(first), width);
  });
}

} // namespace windlass::codegen
