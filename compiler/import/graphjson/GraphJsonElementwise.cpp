// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elementwise operations: each is a scalar body, its inputs broadcast as in numpy.

#include "compiler/import/graphjson/GraphJsonOp.h"
#include "runtime/base/Units.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace windlass::graph;

namespace windlass {
namespace {

bool isFloat(Value scalar) { return isa<FloatType>(scalar.getType()); }

/// A map over the shape that the inputs broadcast to.
Values buildBroadcast(GraphJsonOp &op, Type element, ScalarFn body) {
  Shape shape(op.shape(0));
  for (size_t i = 1; i < op.in.size(); ++i) {
    std::optional<Shape> both = broadcastShape(shape, op.shape(i));
    if (!op.need(both.has_value(), i, "must broadcast with " + formatShape(shape)))
      return {};
    shape = *both;
  }
  SmallVector<AffineMap> maps;
  for (size_t i = 0; i < op.in.size(); ++i)
    maps.push_back(*broadcastMap(op.context(), shape, op.shape(i)));
  return {buildMap(op.builder, op.loc, op.in, maps, tensorType(shape, element), body)};
}

bool needAllFloats(GraphJsonOp &op, size_t from = 0) {
  for (size_t i = from; i < op.in.size(); ++i)
    if (!op.needFloats(i))
      return false;
  return true;
}

/// All floats or all integers.
bool needOneKind(GraphJsonOp &op, size_t from = 0) {
  for (size_t i = from + 1; i < op.in.size(); ++i)
    if (!(op.isFloat(from) ? op.needFloats(i) : op.needIntegers(i)))
      return false;
  return true;
}

/// Inputs and result are floats.
template <auto body> Values onFloats(GraphJsonOp &op) {
  return needAllFloats(op) ? buildBroadcast(op, op.f32(), body) : Values();
}

/// Inputs and result are floats, or all are integers.
template <auto body> Values onNumbers(GraphJsonOp &op) {
  return needOneKind(op) ? buildBroadcast(op, op.type(0).getElementType(), body) : Values();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <typename FloatOp, typename IntegerOp> Value arithmetic(const Scalars &s, ValueRange x) {
  if (isFloat(x[0]))
    return FloatOp::create(s.builder, s.loc, x[0], x[1]);
  return IntegerOp::create(s.builder, s.loc, x[0], x[1]);
}

template <typename MathOp> Value function(const Scalars &s, ValueRange x) {
  return MathOp::create(s.builder, s.loc, x[0]);
}

Value divide(const Scalars &s, ValueRange x) { return s.div(x[0], x[1]); }
Value reciprocal(const Scalars &s, ValueRange x) { return s.div(s.like(x[0], 1), x[0]); }

Value negate(const Scalars &s, ValueRange x) {
  if (isFloat(x[0]))
    return s.neg(x[0]);
  return arith::SubIOp::create(s.builder, s.loc, s.like(x[0], 0), x[0]);
}

/// The larger or the smaller of two numbers. If they are equal, the adjoint of FloatOp gives the whole
/// gradient to the second operand. With `isShared` the result is then half of each, so that each operand gets
/// half of the gradient.
template <typename FloatOp, arith::CmpIPredicate isFirst>
Value extremum(const Scalars &s, ValueRange x, bool isShared) {
  if (!isFloat(x[0]))
    return s.select(s.compare(isFirst, x[0], x[1]), x[0], x[1]);
  Value result = FloatOp::create(s.builder, s.loc, x[0], x[1]);
  if (!isShared)
    return result;
  Value first = s.mul(s.like(x[0], 0.5), x[0]), second = s.mul(s.like(x[1], 0.5), x[1]);
  Value half = s.add(first, second);
  return s.select(s.compare(arith::CmpFPredicate::OEQ, x[0], x[1]), half, result);
}

template <typename FloatOp, arith::CmpIPredicate isFirst> Values buildExtremum(GraphJsonOp &op) {
  constexpr std::string_view kTies[] = {"split", "y"};
  const bool isShared = !op.place.has("ties") || op.place.at("ties").choice(kTies) == 0;
  if (!op.place.isOk() || !needOneKind(op))
    return {};
  return buildBroadcast(op, op.type(0).getElementType(), [&](const Scalars &s, ValueRange x) {
    return extremum<FloatOp, isFirst>(s, x, isShared);
  });
}

/// Clamps x. At a bound the result is the bound, which has no gradient; NaN stays NaN.
Value clip(const Scalars &s, Value x, double low, double high) {
  Value isBelow = s.compare(arith::CmpFPredicate::ULT, x, s.like(x, high));
  Value most = s.select(isBelow, x, s.like(x, high));
  Value isAbove = s.compare(arith::CmpFPredicate::UGT, most, s.like(x, low));
  return s.select(isAbove, most, s.like(x, low));
}

Values buildClip(GraphJsonOp &op) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kLargest = 1e300;
  double low = op.number("low", -kInfinity, -kLargest, kLargest);
  double high = op.number("high", kInfinity, low, kLargest);
  return needAllFloats(op)
             ? buildBroadcast(op, op.f32(),
                              [&](const Scalars &s, ValueRange x) { return clip(s, x[0], low, high); })
             : Values();
}

/// The number that all elements of a tensor are, if known.
std::optional<double> constantOf(Value tensor) {
  auto map = tensor.getDefiningOp<MapOp>();
  auto constant = map && map.getInputs().empty() && map.getNumResults() == 1
                      ? map.getYielded().front().getDefiningOp<arith::ConstantOp>()
                      : arith::ConstantOp();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

/// The product of `factors` times x: few one after the other, more by squares.
Value productOf(const Scalars &s, Value x, int64_t factors) {
  constexpr int64_t kFew = 8;
  Value product = x;
  if (factors <= kFew) {
    for (int64_t i = 1; i < factors; ++i)
      product = s.mul(product, x);
    return product;
  }
  product = productOf(s, s.mul(x, x), factors / 2);
  return factors % 2 == 0 ? product : s.mul(product, x);
}

/// A power. Whole exponents become products and 0.5 a root, since the general power is less exact, and of
/// numbers below 0 none.
Value power(const Scalars &s, Value x, double exponent) {
  constexpr double kMostFactors = 64;
  if (exponent == 0.5)
    return math::SqrtOp::create(s.builder, s.loc, x);
  if (exponent == 0)
    return s.like(x, 1.0);
  if (std::abs(exponent) > kMostFactors || exponent != std::floor(exponent))
    return math::PowFOp::create(s.builder, s.loc, x, s.like(x, exponent));
  Value product = productOf(s, x, static_cast<int64_t>(std::abs(exponent)));
  return exponent > 0 ? product : s.div(s.like(x, 1.0), product);
}

Values buildPower(GraphJsonOp &op) {
  if (!needAllFloats(op))
    return {};
  if (std::optional<double> exponent = constantOf(op.in[1]))
    return buildBroadcast(op, op.f32(),
                          [&](const Scalars &s, ValueRange x) { return power(s, x[0], *exponent); });
  return buildBroadcast(op, op.f32(), [](const Scalars &s, ValueRange x) -> Value {
    return math::PowFOp::create(s.builder, s.loc, x[0], x[1]);
  });
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

Value relu(const Scalars &s, ValueRange x) {
  Value zero = s.like(x[0], 0);
  return s.select(s.compare(arith::CmpFPredicate::OLE, x[0], zero), zero, x[0]);
}

/// exp(-|x|), which never overflows, and whether x >= 0.
std::pair<Value, Value> decay(const Scalars &s, Value x) {
  Value positive = s.compare(arith::CmpFPredicate::OGE, x, s.like(x, 0));
  return {s.exp(s.select(positive, s.neg(x), x)), positive};
}

Value sigmoid(const Scalars &s, Value x) {
  auto [e, positive] = decay(s, x);
  Value one = s.like(x, 1), right = s.div(one, s.add(s.like(x, 1), e));
  return s.select(positive, right, s.mul(e, right));
}

Value softplus(const Scalars &s, Value x) {
  auto [e, positive] = decay(s, x);
  Value tail = math::Log1pOp::create(s.builder, s.loc, e);
  return s.select(positive, s.add(x, tail), tail);
}

Values buildGelu(GraphJsonOp &op) {
  constexpr std::string_view forms[] = {"tanh", "erf"};
  bool isErf = op.place.has("form") && op.place.at("form").choice(forms) == 1;
  if (!needAllFloats(op))
    return {};
  return buildBroadcast(op, op.f32(), [&](const Scalars &s, ValueRange in) -> Value {
    Value x = in[0], half = s.mul(s.like(x, 0.5), x), shape;
    if (isErf) {
      shape = math::ErfOp::create(s.builder, s.loc, s.mul(x, s.like(x, 0.70710678118654752440)));
    } else {
      Value cube = s.mul(s.mul(x, x), x);
      Value inner = s.add(x, s.mul(s.like(x, 0.044715), cube));
      shape = math::TanhOp::create(s.builder, s.loc, s.mul(s.like(x, 0.79788456080286535588), inner));
    }
    return s.mul(half, s.add(s.like(x, 1), shape));
  });
}

/// Per element max(x, 0) - x y + log(1 + exp(-|x|)); then the mean of each row.
Values buildBceWithLogits(GraphJsonOp &op) {
  if (!needAllFloats(op) || !op.needRank(0, 1) || !op.needShape(1, op.shape(0)))
    return {};
  unsigned rank = op.rank(0);
  AffineMap identity = identityMap(op.context(), rank);
  double columns = static_cast<double>(op.last(0));
  return {buildReduce(op.builder, op.loc, Combine::Sum, {rank - 1}, op.in, {identity, identity},
                      tensorType(op.shape(0).drop_back(), op.f32()), [&](const Scalars &s, ValueRange x) {
                        Value whole = softplus(s, x[0]), loss = s.sub(whole, s.mul(x[0], x[1]));
                        return s.div(loss, s.like(loss, columns));
                      })};
}

//===----------------------------------------------------------------------===//
// Truth values: 0 and 1
//===----------------------------------------------------------------------===//

Value asInteger(const Scalars &s, Value truth) {
  return arith::ExtUIOp::create(s.builder, s.loc, s.builder.getI32Type(), truth);
}

Value isTrue(const Scalars &s, Value x) {
  if (isFloat(x))
    return s.compare(arith::CmpFPredicate::UNE, x, s.like(x, 0));
  return s.compare(arith::CmpIPredicate::ne, x, s.like(x, 0));
}

template <arith::CmpFPredicate floats, arith::CmpIPredicate integers> Values compare(GraphJsonOp &op) {
  if (!needOneKind(op))
    return {};
  return buildBroadcast(op, op.i32(), [](const Scalars &s, ValueRange x) {
    return asInteger(s, isFloat(x[0]) ? s.compare(floats, x[0], x[1]) : s.compare(integers, x[0], x[1]));
  });
}

template <auto body> Values onTruths(GraphJsonOp &op) {
  for (size_t i = 0; i < op.in.size(); ++i)
    if (!op.needIntegers(i))
      return {};
  return buildBroadcast(op, op.i32(), body);
}

template <typename LogicOp> Value logic(const Scalars &s, ValueRange x) {
  Value first = isTrue(s, x[0]), second = isTrue(s, x[1]);
  return asInteger(s, LogicOp::create(s.builder, s.loc, first, second));
}

Value logicalNot(const Scalars &s, ValueRange x) {
  return asInteger(s, s.compare(arith::CmpIPredicate::eq, x[0], s.like(x[0], 0)));
}

Values buildWhere(GraphJsonOp &op) {
  if (!op.needIntegers(0) || !needOneKind(op, 1))
    return {};
  return buildBroadcast(op, op.type(1).getElementType(),
                        [](const Scalars &s, ValueRange x) { return s.select(isTrue(s, x[0]), x[1], x[2]); });
}

Values buildCastOp(GraphJsonOp &op) {
  constexpr std::string_view types[] = {"f32", "i32", "bool"};
  size_t type = op.place.at("type").choice(types);
  if (!op.place.isOk())
    return {};
  return buildBroadcast(op, type == 0 ? op.f32() : op.i32(), [&](const Scalars &s, ValueRange x) -> Value {
    if (type == 2)
      return asInteger(s, isTrue(s, x[0]));
    if (isFloat(x[0]) == (type == 0))
      return x[0];
    if (type == 0)
      return arith::SIToFPOp::create(s.builder, s.loc, s.builder.getF32Type(), x[0]);
    return arith::FPToSIOp::create(s.builder, s.loc, s.builder.getI32Type(), x[0]);
  });
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

constexpr GraphJsonEntry kElementwise[] = {
    {"add", "x, y", "", "sum", onNumbers<arithmetic<arith::AddFOp, arith::AddIOp>>},
    {"sub", "x, y", "", "difference", onNumbers<arithmetic<arith::SubFOp, arith::SubIOp>>},
    {"mul", "x, y", "", "product", onNumbers<arithmetic<arith::MulFOp, arith::MulIOp>>},
    {"div", "x, y", "", "quotient", onFloats<divide>},
    {"pow", "x, y", "",
     "x to the power of y; for a constant y of 0.5, or a whole one of -64 to 64, it is computed as a root or "
     "a product",
     buildPower},
    {"min", "x, y", "ties: split (default), y",
     "the smaller; where both are equal, half of the gradient goes to each (split), or all of it to y (y)",
     buildExtremum<arith::MinimumFOp, arith::CmpIPredicate::slt>},
    {"max", "x, y", "ties: split (default), y",
     "the larger; where both are equal, half of the gradient goes to each (split), or all of it to y (y)",
     buildExtremum<arith::MaximumFOp, arith::CmpIPredicate::sgt>},
    {"neg", "x", "", "minus x", onNumbers<negate>},
    {"abs", "x", "", "absolute value", onFloats<function<math::AbsFOp>>},
    {"sqrt", "x", "", "square root", onFloats<function<math::SqrtOp>>},
    {"rsqrt", "x", "", "1 over the square root", onFloats<function<math::RsqrtOp>>},
    {"reciprocal", "x", "", "1 over x", onFloats<reciprocal>},
    {"exp", "x", "", "e to the power of x", onFloats<function<math::ExpOp>>},
    {"log", "x", "", "natural logarithm", onFloats<function<math::LogOp>>},
    {"erf", "x", "", "error function", onFloats<function<math::ErfOp>>},
    {"sin", "x", "", "sine", onFloats<function<math::SinOp>>},
    {"cos", "x", "", "cosine", onFloats<function<math::CosOp>>},
    {"tanh", "x", "", "hyperbolic tangent", onFloats<function<math::TanhOp>>},
    {"clip", "x", "low (none), high (none)",
     "x, but at least low and at most high; there is no gradient at a bound", buildClip},
    {"relu", "x", "", "the larger of x and 0", onFloats<relu>},
    {"gelu", "x", "form: tanh (default), erf", "Gaussian error linear unit", buildGelu},
    {"sigmoid", "x", "", "1 / (1 + exp(-x))",
     onFloats<[](const Scalars &s, ValueRange x) { return sigmoid(s, x[0]); }>},
    {"silu", "x", "", "x times its sigmoid",
     onFloats<[](const Scalars &s, ValueRange x) { return s.mul(x[0], sigmoid(s, x[0])); }>},
    {"softplus", "x", "",
     "log(1 + exp(x)), stable for any x; the logarithm of the sigmoid of x is minus the softplus of minus x",
     onFloats<[](const Scalars &s, ValueRange x) { return softplus(s, x[0]); }>},
    {"equal", "x, y", "", "1 where x = y, else 0",
     compare<arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq>},
    {"less", "x, y", "", "1 where x < y", compare<arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt>},
    {"less_equal", "x, y", "", "1 where x ≤ y",
     compare<arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle>},
    {"greater", "x, y", "", "1 where x > y", compare<arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt>},
    {"greater_equal", "x, y", "", "1 where x ≥ y",
     compare<arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge>},
    {"and", "x, y", "", "1 where neither is 0", onTruths<logic<arith::AndIOp>>},
    {"or", "x, y", "", "1 where at least one is not 0", onTruths<logic<arith::OrIOp>>},
    {"not", "x", "", "1 where x is 0", onTruths<logicalNot>},
    {"where", "condition, x, y", "", "x where the condition is not 0, else y", buildWhere},
    {"cast", "x", "type: f32, i32 (towards 0), bool (1 where x is not 0)", "x in another type", buildCastOp},
    {"bce_with_logits", "x, targets", "",
     "per row: mean binary cross-entropy of the sigmoid of x, stable for any x", buildBceWithLogits},
};

} // namespace

llvm::ArrayRef<GraphJsonEntry> elementwiseOps() { return kElementwise; }

} // namespace windlass
