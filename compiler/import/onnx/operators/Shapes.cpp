// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators on shapes and constants; all of them are evaluated before the run.
#include "compiler/import/onnx/operators/Operator.h"
#include "compiler/import/onnx/operators/Writer.h"

#include <algorithm>
#include <cmath>

namespace windlass::onnx {
namespace {

struct Extent {
  int64_t begin, end;
};

Extent shapeRange(OpView &op) {
  const int64_t rank = op.rank(0);
  auto clamped = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const int64_t begin = clamped(op.integer("start", 0)), end = clamped(op.integer("end", rank));
  return {begin, std::max(begin, end)};
}

std::vector<Type> inferShape(OpView &op) {
  const Extent range = shapeRange(op);
  return {{DataType::Int64, {range.end - range.begin}}};
}

std::vector<Literal> evaluateShape(OpView &op) {
  const Extent range = shapeRange(op);
  const Shape &shape = op.shape(0);
  return {Literal::ofIntegers({shape.begin() + range.begin, shape.begin() + range.end})};
}

std::vector<Type> inferSize(OpView &) { return {{DataType::Int64, {}}}; }

std::vector<Literal> evaluateSize(OpView &op) {
  return {Literal{DataType::Int64, {}, {}, {elementsOf(op.shape(0))}}};
}

/// The literal of a Constant node, from whichever attribute has it.
Literal constantOf(OpView &op) {
  if (const auto *tensor = op.node.attribute<std::shared_ptr<const Tensor>>("value")) {
    if (Result<Literal> literal = literalOf(**tensor); literal)
      return literal.take();
    op.fail("the constant cannot be read");
    return {};
  }
  if (const auto *value = op.node.attribute<int64_t>("value_int"))
    return {DataType::Int64, {}, {}, {*value}};
  if (const auto *value = op.node.attribute<double>("value_float"))
    return {DataType::Float, {}, {*value}, {}};
  if (const auto *values = op.node.attribute<std::vector<int64_t>>("value_ints"))
    return Literal::ofIntegers(*values);
  if (const auto *values = op.node.attribute<std::vector<double>>("value_floats"))
    return {DataType::Float, {static_cast<int64_t>(values->size())}, *values, {}};
  op.fail("holds no number or dense tensor");
  return {};
}

std::vector<Type> inferConstant(OpView &op) {
  if (const auto *tensor = op.node.attribute<std::shared_ptr<const Tensor>>("value"))
    return {{(*tensor)->type, (*tensor)->shape}};
  const Literal literal = constantOf(op);
  return {{literal.type, literal.shape}};
}

std::vector<Literal> evaluateConstant(OpView &op) { return {constantOf(op)}; }

/// The fill value, of one element; an f32 0 by default.
Literal fillOf(OpView &op) {
  const auto *tensor = op.node.attribute<std::shared_ptr<const Tensor>>("value");
  if (!tensor)
    return Literal::filled(DataType::Float, {1}, 0);
  Result<Literal> literal = literalOf(**tensor);
  if (op.need(literal.isOk() && literal->size() == 1, "value must be one number"))
    return literal.take();
  return {};
}

std::vector<Type> inferConstantOfShape(OpView &op) {
  std::optional<std::vector<int64_t>> shape = op.integers("shape", 0);
  if (!shape || !op.need(std::ranges::all_of(*shape, [](int64_t extent) { return extent >= 0; }),
                         "sizes must not be negative"))
    return {};
  return {{fillOf(op).type, *shape}};
}

std::vector<Literal> evaluateConstantOfShape(OpView &op) {
  const Literal one = fillOf(op);
  return {one.picked(op.result().shape, std::vector<int64_t>(elementsOf(op.result().shape), 0))};
}

void writeConstantOfShape(OpView &op, Writer &writer) {
  writer.define(op.out(), {{"op", "constant"},
                           {"value", fillOf(op).real(0)},
                           {"type", isFloat(op.result().type) ? "f32" : "i32"},
                           {"shape", op.result().shape}});
}

std::vector<Type> inferRange(OpView &op) {
  for (size_t i = 0; i < 3; ++i)
    if (!op.need(op.literal(i) && op.literal(i)->size() == 1,
                 "start, limit and step must be known when a plan is made") ||
        !op.need(op.type(i) == op.type(0), "start, limit and step must be of one type, are " +
                                               std::string(wordOf(op.type(0))) + " and " +
                                               std::string(wordOf(op.type(i)))))
      return {};
  const double start = op.literal(0)->real(0), limit = op.literal(1)->real(0), step = op.literal(2)->real(0);
  const double count = step == 0 ? -1 : std::max(0.0, std::ceil((limit - start) / step));
  if (!op.need(count >= 0 && count <= static_cast<double>(kMostLiteral),
               "must have at most 2^22 steps, each not 0"))
    return {};
  return {{op.type(0), {static_cast<int64_t>(count)}}};
}

std::vector<Literal> evaluateRange(OpView &op) {
  Literal result = Literal::filled(op.result().type, op.result().shape, 0);
  for (int64_t i = 0; i < result.size(); ++i)
    if (result.isFloat())
      result.set(i, op.literal(0)->real(0) + static_cast<double>(i) * op.literal(2)->real(0));
    else
      result.setInteger(i, op.literal(0)->integers[0] + i * op.literal(2)->integers[0]);
  return {result};
}

constexpr Operator kOperators[] = {
    {"Shape", "known before the run", 1, 1, inferShape, evaluateShape, nullptr},
    {"Size", "known before the run", 1, 1, inferSize, evaluateSize, nullptr},
    {"Constant", "known before the run", 0, 0, inferConstant, evaluateConstant, nullptr},
    {"ConstantOfShape", "`constant`", 1, 1, inferConstantOfShape, evaluateConstantOfShape,
     writeConstantOfShape},
    {"Range", "known before the run", 3, 3, inferRange, evaluateRange, nullptr},
};

} // namespace

std::span<const Operator> shapeOperators() { return kOperators; }

} // namespace windlass::onnx
