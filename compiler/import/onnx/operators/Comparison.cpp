// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, logic, choices, conversions and dropout.
#include "compiler/import/onnx/operators/Broadcast.h"
#include "compiler/import/onnx/operators/Dropout.h"
#include "compiler/import/onnx/operators/Formula.h"

#include <algorithm>
#include <cmath>

namespace windlass::onnx {
namespace {

using Reals = std::span<const double>;
using Integers = std::span<const int64_t>;

template <typename Compare> std::vector<Literal> evaluateCompare(OpView &op) {
  return evaluateEach(
      op, [](Reals x) { return Compare()(x[0], x[1]); }, [](Integers x) { return Compare()(x[0], x[1]); });
}

std::vector<Literal> evaluateNot(OpView &op) {
  return evaluateEach(op, nullptr, [](Integers x) { return x[0] == 0; });
}

std::vector<Literal> evaluateIsNaN(OpView &op) {
  return evaluateEach(op, [](Reals x) { return std::isnan(x[0]); }, nullptr);
}

std::vector<Type> inferWhere(OpView &op) {
  return {{op.type(1), op.broadcast({op.shape(0), op.shape(1), op.shape(2)})}};
}

std::vector<Literal> evaluateWhere(OpView &op) {
  return evaluateEach(
      op, [](Reals x) { return x[0] != 0 ? x[1] : x[2]; },
      [](Integers x) { return x[0] != 0 ? x[1] : x[2]; });
}

template <const char *name> void write(OpView &op, Writer &writer) { writeEach(op, writer, {{"op", name}}); }

/// Writes IsNaN(x) as x != x.
void writeIsNaN(OpView &op, Writer &writer) {
  const Shape form = writer.held(op.in(0));
  const std::string x = writer.as(op.in(0), form);
  writer.define(op.out(), {{"op", "not"}, {"in", {Formula(writer).apply("equal", {x, x})}}}, form);
}

/// Writes Xor of truth values (0 and 1) as their inequality.
void writeXor(OpView &op, Writer &writer) {
  const std::string equal =
      writer.intermediate({{"op", "equal"}, {"in", {writer.as(op.in(0)), writer.as(op.in(1))}}});
  writer.define(op.out(), {{"op", "not"}, {"in", {equal}}}, op.result().shape);
}

//===----------------------------------------------------------------------===//
// Clip, Cast, Identity
//===----------------------------------------------------------------------===//

struct Bounds {
  double low = -std::numeric_limits<double>::max(), high = std::numeric_limits<double>::max();
};

Bounds boundsOf(OpView &op) {
  Bounds bounds;
  for (size_t i : {1, 2})
    if (op.has(i) && op.need(op.literal(i) && op.literal(i)->size() == 1, "bounds must be known numbers"))
      (i == 1 ? bounds.low : bounds.high) = op.literal(i)->real(0);
  bounds.low = std::min(bounds.low, bounds.high); // min(max(x, low), high): the upper bound counts
  return bounds;
}

std::vector<Type> inferClip(OpView &op) {
  boundsOf(op);
  return {op.typeOf(0)};
}

std::vector<Literal> evaluateClip(OpView &op) {
  const Bounds bounds = boundsOf(op);
  Literal result = *op.literal(0);
  for (int64_t i = 0; i < result.size(); ++i)
    if (const double x = result.real(i); x < bounds.low || x > bounds.high)
      result.set(i, x < bounds.low ? bounds.low : bounds.high);
  return {result};
}

/// Writes a clip of integers. Those of a plan have 32 bits: bounds beyond these bound nothing.
void writeWholeClip(OpView &op, Writer &writer, const Bounds &bounds) {
  const Shape form = writer.held(op.in(0));
  Formula f(writer);
  std::string x = writer.as(op.in(0), form);
  const auto bound = [&](const char *kind, double number) {
    x = f.apply(kind, {x, f.number(std::clamp<double>(number, INT32_MIN, INT32_MAX), "i32")});
  };
  if (op.has(2))
    bound("min", bounds.high);
  if (op.has(1))
    bound("max", bounds.low);
  writer.declare(op.out(), x, form.empty() ? Shape{1} : form);
}

void writeClip(OpView &op, Writer &writer) {
  const Bounds bounds = boundsOf(op);
  if (!isFloat(op.type(0)))
    return writeWholeClip(op, writer, bounds);
  constexpr double kLargest = std::numeric_limits<float>::max();
  const Shape form = writer.held(op.in(0));
  writer.define(op.out(),
                {{"op", "clip"},
                 {"in", {writer.as(op.in(0), form)}},
                 {"low", std::max(bounds.low, -kLargest)},
                 {"high", std::min(bounds.high, kLargest)}},
                form);
}

std::vector<Type> inferCast(OpView &op) {
  if (op.node.op == "CastLike")
    return {{op.type(1), op.shape(0)}};
  const int64_t to = op.integer("to", 0);
  if (!op.need(isDataType(to), "type must be float, float16, bfloat16, double, int64, int32, uint8 or bool, "
                               "is ONNX's number " +
                                   std::to_string(to)))
    return {};
  return {{static_cast<DataType>(to), op.shape(0)}};
}

std::vector<Literal> evaluateCast(OpView &op) {
  const Literal &source = *op.literal(0);
  Literal result = Literal::filled(op.result().type, source.shape, 0);
  constexpr double kEdge = 9.2e18; // larger numbers do not fit an i64
  for (int64_t i = 0; i < result.size(); ++i)
    if (!source.isFloat())
      result.setInteger(i, source.integers[static_cast<size_t>(i)]);
    else if (result.type == DataType::Bool)
      result.setInteger(i, source.real(i) != 0);
    else if (result.isFloat() || std::fabs(source.real(i)) < kEdge)
      result.set(i, source.real(i));
  return {result};
}

void writeCast(OpView &op, Writer &writer) {
  const DataType from = op.type(0), to = op.result().type;
  if (isFloat(from) == isFloat(to) && (to != DataType::Bool || from == DataType::Bool))
    return writer.alias(op.out(), op.in(0));
  const Shape form = writer.held(op.in(0));
  std::string x = writer.as(op.in(0), form);
  if (to == DataType::Bool) {
    const std::string zero = writer.intermediate(
        {{"op", "constant"}, {"value", 0}, {"type", isFloat(from) ? "f32" : "i32"}, {"shape", {1}}});
    const std::string equal = writer.intermediate({{"op", "equal"}, {"in", {x, zero}}});
    return writer.define(op.out(), {{"op", "not"}, {"in", {equal}}}, form);
  }
  writer.define(op.out(), {{"op", "cast"}, {"in", {x}}, {"type", isFloat(to) ? "f32" : "i32"}}, form);
}

std::vector<Type> inferFirst(OpView &op) { return {op.typeOf(0)}; }

/// Results: the numbers, and a mask of the kept ones. Dropout of rate 0 has been removed (Simplify.h).
std::vector<Type> inferDropout(OpView &op) { return {op.typeOf(0), {DataType::Bool, op.shape(0)}}; }

std::vector<Literal> evaluateIdentity(OpView &op) { return {*op.literal(0)}; }

void writeIdentity(OpView &op, Writer &writer) { writer.alias(op.out(), op.in(0)); }

void writeDropout(OpView &op, Writer &writer) {
  const Shape form = writer.held(op.in(0));
  writer.define(
      op.out(),
      {{"op", "dropout"}, {"in", {writer.as(op.in(0), form)}}, {"rate", droppedShare(op.graph, op.node)}},
      form);
}

constexpr char kEqual[] = "equal", kLess[] = "less", kGreater[] = "greater", kLessOrEqual[] = "less_equal",
               kGreaterOrEqual[] = "greater_equal", kAnd[] = "and", kOr[] = "or", kNot[] = "not",
               kWhere[] = "where";

constexpr Operator kOperators[] = {
    {"Equal", "`equal`", 2, 2, inferBool, evaluateCompare<std::equal_to<>>, write<kEqual>},
    {"Less", "`less`", 2, 2, inferBool, evaluateCompare<std::less<>>, write<kLess>},
    {"Greater", "`greater`", 2, 2, inferBool, evaluateCompare<std::greater<>>, write<kGreater>},
    {"LessOrEqual", "`less_equal`", 2, 2, inferBool, evaluateCompare<std::less_equal<>>, write<kLessOrEqual>},
    {"GreaterOrEqual", "`greater_equal`", 2, 2, inferBool, evaluateCompare<std::greater_equal<>>,
     write<kGreaterOrEqual>},
    {"And", "`and`", 2, 2, inferBool, evaluateCompare<std::logical_and<>>, write<kAnd>},
    {"Or", "`or`", 2, 2, inferBool, evaluateCompare<std::logical_or<>>, write<kOr>},
    {"Xor", "`equal`, `not`", 2, 2, inferBool, evaluateCompare<std::not_equal_to<>>, writeXor},
    {"Not", "`not`", 1, 1, inferBool, evaluateNot, write<kNot>},
    {"IsNaN", "`equal`, `not`", 1, 1, inferBool, evaluateIsNaN, writeIsNaN},
    {"Where", "`where`", 3, 3, inferWhere, evaluateWhere, write<kWhere>},
    {"Clip", "`clip`, or `min`, `max` of integers", 1, 3, inferClip, evaluateClip, writeClip},
    {"Cast", "`cast`, or nothing between floats", 1, 1, inferCast, evaluateCast, writeCast},
    {"CastLike", "`cast`, or nothing between floats", 2, 2, inferCast, evaluateCast, writeCast},
    {"Identity", "nothing", 1, 1, inferFirst, evaluateIdentity, writeIdentity},
    {"Dropout", "`dropout`, or nothing where it is off", 1, 3, inferDropout, nullptr, writeDropout},
    {"RandomUniformLike", "with `Less` and `Cast` `dropout`", 1, 1, inferFirst, nullptr, nullptr},
};

} // namespace

std::span<const Operator> comparisonOperators() { return kOperators; }

} // namespace windlass::onnx
