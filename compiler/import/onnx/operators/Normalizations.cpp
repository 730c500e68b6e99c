// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norms over the last dimensions.
#include "compiler/import/onnx/operators/Formula.h"
#include "compiler/import/onnx/operators/Operator.h"

#include <algorithm>

namespace windlass::onnx {
namespace {

constexpr double kEpsilon = 1e-5; ///< the default

/// The dimensions that are normalised together: those from the axis on.
Shape normalizedShape(OpView &op) {
  const int64_t axis = op.axis("axis", -1, op.rank(0));
  return {op.shape(0).begin() + axis, op.shape(0).end()};
}

int64_t widthOf(OpView &op) { return elementsOf(normalizedShape(op)); }

/// Checks x, scale and, for layer norms, the shift; x must have elements, so that there is a mean. A scale
/// with another shape is broadcast along other dimensions, even if it has as many elements.
std::vector<Type> inferNorm(OpView &op) {
  if (!op.need(op.rank(0) > 0, "must be numbers of rank 1 or more") || !op.needElements(0))
    return {};
  const int64_t axis = op.axis("axis", -1, op.rank(0));
  if (!op.isOk())
    return {};
  const Shape normalized = normalizedShape(op);
  for (size_t i = 1; i < op.inputs(); ++i)
    if (op.has(i) && !op.need(withoutLeadingOnes(op.shape(i)) == withoutLeadingOnes(normalized),
                              "scale and shift must have the shape " + describe(normalized) +
                                  " of what is normalised, are " + describe(op.shape(i))))
      return {};
  Shape rows = op.shape(0);
  std::fill(rows.begin() + axis, rows.end(), 1);
  return {op.typeOf(0), {op.type(0), rows}, {op.type(0), rows}};
}

/// Writes the mean and the reciprocal deviation of each row, if they are read.
void writeStatistics(OpView &op, Writer &writer, int64_t width) {
  const int64_t rows = elementsOf(op.shape(0)) / width;
  if (!op.hasOut(1) && !op.hasOut(2))
    return;
  Formula f(writer);
  const std::string x = writer.matrix(op.in(0), width), mean = f.reduce("mean", x, {1}, true);
  if (op.hasOut(1))
    writer.declare(op.out(1), mean, {rows, 1});
  if (!op.hasOut(2))
    return;
  const std::string deviation = f.sub(x, mean);
  const std::string variance = f.reduce("mean", f.mul(deviation, deviation), {1}, true);
  const std::string reciprocal = f.apply("rsqrt", {f.add(variance, f.number(op.real("epsilon", kEpsilon)))});
  writer.declare(op.out(2), reciprocal, {rows, 1});
}

void writeLayerNorm(OpView &op, Writer &writer) {
  const int64_t width = widthOf(op);
  nlohmann::json in = {writer.matrix(op.in(0), width), writer.as(op.in(1), {width})};
  in.push_back(op.has(2) ? writer.as(op.in(2), {width}) : Formula(writer).full(0, {width}));
  writer.define(op.out(), {{"op", "layer_norm"}, {"in", in}, {"eps", op.real("epsilon", kEpsilon)}},
                {elementsOf(op.shape(0)) / width, width});
  writeStatistics(op, writer, width);
}

void writeRmsNorm(OpView &op, Writer &writer) {
  const int64_t width = widthOf(op);
  writer.define(op.out(),
                {{"op", "rms_norm"},
                 {"in", {writer.matrix(op.in(0), width), writer.as(op.in(1), {width})}},
                 {"eps", op.real("epsilon", kEpsilon)}},
                {elementsOf(op.shape(0)) / width, width});
}

constexpr Operator kOperators[] = {
    {"LayerNormalization", "`layer_norm`", 2, 3, inferNorm, nullptr, writeLayerNorm},
    {"RMSNormalization", "`rms_norm`", 2, 2, inferNorm, nullptr, writeRmsNorm},
};

} // namespace

std::span<const Operator> normalizationOperators() { return kOperators; }

} // namespace windlass::onnx
