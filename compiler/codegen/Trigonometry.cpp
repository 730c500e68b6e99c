// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/Trigonometry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

constexpr double kTwoOverPi = 0.63661977236758134308;
constexpr double kHalfPi = 1.57079632679489655800, kHalfPiRest = 6.12323399573676603587e-17;
/// Adding it to a smaller number leaves that number, rounded to an integer, in the lowest bits.
constexpr double kRounder = 6755399441055744.0; // 1.5 * 2^52

/// fdlibm's minimax polynomials on [-pi/4, pi/4], highest power first:
/// sin r = r + r^3 S(r^2), cos r = 1 - r^2/2 + r^4 C(r^2).
constexpr double kSine[] = {1.58969099521155010221e-10, -2.50507602534068634195e-08,
                            2.75573137070700676789e-06, -1.98412698298579493134e-04,
                            8.33333333332248946124e-03, -1.66666666666666324348e-01};
constexpr double kCosine[] = {-1.13596475577881948265e-11, 2.08757232129817482790e-09,
                              -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                              -1.38888888888741095749e-03, 4.16666666666666019037e-02};

/// Arithmetic on f64, or on vectors of it.
struct Doubles {
  OpBuilder &builder;
  Location loc;
  Type type;    ///< of f64
  Type integer; ///< of i64

  Value constant(double value) const {
    TypedAttr number = builder.getF64FloatAttr(value);
    if (auto vector = dyn_cast<VectorType>(type))
      number = DenseElementsAttr::get(vector, value);
    return arith::ConstantOp::create(builder, loc, number);
  }
  Value bits(int64_t value) const {
    TypedAttr number = builder.getI64IntegerAttr(value);
    if (auto vector = dyn_cast<VectorType>(integer))
      number = DenseElementsAttr::get(vector, value);
    return arith::ConstantOp::create(builder, loc, number);
  }
  Value fma(Value a, Value b, Value c) const { return math::FmaOp::create(builder, loc, a, b, c); }
  Value mul(Value a, Value b) const { return arith::MulFOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) const { return arith::SubFOp::create(builder, loc, a, b); }
  Value neg(Value a) const { return arith::NegFOp::create(builder, loc, a); }
  Value polynomial(ArrayRef<double> coefficients, Value x) const {
    Value sum = constant(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, constant(coefficient));
    return sum;
  }
  /// True where `number` has this bit.
  Value hasBit(Value number, int64_t bit) const {
    Value masked = arith::AndIOp::create(builder, loc, number, bits(bit));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, masked, bits(0));
  }
  Value select(Value condition, Value a, Value b) const {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
};

/// sin(x + shift * pi/2).
Value buildSine(const Doubles &d, Value x, int64_t shift) {
  Value perTurn = d.constant(kTwoOverPi), rounded = d.fma(x, perTurn, d.constant(kRounder));
  Value turns = d.neg(d.sub(rounded, d.constant(kRounder)));
  Value r = d.fma(turns, d.constant(kHalfPi), x);
  r = d.fma(turns, d.constant(kHalfPiRest), r);
  Value square = d.mul(r, r);
  Value cube = d.mul(square, r), sine = d.fma(cube, d.polynomial(kSine, square), r);
  Value minusHalf = d.constant(-0.5), parabola = d.fma(square, minusHalf, d.constant(1));
  Value fourth = d.mul(square, square), cosine = d.fma(fourth, d.polynomial(kCosine, square), parabola);
  Value quadrant = arith::BitcastOp::create(d.builder, d.loc, d.integer, rounded);
  if (shift != 0)
    quadrant = arith::AddIOp::create(d.builder, d.loc, quadrant, d.bits(shift));
  Value value = d.select(d.hasBit(quadrant, 1), cosine, sine);
  Value isTurned = d.hasBit(quadrant, 2);
  return d.select(isTurned, d.neg(value), value);
}

template <typename OpT, int64_t shift> struct ReduceAngle : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if (!element.isF32() && !element.isF64())
      return failure();
    auto of = [&](Type scalar) -> Type {
      auto vector = dyn_cast<VectorType>(type);
      return vector ? Type(VectorType::get(vector.getShape(), scalar)) : scalar;
    };
    Doubles d{rewriter, op.getLoc(), of(rewriter.getF64Type()), of(rewriter.getI64Type())};
    Value x = op.getOperand();
    if (element.isF32())
      x = arith::ExtFOp::create(rewriter, op.getLoc(), d.type, x);
    Value result = buildSine(d, x, shift);
    if (element.isF32())
      result = arith::TruncFOp::create(rewriter, op.getLoc(), type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void populateTrigonometryPatterns(RewritePatternSet &patterns) {
  patterns.add<ReduceAngle<math::SinOp, 0>, ReduceAngle<math::CosOp, 1>>(patterns.getContext());
}

} // namespace windlass::codegen
