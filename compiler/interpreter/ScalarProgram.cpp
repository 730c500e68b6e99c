// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/interpreter/ScalarProgram.h"

#include "compiler/interpreter/Tensor.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "runtime/base/Random.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace windlass::interpreter {

using Function = ScalarProgram::Function;
using Lanes = ScalarProgram::Lanes;

/// A function on many lanes from a function on one.
template <typename Fn> static Function inLanes(Fn fn) {
  return [fn](const Lanes &a, const Lanes &b, const Lanes &c, Lanes &result, int64_t count) {
    for (int64_t lane = 0; lane < count; ++lane)
      result[lane] = fn(a[lane], b[lane], c[lane]);
  };
}

static bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return !(a <= b);
  case arith::CmpFPredicate::UGE:
    return !(a < b);
  case arith::CmpFPredicate::ULT:
    return !(a >= b);
  case arith::CmpFPredicate::ULE:
    return !(a > b);
  case arith::CmpFPredicate::UNE:
    return a != b;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  llvm_unreachable("a closed enum");
}

/// Compares integers as signed numbers. Unsigned comparisons agree on the indices, labels and tokens that
/// bodies compare.
static bool compareIntegers(arith::CmpIPredicate predicate, double a, double b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return a < b;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return a <= b;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return a > b;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return a >= b;
  }
  llvm_unreachable("a closed enum");
}

/// A binary op on integers, through int64_t.
template <typename Fn> static Function onIntegers(Fn fn) {
  return inLanes([fn](double a, double b, double) {
    return static_cast<double>(fn(static_cast<int64_t>(a), static_cast<int64_t>(b)));
  });
}

static double valueOf(arith::ConstantOp op) {
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    return number.getValueAsDouble();
  if (auto number = dyn_cast<IntegerAttr>(op.getValue()))
    return number.getType().isInteger(1) ? static_cast<double>(number.getValue().getZExtValue())
                                         : static_cast<double>(number.getInt());
  return 0;
}

static Function arithFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, Function>(op)
      .Case([](arith::AddFOp) { return inLanes([](double a, double b, double) { return a + b; }); })
      .Case([](arith::SubFOp) { return inLanes([](double a, double b, double) { return a - b; }); })
      .Case([](arith::MulFOp) { return inLanes([](double a, double b, double) { return a * b; }); })
      .Case([](arith::DivFOp) { return inLanes([](double a, double b, double) { return a / b; }); })
      .Case([](arith::NegFOp) { return inLanes([](double a, double, double) { return -a; }); })
      .Case([](arith::MaximumFOp) {
        return inLanes([](double a, double b, double) {
          return std::isnan(a) ? a : b > a || std::isnan(b) ? b : a;
        });
      })
      .Case([](arith::MinimumFOp) {
        return inLanes([](double a, double b, double) {
          return std::isnan(a) ? a : b < a || std::isnan(b) ? b : a;
        });
      })
      .Case([](arith::CmpFOp cmp) {
        return inLanes([predicate = cmp.getPredicate()](double a, double b, double) {
          return static_cast<double>(compareFloats(predicate, a, b));
        });
      })
      .Case([](arith::CmpIOp cmp) {
        return inLanes([predicate = cmp.getPredicate()](double a, double b, double) {
          return static_cast<double>(compareIntegers(predicate, a, b));
        });
      })
      .Case([](arith::SelectOp) {
        return inLanes([](double a, double b, double c) { return a != 0 ? b : c; });
      })
      // The step itself rounds if required; f64 holds every integer here exactly.
      .Case<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, arith::IndexCastOp,
            arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(
          [](Operation *) { return inLanes([](double a, double, double) { return a; }); })
      .Case([](arith::FPToSIOp) { return inLanes([](double a, double, double) { return std::trunc(a); }); })
      .Case([](arith::AddIOp) { return onIntegers([](int64_t a, int64_t b) { return a + b; }); })
      .Case([](arith::SubIOp) { return onIntegers([](int64_t a, int64_t b) { return a - b; }); })
      .Case([](arith::MulIOp) { return onIntegers([](int64_t a, int64_t b) { return a * b; }); })
      .Case([](arith::AndIOp) { return onIntegers([](int64_t a, int64_t b) { return a & b; }); })
      .Case([](arith::OrIOp) { return onIntegers([](int64_t a, int64_t b) { return a | b; }); })
      .Case([](arith::XOrIOp) { return onIntegers([](int64_t a, int64_t b) { return a ^ b; }); })
      .Default([](Operation *) { return Function(); });
}

static Function mathFunction(Operation *op) {
  auto unary = [](double (*fn)(double)) -> Function {
    return inLanes([fn](double a, double, double) { return fn(a); });
  };
  return llvm::TypeSwitch<Operation *, Function>(op)
      .Case([&](math::ExpOp) { return unary(std::exp); })
      .Case([&](math::LogOp) { return unary(std::log); })
      .Case([&](math::Log1pOp) { return unary(std::log1p); })
      .Case([&](math::TanhOp) { return unary(std::tanh); })
      .Case([&](math::SqrtOp) { return unary(std::sqrt); })
      .Case([&](math::RsqrtOp) { return unary([](double a) { return 1.0 / std::sqrt(a); }); })
      .Case([&](math::ErfOp) { return unary(std::erf); })
      .Case([&](math::SinOp) { return unary(std::sin); })
      .Case([&](math::CosOp) { return unary(std::cos); })
      .Case([&](math::AbsFOp) { return unary(std::fabs); })
      .Case([&](math::FloorOp) { return unary(std::floor); })
      .Case([&](math::CeilOp) { return unary(std::ceil); })
      .Case([](math::PowFOp) { return inLanes([](double a, double b, double) { return std::pow(a, b); }); })
      .Case(
          [](math::FmaOp) { return inLanes([](double a, double b, double c) { return std::fma(a, b, c); }); })
      .Default([](Operation *) { return Function(); });
}

unsigned ScalarProgram::newSlot(Value value) {
  slots.emplace_back().fill(0.0);
  return slotOf[value] = slots.size() - 1;
}

Result<std::shared_ptr<const ScalarProgram::Table>> ScalarProgram::makeTable(Operation *op) const {
  auto lookup = cast<graph::LookupOp>(op);
  auto elements = dyn_cast<DenseElementsAttr>(lookup.getTable());
  if (!elements)
    return Status::badInput("the interpreter reads tables of dense elements only");
  auto table = std::make_shared<Table>();
  if (isa<FloatType>(elements.getElementType()))
    for (const APFloat &value : elements.getValues<APFloat>())
      table->values.push_back(FloatAttr::getValueAsDouble(value));
  else
    for (const APInt &value : elements.getValues<APInt>())
      table->values.push_back(static_cast<double>(value.getSExtValue()));
  int64_t stride = static_cast<int64_t>(table->values.size());
  for (auto [index, extent] : llvm::zip_equal(lookup.getIndices(), elements.getType().getShape()))
    table->indices.emplace_back(slotOf.lookup(index), stride /= extent);
  return std::shared_ptr<const Table>(std::move(table));
}

Result<ScalarProgram> ScalarProgram::compile(Block &body, bool roundToTypes) {
  ScalarProgram program;
  for (Value argument : body.getArguments())
    program.newSlot(argument);
  for (Operation &op : body.without_terminator()) {
    const Type type = op.getResult(0).getType();
    const bool isRounded = roundToTypes && isa<FloatType>(type);
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) { // no step: its slot has the value from the start
      const double value = valueOf(constant);
      program.slots[program.newSlot(constant)].fill(isRounded ? roundTo(value, type) : value);
      continue;
    }
    Step step;
    if (auto index = dyn_cast<graph::IndexOp>(op)) {
      step.loop = index.getDim();
    } else if (isa<graph::LookupOp>(op)) {
      auto table = program.makeTable(&op);
      if (!table)
        return table.status();
      step.lookup = table.take();
    } else if (isa<graph::RandomOp>(op)) {
      step.isRandom = true;
    } else {
      step.function = arithFunction(&op);
      if (!step.function)
        step.function = mathFunction(&op);
      if (!step.function)
        return Status::badInput("the interpreter cannot compute '" + op.getName().getStringRef().str() +
                                "' in a body");
    }
    for (auto [number, operand] : llvm::enumerate(op.getOperands()))
      if (step.function || step.isRandom)
        step.operands[number] = program.slotOf.lookup(operand);
    step.result = program.newSlot(op.getResult(0));
    if (isRounded)
      step.rounding = type;
    program.steps.push_back(std::move(step));
  }
  for (Value value : body.getTerminator()->getOperands())
    program.yields.push_back(program.slotOf.lookup(value));
  return program;
}

void ScalarProgram::evaluate(const Step &step, ArrayRef<int64_t> first, int64_t count) {
  auto operand = [&](unsigned number) -> const Lanes & { return slots[step.operands[number]]; };
  Lanes &result = slots[step.result];
  if (step.function)
    return step.function(operand(0), operand(1), operand(2), result, count);
  for (int64_t lane = 0; lane < count; ++lane) {
    auto integer = [&](const Lanes &of) { return static_cast<int64_t>(of[lane]); };
    if (step.isRandom) {
      RandomStream stream(
          {static_cast<uint32_t>(integer(operand(0))), static_cast<uint32_t>(integer(operand(1)))});
      result[lane] = stream.unit(integer(operand(3)), integer(operand(2)));
    } else if (step.lookup) {
      int64_t at = 0;
      for (auto [slot, stride] : step.lookup->indices)
        at += integer(slots[slot]) * stride;
      result[lane] = step.lookup->values[at];
    } else {
      const bool isLast = step.loop + 1 == first.size();
      result[lane] = static_cast<double>(first[step.loop] + (isLast ? lane : 0));
    }
  }
}

void ScalarProgram::run(ArrayRef<int64_t> first, int64_t count) {
  for (const Step &step : steps) {
    evaluate(step, first, count);
    if (step.rounding)
      roundTo(llvm::MutableArrayRef(slots[step.result]).take_front(count), step.rounding);
  }
}

} // namespace windlass::interpreter
