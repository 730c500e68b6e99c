// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/operators/Operator.h"

#include "runtime/base/Counted.h"
#include <algorithm>

namespace windlass::onnx {

double OpView::real(const std::string &key, double otherwise) const {
  const double *value = node.attribute<double>(key);
  return value ? *value : otherwise;
}

std::string OpView::text(const std::string &key, const std::string &otherwise) const {
  const std::string *value = node.attribute<std::string>(key);
  return value ? *value : otherwise;
}

std::optional<std::vector<int64_t>> OpView::integers(const std::string &key, size_t i) {
  if (const auto *values = node.attribute<std::vector<int64_t>>(key))
    return *values;
  if (!has(i))
    return std::nullopt;
  if (const Literal *values = literal(i); values && !values->isFloat())
    return values->integers;
  fail(key + " depends on data; sizes and places must be known when a plan is made");
  return std::nullopt;
}

int64_t OpView::normalized(int64_t axis, int64_t rank) {
  if (!need(rank > 0, "a number has no axis " + std::to_string(axis)) ||
      !need(axis >= -rank && axis < rank, "an axis must be from " + std::to_string(-rank) + " to " +
                                              std::to_string(rank - 1) + ", is " + std::to_string(axis)))
    return 0;
  return axis < 0 ? axis + rank : axis;
}

std::optional<std::vector<int64_t>> OpView::axes(const std::string &key, size_t i, int64_t rank) {
  std::optional<std::vector<int64_t>> values = integers(key, i);
  if (!values)
    return std::nullopt;
  for (int64_t &value : *values)
    value = normalized(value, rank);
  std::ranges::sort(*values);
  need(std::ranges::adjacent_find(*values) == values->end(), "an axis is given twice");
  return isOk() ? values : std::nullopt;
}

int64_t OpView::axis(const std::string &key, int64_t otherwise, int64_t rank) {
  return normalized(integer(key, otherwise), rank);
}

bool OpView::needElements(size_t i) {
  return need(elementsOf(shape(i)) > 0,
              "input " + std::to_string(i) + " must have elements, is " + describe(shape(i)));
}

Shape OpView::broadcast(const std::vector<Shape> &shapes) {
  Shape result;
  for (const Shape &shape : shapes)
    result.resize(std::max(result.size(), shape.size()), 1);
  for (const Shape &shape : shapes)
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t &extent = result[result.size() - shape.size() + d];
      if (!need(extent == shape[d] || extent == 1 || shape[d] == 1,
                "shapes must agree but for sizes of 1, are " + describe(shapes[0]) + " and " +
                    describe(shape)))
        return {};
      extent = extent == 1 ? shape[d] : extent;
    }
  return result;
}

void OpView::fail(const std::string &rule) {
  if (failure->isOk())
    *failure = Status::badInput(rule);
}

bool OpView::need(bool holds, const std::string &rule) {
  if (!holds)
    fail(rule);
  return holds && isOk();
}

std::vector<const Operator *> allOperators() {
  std::vector<const Operator *> all;
  for (std::span<const Operator> family :
       {elementwiseOperators(), activationOperators(), comparisonOperators(), shapeOperators(),
        movementOperators(), indexingOperators(), gatherOperators(), paddingOperators(), productOperators(),
        convolutionOperators(), poolOperators(), resizeOperators(), reductionOperators(),
        normalizationOperators(), channelNormOperators(), attentionOperators(), lossOperators()})
    for (const Operator &op : family)
      all.push_back(&op);
  return all;
}

const Operator *findOperator(const Node &node) {
  static const std::map<std::string_view, const Operator *> table = [] {
    std::map<std::string_view, const Operator *> byName;
    for (const Operator *op : allOperators())
      byName[op->name] = op;
    return byName;
  }();
  if (node.domain == kOwnDomain) {
    auto own = std::ranges::find(ownOperators(), node.op, &Operator::name);
    return own == ownOperators().end() ? nullptr : &*own;
  }
  auto found = table.find(node.op);
  return node.domain.empty() && found != table.end() ? found->second : nullptr;
}

Status checkOperands(const Node &node, const Operator &op) {
  const size_t least = op.least, most = op.most, count = node.inputs.size();
  if (count < least || count > most) {
    const std::string range =
        std::to_string(least) + (most == kUnlimited ? " or more" : " to " + std::to_string(most)) + " inputs";
    return Status::badInput("must have " +
                            (most == least ? counted(static_cast<int64_t>(least), "input") : range) +
                            ", has " + std::to_string(count));
  }
  for (size_t i = 0; i < (most == kUnlimited ? count : least); ++i)
    if (node.inputs[i] == kAbsent)
      return Status::badInput("input " + std::to_string(i) + " must be given");
  if (node.outputs.empty() || node.outputs[0] == kAbsent)
    return Status::badInput("must have a first result, has none");
  return Status::ok();
}

std::string operatorTable() {
  std::vector<const Operator *> all = allOperators();
  std::ranges::sort(all, {}, &Operator::name);
  std::string table = "| operator | becomes |\n| --- | --- |\n";
  for (const Operator *op : all)
    table += "| `" + std::string(op->name) + "` | " + std::string(op->meaning) + " |\n";
  return table;
}

} // namespace windlass::onnx
