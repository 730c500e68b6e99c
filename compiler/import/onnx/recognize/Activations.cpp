// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises GELU in both forms, however it is written, SiLU, and the logarithm of a sigmoid.
#include "compiler/import/onnx/recognize/Recognize.h"
#include "compiler/import/onnx/recognize/Terms.h"

#include <algorithm>

namespace windlass::onnx {
namespace {

constexpr double kHalfRoot = 0.70710678118654752440, kRoot = 0.79788456080286535588, kCubic = 0.044715;

/// Whether `id` is coefficient * x ^ power.
bool isPower(const Graph &graph, ValueId id, double coefficient, ValueId x, size_t power) {
  const Product product = productOf(graph, id);
  return isClose(product.coefficient, coefficient) && product.factors == std::vector<ValueId>(power, x);
}

/// The term of a sum `constant` + term; kAbsent if `id` is none.
ValueId shiftedTerm(const Graph &graph, ValueId id, double constant) {
  const Sum sum = sumOf(graph, id);
  return sum.terms.size() == 1 && isClose(sum.constant, constant) ? sum.terms[0] : kAbsent;
}

/// Whether `id` is x + 0.044715 x^3.
bool isCubic(const Graph &graph, ValueId id, ValueId x) {
  const Sum sum = sumOf(graph, id);
  if (sum.terms.size() != 2 || sum.constant != 0)
    return false;
  for (size_t i = 0; i < 2; ++i)
    if (sum.terms[i] == x && isPower(graph, sum.terms[1 - i], kCubic, x, 3))
      return true;
  return false;
}

/// Whether `id` is sqrt(2 / pi) * (x + 0.044715 x^3), or sqrt(2 / pi) * x * (1 + 0.044715 x^2).
bool isTanhArgument(const Graph &graph, ValueId id, ValueId x) {
  const Product product = productOf(graph, id);
  if (!isClose(product.coefficient, kRoot))
    return false;
  if (product.factors.size() == 1)
    return isCubic(graph, product.factors[0], x);
  for (size_t i = 0; i < 2 && product.factors.size() == 2; ++i) {
    const ValueId square = product.factors[i] == x ? shiftedTerm(graph, product.factors[1 - i], 1) : kAbsent;
    if (square != kAbsent && isPower(graph, square, kCubic, x, 2))
      return true;
  }
  return false;
}

} // namespace

ValueId recognizeGelu(const Node &node, NodeMaker &maker) {
  const Graph &graph = maker.graph;
  if (!node.is("Mul") && !node.is("Div"))
    return kAbsent;
  const Product product = productOf(graph, node.outputs[0]);
  if (product.factors.size() != 2 || !isClose(product.coefficient, 0.5))
    return kAbsent;
  for (size_t i = 0; i < 2; ++i) {
    const ValueId x = product.factors[i], shape = shiftedTerm(graph, product.factors[1 - i], 1);
    if (shape == kAbsent)
      continue;
    const ValueId ofErf = operandOf(graph, shape, "Erf"), ofTanh = operandOf(graph, shape, "Tanh");
    if (ofErf != kAbsent && isPower(graph, ofErf, kHalfRoot, x, 1))
      return maker.make("Gelu", {x}, {{"approximate", std::string("none")}});
    if (ofTanh != kAbsent && isTanhArgument(graph, ofTanh, x))
      return maker.make("Gelu", {x}, {{"approximate", std::string("tanh")}});
  }
  return kAbsent;
}

ValueId recognizeSilu(const Node &node, NodeMaker &maker) {
  if (!node.is("Mul"))
    return kAbsent;
  for (size_t i = 0; i < 2; ++i)
    if (operandOf(maker.graph, node.inputs[1 - i], "Sigmoid") == node.inputs[i])
      return maker.make("Swish", {node.inputs[i]});
  return kAbsent;
}

/// The exporters write F.logsigmoid as the logarithm of a sigmoid, which is -inf where the sigmoid rounds to
/// 0, and F.binary_cross_entropy_with_logits also by the logarithm of what a sigmoid leaves of 1, which is
/// -inf where the sigmoid rounds to 1.
ValueId recognizeLogSigmoid(const Node &node, NodeMaker &maker) {
  const Graph &graph = maker.graph;
  if (!node.is("Log"))
    return kAbsent;
  if (const ValueId x = operandOf(graph, node.inputs[0], "Sigmoid"); x != kAbsent)
    return maker.make("Neg", {maker.make("Softplus", {maker.make("Neg", {x})})});
  const Node *rest = graph.producer(node.inputs[0], "Sub");
  if (!rest || numberOf(graph, rest->inputs[0]) != 1)
    return kAbsent;
  const ValueId x = operandOf(graph, rest->inputs[1], "Sigmoid");
  if (x == kAbsent || graph.at(x).shape != graph.at(node.outputs[0]).shape)
    return kAbsent;
  return maker.make("Neg", {maker.make("Softplus", {x})});
}

} // namespace windlass::onnx
