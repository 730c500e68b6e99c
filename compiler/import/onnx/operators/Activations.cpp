// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activations that graph JSON lacks: each is written as several operations, which are fused into one map.
#include "compiler/import/onnx/operators/Broadcast.h"
#include "compiler/import/onnx/operators/Formula.h"

namespace windlass::onnx {
namespace {

/// x if x > 0, else `otherwise`; at 0 with the gradient of PyTorch.
std::string aboveZero(Formula &f, const std::string &x, const std::string &otherwise) {
  return f.where(f.apply("greater", {x, f.number(0)}), x, otherwise);
}

/// factor * (e^(x / width) - 1) for x below 0. For other x the exponent is bounded, so that it does not
/// overflow. At 0 the gradient is that of x.
std::string below(Formula &f, const std::string &x, double factor, double width) {
  const std::string low = f.bounded("min", f.number(0), x);
  const std::string power = f.apply("exp", {width == 1 ? low : f.div(low, f.number(width))});
  const std::string scale = f.number(factor);
  return f.mul(scale, f.sub(power, f.number(1)));
}

std::string leakyRelu(OpView &op, Formula &f, const std::string &x) {
  return aboveZero(f, x, f.mul(f.number(op.real("alpha", 0.01)), x));
}

std::string elu(OpView &op, Formula &f, const std::string &x) {
  return aboveZero(f, x, below(f, x, op.real("alpha", 1), 1));
}

std::string celu(OpView &op, Formula &f, const std::string &x) {
  const double alpha = op.real("alpha", 1);
  if (!op.need(alpha != 0, "alpha must not be 0"))
    return x;
  return aboveZero(f, x, below(f, x, alpha, alpha));
}

std::string selu(OpView &op, Formula &f, const std::string &x) {
  constexpr double kAlpha = 1.67326319217681884765625, kGamma = 1.05070102214813232421875;
  const std::string inner = aboveZero(f, x, below(f, x, op.real("alpha", kAlpha), 1));
  return f.mul(f.number(op.real("gamma", kGamma)), inner);
}

std::string hardSigmoid(Formula &f, const std::string &x, double alpha, double beta) {
  const std::string slope = f.mul(f.number(alpha), x), line = f.add(slope, f.number(beta));
  const std::string low = f.bounded("min", line, f.number(1));
  return f.bounded("max", low, f.number(0));
}

std::string hardSigmoid(OpView &op, Formula &f, const std::string &x) {
  return hardSigmoid(f, x, op.real("alpha", 0.2), op.real("beta", 0.5));
}

std::string hardSwish(OpView &, Formula &f, const std::string &x) {
  return f.mul(x, hardSigmoid(f, x, 1.0 / 6, 0.5));
}

std::string thresholdedRelu(OpView &op, Formula &f, const std::string &x) {
  const std::string isAbove = f.apply("greater", {x, f.number(op.real("alpha", 1))});
  return f.where(isAbove, x, f.number(0));
}

std::string softsign(OpView &, Formula &f, const std::string &x) {
  const std::string one = f.number(1);
  return f.div(x, f.add(one, f.apply("abs", {x})));
}

std::string mish(OpView &, Formula &f, const std::string &x) {
  return f.mul(x, f.apply("tanh", {f.apply("softplus", {x})}));
}

std::vector<Type> inferOne(OpView &op) {
  return op.need(isFloat(op.type(0)), "must be numbers") ? std::vector<Type>{op.typeOf(0)}
                                                         : std::vector<Type>();
}

/// Writes a formula of one value, in the shape in which the value was written.
template <std::string (*formula)(OpView &, Formula &, const std::string &)>
void write(OpView &op, Writer &writer) {
  const Shape form = writer.held(op.in(0));
  Formula f(writer);
  const std::string result = formula(op, f, writer.as(op.in(0), form));
  writer.declare(op.out(), result, form.empty() ? Shape{1} : form);
}

/// Slopes broadcast to the value's shape.
std::vector<Type> inferPRelu(OpView &op) {
  if (!op.need(op.broadcast({op.shape(0), op.shape(1)}) == op.shape(0), "slopes must fit the numbers' shape"))
    return {};
  return {op.typeOf(0)};
}

void writePRelu(OpView &op, Writer &writer) {
  Formula f(writer);
  const std::string x = writer.as(op.in(0));
  writer.declare(op.out(), aboveZero(f, x, f.mul(writer.as(op.in(1)), x)),
                 op.rank(0) == 0 ? Shape{1} : op.shape(0));
}

constexpr Operator kOperators[] = {
    {"LeakyRelu", "`where`, `mul`", 1, 1, inferOne, nullptr, write<leakyRelu>},
    {"Elu", "`where`, `exp`", 1, 1, inferOne, nullptr, write<elu>},
    {"Celu", "`where`, `exp`", 1, 1, inferOne, nullptr, write<celu>},
    {"Selu", "`where`, `exp`", 1, 1, inferOne, nullptr, write<selu>},
    {"HardSigmoid", "`min`, `max`", 1, 1, inferOne, nullptr, write<hardSigmoid>},
    {"HardSwish", "`min`, `max`, `mul`", 1, 1, inferOne, nullptr, write<hardSwish>},
    {"ThresholdedRelu", "`where`", 1, 1, inferOne, nullptr, write<thresholdedRelu>},
    {"Softsign", "`abs`, `div`", 1, 1, inferOne, nullptr, write<softsign>},
    {"Mish", "`softplus`, `tanh`, `mul`", 1, 1, inferOne, nullptr, write<mish>},
    {"PRelu", "`where`, `mul`", 2, 2, inferPRelu, nullptr, writePRelu},
};

} // namespace

std::span<const Operator> activationOperators() { return kOperators; }

} // namespace windlass::onnx
