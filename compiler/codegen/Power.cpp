// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/Power.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace windlass::codegen {
namespace {

LogicalResult expandPower(math::PowFOp op, PatternRewriter &rewriter) {
  const Location loc = op.getLoc();
  Value a = op.getLhs(), b = op.getRhs();
  const auto number = [&](double value) {
    TypedAttr attribute = rewriter.getFloatAttr(getElementTypeOrSelf(op.getType()), value);
    if (auto vector = dyn_cast<VectorType>(op.getType()))
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(rewriter, loc, attribute);
  };
  const auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(rewriter, loc, predicate, x, y);
  };
  const auto select = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(rewriter, loc, condition, x, y);
  };
  const auto isWhole = [&](Value x) {
    return compare(arith::CmpFPredicate::OEQ, math::FloorOp::create(rewriter, loc, x), x);
  };
  Value zero = number(0), size = math::AbsFOp::create(rewriter, loc, a);
  Value exponent = arith::MulFOp::create(rewriter, loc, b, math::LogOp::create(rewriter, loc, size));
  Value power = math::ExpOp::create(rewriter, loc, exponent);
  Value half = arith::MulFOp::create(rewriter, loc, b, number(0.5));
  Value negated = arith::NegFOp::create(rewriter, loc, power);
  Value ofWhole = select(isWhole(half), power, negated);
  Value ofNegative = select(isWhole(b), ofWhole, number(std::numeric_limits<double>::quiet_NaN()));
  Value isNegative = compare(arith::CmpFPredicate::OLT, a, zero);
  Value isOne = compare(arith::CmpFPredicate::OEQ, b, zero);
  rewriter.replaceOp(op, select(isOne, number(1), select(isNegative, ofNegative, power)));
  return success();
}

} // namespace

void populatePowerPatterns(RewritePatternSet &patterns) { patterns.add(expandPower); }

} // namespace windlass::codegen
