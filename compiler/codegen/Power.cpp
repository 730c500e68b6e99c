// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/Power.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace windlass::codegen {
namespace {

/// Arithmetic on numbers of one type, or on vectors of them.
struct Numbers {
  OpBuilder &builder;
  Location loc;
  Type type;

  Value number(double value) const {
    TypedAttr attribute = builder.getFloatAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(builder, loc, attribute);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, double y) const {
    return arith::CmpFOp::create(builder, loc, predicate, x, number(y));
  }
  Value select(Value condition, Value x, Value y) const {
    return arith::SelectOp::create(builder, loc, condition, x, y);
  }
  Value both(Value x, Value y) const { return arith::AndIOp::create(builder, loc, x, y); }
  /// Compares x with the whole number at or below it: OEQ asks whether x is whole, UNE whether it is not.
  Value compareFloor(arith::CmpFPredicate predicate, Value x) const {
    Value floor = math::FloorOp::create(builder, loc, x);
    return arith::CmpFOp::create(builder, loc, predicate, floor, x);
  }
  /// Whether the sign of x is negative, which -0 has as well.
  Value hasMinus(Value x) const {
    Value sign = math::CopySignOp::create(builder, loc, number(1), x);
    return compare(arith::CmpFPredicate::OLT, sign, 0);
  }
};

LogicalResult expandPower(math::PowFOp op, PatternRewriter &rewriter) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Location loc = op.getLoc();
  const Numbers n{rewriter, loc, op.getType()};
  Value a = op.getLhs(), b = op.getRhs(), one = n.number(1);
  Value size = math::AbsFOp::create(rewriter, loc, a), log = math::LogOp::create(rewriter, loc, size);
  Value power = math::ExpOp::create(rewriter, loc, arith::MulFOp::create(rewriter, loc, b, log));
  // For infinite b, b log 1 is not a number.
  power = n.select(n.compare(arith::CmpFPredicate::OEQ, size, 1), one, power);
  Value half = arith::MulFOp::create(rewriter, loc, b, n.number(0.5));
  Value isWhole = n.compareFloor(arith::CmpFPredicate::OEQ, b);
  Value isOdd = n.both(isWhole, n.compareFloor(arith::CmpFPredicate::UNE, half));
  Value isTurned = n.both(isOdd, n.hasMinus(a));
  power = n.select(isTurned, arith::NegFOp::create(rewriter, loc, power), power);
  Value isBelow = n.compare(arith::CmpFPredicate::OLT, a, 0);
  Value isFinite = n.compare(arith::CmpFPredicate::OLT, size, kInfinity);
  Value isFiniteBelow = n.both(isBelow, isFinite);
  Value ofWhole = n.select(isWhole, power, n.number(std::numeric_limits<double>::quiet_NaN()));
  power = n.select(isFiniteBelow, ofWhole, power);
  rewriter.replaceOp(op, n.select(n.compare(arith::CmpFPredicate::OEQ, b, 0), one, power));
  return success();
}

} // namespace

void populatePowerPatterns(RewritePatternSet &patterns) { patterns.add(expandPower); }

} // namespace windlass::codegen
