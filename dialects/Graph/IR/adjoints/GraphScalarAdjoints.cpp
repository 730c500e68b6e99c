// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Graph/IR/adjoints/GraphScalarAdjoints.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numbers>

using namespace mlir;

namespace windlass::graph {

void ScalarAdjoints::add(Value scalar, Value gradient) {
  if (!isa<FloatType>(scalar.getType()))
    return;
  Value &sum = adjoints[scalar];
  sum = sum ? s.add(sum, gradient) : gradient;
}

LogicalResult ScalarAdjoints::propagate(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops)) {
    Value g = op->getNumResults() == 1 ? of(op->getResult(0)) : Value();
    if (!g || isa<arith::ConstantOp, LookupOp, RandomOp>(op))
      continue;
    if (!propagateArith(op, g) && !propagateSelection(op, g) && !propagateMath(op, g))
      return op->emitOpError("has no derivative in the body of a map or reduction");
  }
  return success();
}

bool ScalarAdjoints::propagateArith(Operation *op, Value g) {
  Value y = op->getResult(0);
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::AddFOp add) { return this->add(add.getLhs(), g), this->add(add.getRhs(), g), true; })
      .Case([&](arith::SubFOp sub) { return add(sub.getLhs(), g), add(sub.getRhs(), s.neg(g)), true; })
      .Case([&](arith::MulFOp mul) {
        add(mul.getLhs(), s.mul(g, mul.getRhs()));
        add(mul.getRhs(), s.mul(g, mul.getLhs()));
        return true;
      })
      .Case([&](arith::DivFOp div) {
        Value scaled = s.div(g, div.getRhs());
        add(div.getLhs(), scaled);
        add(div.getRhs(), s.neg(s.mul(scaled, y)));
        return true;
      })
      .Case([&](arith::NegFOp neg) { return add(neg.getOperand(), s.neg(g)), true; })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](Operation *cast) {
        Value from = cast->getOperand(0);
        return add(from, s.cast(g, from.getType())), true;
      })
      // An integer has no derivative.
      .Case<arith::SIToFPOp, arith::UIToFPOp>([](Operation *) { return true; })
      .Default([](Operation *) { return false; });
}

/// Ops whose result is one of their operands.
bool ScalarAdjoints::propagateSelection(Operation *op, Value g) {
  auto choose = [&](Value condition, Value a, Value b) {
    Value zero = s.like(g, 0.0);
    add(a, s.select(condition, g, zero));
    add(b, s.select(condition, zero, g));
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::SelectOp select) {
        return choose(select.getCondition(), select.getTrueValue(), select.getFalseValue());
      })
      // If both operands are equal the second gets the adjoint, so that max(x, 0) has derivative 0 at 0.
      .Case([&](arith::MaximumFOp max) {
        Value first = s.compare(arith::CmpFPredicate::OGT, max.getLhs(), max.getRhs());
        return choose(first, max.getLhs(), max.getRhs());
      })
      .Case([&](arith::MinimumFOp min) {
        Value first = s.compare(arith::CmpFPredicate::OLT, min.getLhs(), min.getRhs());
        return choose(first, min.getLhs(), min.getRhs());
      })
      .Case([&](math::AbsFOp abs) {
        Value x = abs.getOperand(), zero = s.like(x, 0.0);
        Value negative = s.compare(arith::CmpFPredicate::OLT, x, zero);
        Value positive = s.compare(arith::CmpFPredicate::OGT, x, zero);
        Value turned = s.neg(g);
        return add(x, s.select(negative, turned, s.select(positive, g, s.like(g, 0.0)))), true;
      })
      .Default([](Operation *) { return false; });
}

bool ScalarAdjoints::propagateMath(Operation *op, Value g) {
  Value y = op->getResult(0);
  if (auto power = dyn_cast<math::PowFOp>(op))
    return propagatePower(power, g), true;
  // For functions of one scalar x: its derivative, from x and the value y.
  Value x = op->getNumOperands() == 1 ? op->getOperand(0) : Value();
  Value derivative = llvm::TypeSwitch<Operation *, Value>(op)
                         .Case([&](math::ExpOp) { return y; })
                         .Case([&](math::LogOp) { return s.div(s.like(x, 1.0), x); })
                         .Case([&](math::Log1pOp) {
                           Value one = s.like(x, 1.0);
                           return s.div(one, s.add(one, x));
                         })
                         .Case([&](math::TanhOp) {
                           Value one = s.like(y, 1.0);
                           return s.sub(one, s.mul(y, y));
                         })
                         .Case([&](math::SqrtOp) { return s.div(s.like(y, 0.5), y); })
                         .Case([&](math::RsqrtOp) {
                           Value factor = s.like(y, -0.5);
                           return s.mul(factor, s.mul(y, s.mul(y, y)));
                         })
                         .Case([&](math::ErfOp) {
                           Value peak = s.like(x, 2.0 * std::numbers::inv_sqrtpi);
                           return s.mul(peak, s.exp(s.neg(s.mul(x, x))));
                         })
                         .Case([&](math::SinOp) -> Value { return math::CosOp::create(s.builder, s.loc, x); })
                         .Case([&](math::CosOp) { return s.neg(math::SinOp::create(s.builder, s.loc, x)); })
                         .Default([](Operation *) { return Value(); });
  if (!derivative)
    return false;
  add(x, s.mul(g, derivative));
  return true;
}

/// Where 0 times an infinity would be computed, the derivative is 0, as in PyTorch: by x for n = 0, and by n
/// for x = 0 unless n is below 0.
void ScalarAdjoints::propagatePower(math::PowFOp op, Value g) {
  Value x = op.getLhs(), n = op.getRhs();
  Value lower = math::PowFOp::create(s.builder, s.loc, x, s.sub(n, s.like(n, 1.0)));
  Value slope = s.mul(n, lower);
  if (n.getDefiningOp<arith::ConstantOp>())
    return add(x, s.mul(g, slope));
  Value zero = s.like(n, 0.0);
  add(x, s.mul(g, s.select(s.compare(arith::CmpFPredicate::OEQ, n, zero), zero, slope)));
  Value growth = s.mul(op.getResult(), s.log(x));
  Value atZero = s.select(s.compare(arith::CmpFPredicate::OGE, n, zero), zero, growth);
  add(n, s.mul(g, s.select(s.compare(arith::CmpFPredicate::OEQ, x, s.like(x, 0.0)), atZero, growth)));
}

} // namespace windlass::graph
