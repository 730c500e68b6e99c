// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/recognize/Terms.h"

#include <cmath>

namespace windlass::onnx {
namespace {

constexpr int kDeepest = 8; ///< nested nodes, at most, of one product or sum

void collect(const Graph &graph, ValueId id, const Shape &shape, int depth, Product &product) {
  if (std::optional<double> number = numberOf(graph, id)) {
    product.coefficient *= *number;
    return;
  }
  const Node *node = depth < kDeepest && graph.at(id).shape == shape ? graph.at(id).producer : nullptr;
  if (node && node->is("Mul")) {
    for (ValueId factor : node->inputs)
      collect(graph, factor, shape, depth + 1, product);
    return;
  }
  const bool isDiv = node && node->is("Div"), isPow = node && node->is("Pow");
  const double second = isDiv || isPow ? numberOf(graph, node->inputs[1]).value_or(0) : 0;
  if (isDiv && second != 0) {
    product.coefficient /= second;
    return collect(graph, node->inputs[0], shape, depth + 1, product);
  }
  if (isPow && (second == 2 || second == 3)) {
    for (int i = 0; i < static_cast<int>(second); ++i)
      collect(graph, node->inputs[0], shape, depth + 1, product);
    return;
  }
  product.factors.push_back(id);
}

void collect(const Graph &graph, ValueId id, const Shape &shape, int depth, Sum &sum) {
  if (std::optional<double> number = numberOf(graph, id)) {
    sum.constant += *number;
    return;
  }
  const Node *node = depth < kDeepest && graph.at(id).shape == shape ? graph.at(id).producer : nullptr;
  if (node && node->is("Add")) {
    for (ValueId term : node->inputs)
      collect(graph, term, shape, depth + 1, sum);
    return;
  }
  sum.terms.push_back(id);
}

} // namespace

Product productOf(const Graph &graph, ValueId id) {
  Product product;
  collect(graph, id, graph.at(id).shape, 0, product);
  return product;
}

Sum sumOf(const Graph &graph, ValueId id) {
  Sum sum;
  collect(graph, id, graph.at(id).shape, 0, sum);
  return sum;
}

std::optional<double> numberOf(const Graph &graph, ValueId id) {
  const Literal *literal = id == kAbsent ? nullptr : graph.at(id).literal.get();
  if (!literal || literal->size() != 1)
    return std::nullopt;
  return literal->real(0);
}

bool isClose(double x, double y) {
  constexpr double kRounding = 1e-6;
  return std::fabs(x - y) <= kRounding * std::fabs(y);
}

std::vector<ValueId> operandsOf(const Graph &graph, ValueId id, std::string_view op) {
  const Node *node = graph.producer(id, op);
  return node ? node->inputs : std::vector<ValueId>();
}

ValueId operandOf(const Graph &graph, ValueId id, std::string_view op) {
  const std::vector<ValueId> operands = operandsOf(graph, id, op);
  return operands.size() == 1 ? operands[0] : kAbsent;
}

bool isRowOf(const Graph &graph, ValueId row, ValueId whole) {
  const Shape &shape = graph.at(row).shape, &of = graph.at(whole).shape;
  return !shape.empty() && !of.empty() && shape.back() == of.back() && elementsOf(shape) == of.back();
}

ValueId meanOperand(const Graph &graph, ValueId id) {
  const Node *node = graph.producer(id, "ReduceMean");
  if (!node || node->integer("keepdims", 1) == 0)
    return kAbsent;
  const ValueId operand = node->inputs[0];
  Shape reduced = graph.at(operand).shape;
  if (reduced.empty() || reduced.back() == 1)
    return kAbsent;
  reduced.back() = 1;
  return graph.at(id).shape == reduced ? operand : kAbsent;
}

} // namespace windlass::onnx
