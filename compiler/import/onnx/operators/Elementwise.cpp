// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic and activations.
#include "compiler/import/onnx/operators/Broadcast.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace windlass::onnx {
namespace {

using Reals = std::span<const double>;
using Integers = std::span<const int64_t>;

template <double (*function)(double)> std::vector<Literal> evaluateUnary(OpView &op) {
  return evaluateEach(op, [](Reals x) { return function(x[0]); }, nullptr);
}

/// Integer arithmetic wraps around, as it does in the exporters' tensors.
int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }
uint64_t bits(int64_t value) { return static_cast<uint64_t>(value); }

double negate(double x) { return -x; }
double reciprocal(double x) { return 1 / x; }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double relu(double x) { return std::max(x, 0.0); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
double swish(double x) { return x * sigmoid(x); }

std::vector<Literal> evaluateRelu(OpView &op) {
  return evaluateEach(
      op, [](Reals x) { return relu(x[0]); }, [](Integers x) { return std::max<int64_t>(x[0], 0); });
}

std::vector<Literal> evaluateNegAbs(OpView &op) {
  const bool isAbs = op.node.op == "Abs";
  return evaluateEach(
      op, [&](Reals x) { return isAbs ? std::fabs(x[0]) : negate(x[0]); },
      [&](Integers x) { return isAbs && x[0] >= 0 ? x[0] : wrap(0 - bits(x[0])); });
}

std::vector<Literal> evaluateAdd(OpView &op) {
  return evaluateEach(
      op, [](Reals x) { return x[0] + x[1]; }, [](Integers x) { return wrap(bits(x[0]) + bits(x[1])); });
}

std::vector<Literal> evaluateSub(OpView &op) {
  return evaluateEach(
      op, [](Reals x) { return x[0] - x[1]; }, [](Integers x) { return wrap(bits(x[0]) - bits(x[1])); });
}

std::vector<Literal> evaluateMul(OpView &op) {
  return evaluateEach(
      op, [](Reals x) { return x[0] * x[1]; }, [](Integers x) { return wrap(bits(x[0]) * bits(x[1])); });
}

/// The quotient; 0 if the divisor is 0. The quotient of the least number and -1 wraps around.
int64_t quotient(int64_t x, int64_t y) { return y == 0 ? 0 : y == -1 ? wrap(0 - bits(x)) : x / y; }

std::vector<Literal> evaluateDiv(OpView &op) {
  return evaluateEach(
      op, [](Reals x) { return x[0] / x[1]; }, [](Integers x) { return quotient(x[0], x[1]); });
}

/// Evaluates the remainder: with the divisor's sign, as in Python, or for fmod with the dividend's sign, as
/// in C.
std::vector<Literal> evaluateMod(OpView &op) {
  const bool isC = op.integer("fmod", 0) != 0;
  return evaluateEach(
      op,
      [&](Reals x) {
        const double rest = std::fmod(x[0], x[1]);
        return !isC && rest != 0 && (rest < 0) != (x[1] < 0) ? rest + x[1] : rest;
      },
      [&](Integers x) {
        const int64_t rest = wrap(bits(x[0]) - bits(quotient(x[0], x[1])) * bits(x[1]));
        return !isC && rest != 0 && (rest < 0) != (x[1] < 0) ? rest + x[1] : rest;
      });
}

std::vector<Literal> evaluatePow(OpView &op) {
  return evaluateEach(
      op, [](Reals x) { return std::pow(x[0], x[1]); },
      [](Integers x) {
        return static_cast<int64_t>(std::pow(static_cast<double>(x[0]), static_cast<double>(x[1])));
      });
}

std::vector<Literal> evaluateMin(OpView &op) {
  return evaluateEach(
      op, [](Reals x) { return *std::ranges::min_element(x); },
      [](Integers x) { return *std::ranges::min_element(x); });
}

std::vector<Literal> evaluateMax(OpView &op) {
  return evaluateEach(
      op, [](Reals x) { return *std::ranges::max_element(x); },
      [](Integers x) { return *std::ranges::max_element(x); });
}

template <const char *name> void write(OpView &op, Writer &writer) { writeEach(op, writer, {{"op", name}}); }

/// Writes a power. Its exponent may be an integer where its base is none.
void writePow(OpView &op, Writer &writer) {
  const Literal *exponent = op.literal(1);
  if (!exponent || exponent->isFloat() || exponent->size() != 1)
    return writeEach(op, writer, {{"op", "pow"}});
  const std::string number =
      writer.intermediate({{"op", "constant"}, {"value", exponent->real(0)}, {"shape", {1}}});
  writer.define(op.out(), {{"op", "pow"}, {"in", {writer.as(op.in(0)), number}}}, op.result().shape);
}

std::vector<Literal> evaluateSum(OpView &op) {
  return evaluateEach(op, [](Reals x) { return std::accumulate(x.begin(), x.end(), 0.0); }, nullptr);
}

/// Writes an operation of any number of operands as a chain of operations of two.
void writeChain(OpView &op, Writer &writer, nlohmann::json operation) {
  if (op.inputs() == 2)
    return writeEach(op, writer, std::move(operation));
  const Shape shape = op.result().shape;
  std::string left = writer.as(op.in(0));
  for (size_t i = 1; i + 1 < op.inputs(); ++i) {
    operation["in"] = {left, writer.as(op.in(i))};
    left = writer.intermediate(operation);
  }
  if (op.inputs() == 1)
    return writer.alias(op.out(), op.in(0));
  operation["in"] = {left, writer.as(op.in(op.inputs() - 1))};
  writer.define(op.out(), std::move(operation), shape);
}

void writeSum(OpView &op, Writer &writer) { writeChain(op, writer, {{"op", "add"}}); }

/// Writes a maximum or minimum. If two operands are equal, each gets half of the gradient. An operand that is
/// clamped at a number gets none.
void writeExtremum(OpView &op, Writer &writer) {
  nlohmann::json operation = {{"op", op.node.is("Max") ? "max" : "min"}};
  if (op.node.call.isOf("aten.clamp") && op.literal(1) && op.literal(1)->size() == 1)
    operation["ties"] = "y";
  writeChain(op, writer, std::move(operation));
}

void writeAverage(OpView &op, Writer &writer) {
  std::string sum = writer.as(op.in(0));
  for (size_t i = 1; i < op.inputs(); ++i)
    sum = writer.intermediate({{"op", "add"}, {"in", {sum, writer.as(op.in(i))}}});
  const std::string count = writer.intermediate({{"op", "constant"}, {"value", op.inputs()}, {"shape", {1}}});
  writer.define(op.out(), {{"op", "div"}, {"in", {sum, count}}}, op.result().shape);
}

void writeGelu(OpView &op, Writer &writer) {
  const bool isTanh = op.text("approximate", "none") == "tanh";
  writeEach(op, writer, {{"op", "gelu"}, {"form", isTanh ? "tanh" : "erf"}});
}

std::vector<Type> inferSwish(OpView &op) {
  op.need(op.real("alpha", 1) == 1, "alpha must be 1");
  return inferSame(op);
}

constexpr char kAdd[] = "add", kSub[] = "sub", kMul[] = "mul", kDiv[] = "div", kNeg[] = "neg", kAbs[] = "abs",
               kSqrt[] = "sqrt", kReciprocal[] = "reciprocal", kExp[] = "exp", kLog[] = "log", kErf[] = "erf",
               kTanh[] = "tanh", kSigmoid[] = "sigmoid", kSin[] = "sin", kCos[] = "cos", kRelu[] = "relu",
               kSilu[] = "silu", kSoftplus[] = "softplus";

constexpr Operator kOperators[] = {
    {"Add", "`add`", 2, 2, inferSame, evaluateAdd, write<kAdd>},
    {"Sub", "`sub`", 2, 2, inferSame, evaluateSub, write<kSub>},
    {"Mul", "`mul`", 2, 2, inferSame, evaluateMul, write<kMul>},
    {"Div", "`div`", 2, 2, inferSame, evaluateDiv, write<kDiv>},
    {"Mod", "known before the run", 2, 2, inferSame, evaluateMod, nullptr},
    {"Pow", "`pow`", 2, 2, inferSame, evaluatePow, writePow},
    {"Min", "`min`", 1, kUnlimited, inferSame, evaluateMin, writeExtremum},
    {"Max", "`max`", 1, kUnlimited, inferSame, evaluateMax, writeExtremum},
    {"Sum", "`add`", 1, kUnlimited, inferSame, evaluateSum, writeSum},
    {"Mean", "`add`, `div`", 1, kUnlimited, inferSame, nullptr, writeAverage},
    {"Neg", "`neg`", 1, 1, inferSame, evaluateNegAbs, write<kNeg>},
    {"Abs", "`abs`", 1, 1, inferSame, evaluateNegAbs, write<kAbs>},
    {"Sqrt", "`sqrt`", 1, 1, inferSame, evaluateUnary<std::sqrt>, write<kSqrt>},
    {"Reciprocal", "`reciprocal`", 1, 1, inferSame, evaluateUnary<reciprocal>, write<kReciprocal>},
    {"Exp", "`exp`", 1, 1, inferSame, evaluateUnary<std::exp>, write<kExp>},
    {"Log", "`log`", 1, 1, inferSame, evaluateUnary<std::log>, write<kLog>},
    {"Erf", "`erf`", 1, 1, inferSame, evaluateUnary<std::erf>, write<kErf>},
    {"Tanh", "`tanh`", 1, 1, inferSame, evaluateUnary<std::tanh>, write<kTanh>},
    {"Sigmoid", "`sigmoid`", 1, 1, inferSame, evaluateUnary<sigmoid>, write<kSigmoid>},
    {"Sin", "`sin`", 1, 1, inferSame, evaluateUnary<std::sin>, write<kSin>},
    {"Cos", "`cos`", 1, 1, inferSame, evaluateUnary<std::cos>, write<kCos>},
    {"Ceil", "known before the run", 1, 1, inferSame, evaluateUnary<std::ceil>, nullptr},
    {"Floor", "known before the run", 1, 1, inferSame, evaluateUnary<std::floor>, nullptr},
    {"Relu", "`relu`", 1, 1, inferSame, evaluateRelu, write<kRelu>},
    {"Softplus", "`softplus`", 1, 1, inferSame, evaluateUnary<softplus>, write<kSoftplus>},
    {"Swish", "`silu`", 1, 1, inferSwish, evaluateUnary<swish>, write<kSilu>},
    {"Gelu", "`gelu`", 1, 1, inferSame, nullptr, writeGelu},
};

} // namespace

std::span<const Operator> elementwiseOperators() { return kOperators; }

} // namespace windlass::onnx
