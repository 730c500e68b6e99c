// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/placements/Linear.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace windlass::graph {

/// Whether the result of an op in a body is linear in its operands that are terms, given that some are.
static bool isLinearIn(Operation &op, const llvm::DenseSet<Value> &terms) {
  auto isTerm = [&](unsigned operand) { return terms.contains(op.getOperand(operand)); };
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::NegFOp>(op))
    return true;
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return isTerm(0) && isTerm(1);
  if (isa<arith::MulFOp>(op))
    return isTerm(0) != isTerm(1);
  if (isa<arith::DivFOp>(op))
    return !isTerm(1);
  if (!isa<arith::SelectOp>(op) || isTerm(0))
    return false;
  return llvm::all_of(llvm::seq(1u, 3u), [&](unsigned side) {
    return isTerm(side) || matchPattern(op.getOperand(side), m_AnyZeroFloat());
  });
}

bool isLinear(MapOp map, ArrayRef<bool> areTerms) {
  Block &body = map.getBody().front();
  llvm::DenseSet<Value> terms;
  for (auto [argument, isTerm] : llvm::zip_equal(body.getArguments(), areTerms))
    if (isTerm)
      terms.insert(argument);
  for (Operation &op : body.without_terminator()) {
    if (llvm::none_of(op.getOperands(), [&](Value operand) { return terms.contains(operand); }))
      continue;
    if (!isLinearIn(op, terms))
      return false;
    terms.insert(op.result_begin(), op.result_end());
  }
  return llvm::all_of(map.getYielded(), [&](Value yielded) { return terms.contains(yielded); });
}

} // namespace windlass::graph
