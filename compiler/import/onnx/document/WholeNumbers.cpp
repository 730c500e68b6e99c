// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/document/WholeNumbers.h"

#include "compiler/import/onnx/document/Roles.h"
#include "compiler/import/onnx/file/Reader.h"
#include "compiler/import/onnx/graph/Views.h"
#include "compiler/import/onnx/rewrite/Refusals.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace windlass::onnx {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The least and the greatest element that a value can have; infinite where nothing is known.
struct Range {
  double low = -kInfinity, high = kInfinity;

  bool isKnown() const { return std::isfinite(low) && std::isfinite(high); }
  bool isWithin(const Range &other) const { return low >= other.low && high <= other.high; }
  /// This range, or all of an integer's if it wraps around beyond `limits`.
  Range wrappedAt(const Range &limits) const {
    const bool mayWrap =
        (std::isfinite(low) && low < limits.low) || (std::isfinite(high) && high > limits.high);
    return mayWrap ? Range() : *this;
  }
};

constexpr Range kInt32{INT32_MIN, INT32_MAX}, kUint8{0, UINT8_MAX}, kTruth{0, 1}, kSign{-1, 1};
constexpr Range kExactInF32{-0x1p24, 0x1p24};

Range hull(const Range &x, const Range &y) { return {std::min(x.low, y.low), std::max(x.high, y.high)}; }
Range negated(const Range &x) { return {-x.high, -x.low}; }
Range sum(const Range &x, const Range &y) { return {x.low + y.low, x.high + y.high}; }

Range product(const Range &x, const Range &y) {
  if (!x.isKnown() || !y.isKnown())
    return {};
  const auto [low, high] = std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
  return {low, high};
}

Range truncated(const Range &x) { return {std::trunc(x.low), std::trunc(x.high)}; }

/// The next number upwards that has 8 bits, as bf16 has; infinite beyond f32.
double roundedUp(double x) {
  if (std::fabs(x) > std::numeric_limits<float>::max())
    return x < 0 ? x : kInfinity;
  constexpr double kSteps = 256;
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::ceil(mantissa * kSteps) / kSteps, exponent);
}

/// The range of real numbers once they are rounded to any type that a plan computes in.
Range rounded(const Range &x) {
  const Range result{-roundedUp(-x.low), roundedUp(x.high)};
  return result.low < kInfinity && result.high > -kInfinity ? result : Range();
}

Range rangeOf(const Literal &literal) {
  Range range{kInfinity, -kInfinity};
  for (int64_t i = 0; i < literal.size(); ++i) {
    const double number = literal.real(i);
    if (!std::isfinite(number))
      return {};
    range = hull(range, {number, number});
  }
  return literal.size() == 0 ? Range() : range;
}

/// What follows a rule that a range breaks.
std::string reach(const Range &range) {
  const auto text = [](double number) {
    std::array<char, 64> digits; // products of two integers of 64 bits have at most 38
    std::snprintf(digits.data(), digits.size(), "%.0f", number);
    return std::string(digits.data());
  };
  return range.isKnown() ? ", and can be from " + text(range.low) + " to " + text(range.high) : "";
}

bool isCast(const Node &node) { return node.is("Cast") || node.is("CastLike"); }

/// Whether the elements of the result are elements of the first input.
bool keepsElements(const Node &node) {
  static const std::set<std::string_view> all = {
      "Expand", "Gather", "GatherElements", "GatherND", "Identity", "Slice", "Transpose", "Split", "Tile"};
  return isView(node) || isCast(node) || (node.domain.empty() && all.contains(node.op)) ||
         (node.domain == kOwnDomain && node.op == "Detach");
}

/// Whether the result of a node may have other numbers than its operands.
bool computes(const Graph &graph, const Node &node) {
  static const std::set<std::string_view> all = {"Add", "Sub", "Sum", "Mul", "Neg", "CumSum", "Clip"};
  if (isCast(node))
    return graph.at(node.inputs[0]).type != graph.at(node.outputs[0]).type;
  return node.domain.empty() && all.contains(node.op);
}

class WholeNumbers {
public:
  explicit WholeNumbers(const Graph &graph) : graph(graph), refused(graph) {
    const Roles roles(graph);
    for (const Input &input : graph.inputs)
      if (!isFloat(graph.at(input.value).type))
        ranges[input.value] = ofInput(roles.describe(input), graph.at(input.value).type);
  }

  Status check(std::vector<std::string> &warnings) {
    for (const auto &node : graph.nodes) {
      const Value &result = graph.at(node->outputs[0]);
      if (result.type == DataType::Bool || result.literal)
        continue;
      const Range range = ofNode(*node);
      if (!isFloat(result.type))
        checkResult(*node, range, warnings);
      for (ValueId id : node->outputs)
        if (id != kAbsent)
          ranges[id] = held(range, result.type);
    }
    return refused.status();
  }

private:
  static Range ofInput(const nlohmann::json &role, DataType type);
  static Range held(const Range &computed, DataType type);
  Range of(ValueId id) const;
  Range ofAll(const Node &node, size_t first) const;
  Range ofNode(const Node &node) const;
  Range ofRunningSums(const Node &node) const;
  Range ofClip(const Node &node) const;
  void checkResult(const Node &node, const Range &range, std::vector<std::string> &warnings);
  bool mayWrap(const Node &node) const;

  const Graph &graph;
  std::map<ValueId, Range> ranges;
  Refusals refused;
};

/// The range of an input, whose numbers are checked before the run.
Range WholeNumbers::ofInput(const nlohmann::json &role, DataType type) {
  const auto bound = role.at("bound").get<int64_t>();
  const bool isLabel = role.at("role") != "tokens";
  const double low =
      isLabel ? static_cast<double>(std::min<int64_t>(role.value("ignored", Counting().ignored), 0)) : 0;
  if (bound < INT32_MAX)
    return {low, static_cast<double>(bound - 1)};
  return type == DataType::Uint8 ? kUint8 : Range();
}

/// The range of a result that a plan stores in a type.
Range WholeNumbers::held(const Range &computed, DataType type) {
  return isFloat(type) ? rounded(computed) : computed.wrappedAt(type == DataType::Uint8 ? kUint8 : kInt32);
}

Range WholeNumbers::of(ValueId id) const {
  const Value &value = graph.at(id);
  if (value.literal)
    return rangeOf(*value.literal);
  if (value.type == DataType::Bool)
    return kTruth;
  const auto found = ranges.find(id);
  return found == ranges.end() ? Range() : found->second;
}

/// The range of all elements of the inputs from `first` on.
Range WholeNumbers::ofAll(const Node &node, size_t first) const {
  Range range = of(node.inputs[first]);
  for (size_t i = first + 1; i < node.inputs.size(); ++i)
    range = hull(range, of(node.inputs[i]));
  return range;
}

Range WholeNumbers::ofRunningSums(const Node &node) const {
  const Shape &shape = graph.at(node.inputs[0]).shape;
  const int64_t axis = graph.at(node.inputs[1]).literal->integers[0], rank = std::ssize(shape);
  const auto count = static_cast<double>(shape[static_cast<size_t>(axis < 0 ? axis + rank : axis)]);
  return hull({0, 0}, product(of(node.inputs[0]), {0, count}));
}

/// A clip has bounds of its own, except those beyond 32 bits, which bound nothing in a plan. Where bounds
/// cross, the upper one counts.
Range WholeNumbers::ofClip(const Node &node) const {
  const Range x = of(node.inputs[0]);
  double high = node.has(2) ? of(node.inputs[2]).high : kInfinity,
         low = node.has(1) ? std::min(of(node.inputs[1]).low, high) : -kInfinity;
  low = low < kInt32.low ? -kInfinity : low;
  high = high > kInt32.high ? kInfinity : high;
  return {std::clamp(x.low, low, high), std::clamp(x.high, low, high)};
}

Range WholeNumbers::ofNode(const Node &node) const {
  if (keepsElements(node))
    return isFloat(graph.at(node.outputs[0]).type) ? of(node.inputs[0]) : truncated(of(node.inputs[0]));
  if (node.is("Clip"))
    return ofClip(node);
  if (node.is("Neg"))
    return negated(of(node.inputs[0]));
  if (node.is("Sub"))
    return sum(of(node.inputs[0]), negated(of(node.inputs[1])));
  if (node.is("Mul"))
    return product(of(node.inputs[0]), of(node.inputs[1]));
  if (node.is("Where"))
    return ofAll(node, 1);
  if (node.is("Concat"))
    return ofAll(node, 0);
  if (node.is("CumSum"))
    return ofRunningSums(node);
  if (node.is("Trilu"))
    return hull({0, 0}, of(node.inputs[0]));
  if (node.is("Pad")) // with the number of input 2, or 0
    return hull(of(node.inputs[0]), node.has(2) ? of(node.inputs[2]) : Range{0, 0});
  const bool isSum = node.is("Add") || node.is("Sum"), isMin = node.is("Min");
  if (!isSum && !isMin && !node.is("Max"))
    return {};
  Range range = of(node.inputs[0]);
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const Range next = of(node.inputs[i]);
    range = isSum   ? sum(range, next)
            : isMin ? Range{std::min(range.low, next.low), std::min(range.high, next.high)}
                    : Range{std::max(range.low, next.low), std::max(range.high, next.high)};
  }
  return range;
}

/// Whether the product of a node has a factor of unknown range, and another that is not -1, 0 or 1.
bool WholeNumbers::mayWrap(const Node &node) const {
  if (!node.is("Mul"))
    return false;
  const Range x = of(node.inputs[0]), y = of(node.inputs[1]);
  return (!x.isKnown() && !y.isWithin(kSign)) || (!y.isKnown() && !x.isWithin(kSign));
}

void WholeNumbers::checkResult(const Node &node, const Range &range, std::vector<std::string> &warnings) {
  if (!computes(graph, node))
    return;
  const DataType type = graph.at(node.outputs[0]).type;
  if (type == DataType::Uint8) {
    if (!range.isWithin(kUint8))
      refused.add(node, "must be from 0 to 255 where it depends on data, as a plan's integers do not wrap "
                        "around like those of uint8" +
                            reach(range));
    return;
  }
  if (node.is("CumSum") && range.isKnown() && !range.isWithin(kExactInF32))
    refused.add(node,
                "is computed in f32, and must be from -2^24 to 2^24 where it depends on data" + reach(range));
  if (type != DataType::Int64) // integers of 32 bits wrap around in the file, too
    return;
  if (range.isKnown() ? !range.isWithin(kInt32) : range.low > kInt32.high || range.high < kInt32.low)
    refused.add(node,
                "must fit the integers of 32 bits that a plan has where it depends on data" + reach(range));
  else if (mayWrap(node))
    warnings.push_back(placeOf(graph, node) +
                       ": multiplies integers of 64 bits whose range is unknown; a plan's have 32 bits, and "
                       "wrap around beyond 2^31 - 1 (docs/onnx.md)");
}

} // namespace

Status checkWholeNumbers(const Graph &graph, std::vector<std::string> &warnings) {
  return WholeNumbers(graph).check(warnings);
}

} // namespace windlass::onnx
