// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Graph/IR/GraphIndexing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace windlass::graph {

std::pair<int64_t, int64_t> LinearIndex::range(ArrayRef<int64_t> extents) const {
  int64_t least = constant, largest = constant;
  for (Term term : terms)
    (term.factor < 0 ? least : largest) += term.factor * (extents[term.loop] - 1);
  return {least, largest};
}

/// Adds `factor` times an expression; false if it is not linear.
static bool addTerms(LinearIndex &index, AffineExpr expr, int64_t factor) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    index.constant += factor * constant.getValue();
    return true;
  }
  if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
    index.terms.push_back({loop.getPosition(), factor});
    return true;
  }
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  if (both && both.getKind() == AffineExprKind::Add)
    return addTerms(index, both.getLHS(), factor) && addTerms(index, both.getRHS(), factor);
  auto times = both ? dyn_cast<AffineConstantExpr>(both.getRHS()) : AffineConstantExpr();
  return times && both.getKind() == AffineExprKind::Mul &&
         addTerms(index, both.getLHS(), factor * times.getValue());
}

std::optional<LinearIndex> linearIndex(AffineExpr expr) {
  LinearIndex index;
  if (!addTerms(index, expr, 1))
    return std::nullopt;
  return index;
}

SmallVector<unsigned> loopsOf(AffineMap map) {
  SmallVector<unsigned> loops;
  for (AffineExpr expr : map.getResults())
    if (std::optional<LinearIndex> index = linearIndex(expr))
      for (LinearIndex::Term term : index->terms)
        loops.push_back(term.loop);
  return loops;
}

bool readsWhole(AffineMap map, ArrayRef<int64_t> extents, ArrayRef<int64_t> shape) {
  return map.isIdentity() && extents == shape;
}

Value buildIndex(OpBuilder &builder, Location loc, AffineExpr expr,
                 llvm::function_ref<Value(unsigned)> loopValue) {
  LinearIndex index = *linearIndex(expr);
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  Value sum;
  for (LinearIndex::Term term : index.terms) {
    Value value = loopValue(term.loop);
    if (term.factor != 1)
      value = arith::MulIOp::create(builder, loc, value, constant(term.factor));
    sum = sum ? arith::AddIOp::create(builder, loc, sum, value).getResult() : value;
  }
  if (!sum)
    return constant(index.constant);
  return index.constant == 0 ? sum : arith::AddIOp::create(builder, loc, sum, constant(index.constant));
}

} // namespace windlass::graph
