// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises layer norms and RMS norms that are written with means, squares and roots.
#include "compiler/import/onnx/recognize/Recognize.h"
#include "compiler/import/onnx/recognize/Terms.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

/// x / sqrt(mean(x^2) + epsilon)
struct Normalized {
  ValueId x = kAbsent;
  double epsilon = 0;
};

/// The operand s of sqrt(s) as a divisor, or of 1 / sqrt(s) or s ^ -0.5 as a factor.
ValueId rootOperand(const Graph &graph, ValueId id, bool isDivisor) {
  if (isDivisor)
    return operandOf(graph, id, "Sqrt");
  if (const ValueId root = operandOf(graph, id, "Reciprocal"); root != kAbsent)
    return operandOf(graph, root, "Sqrt");
  if (const std::vector<ValueId> power = operandsOf(graph, id, "Pow"); power.size() == 2)
    return numberOf(graph, power[1]) == -0.5 ? power[0] : kAbsent;
  if (const std::vector<ValueId> quotient = operandsOf(graph, id, "Div"); quotient.size() == 2)
    return numberOf(graph, quotient[0]) == 1 ? operandOf(graph, quotient[1], "Sqrt") : kAbsent;
  return kAbsent;
}

/// Whether `variance` is mean(x^2) + epsilon.
bool isVariance(const Graph &graph, ValueId variance, ValueId x, double &epsilon) {
  const Sum sum = sumOf(graph, variance);
  if (sum.terms.size() != 1 || sum.constant <= 0)
    return false;
  const ValueId square = meanOperand(graph, sum.terms[0]);
  if (square == kAbsent)
    return false;
  const Product product = productOf(graph, square), factor = productOf(graph, x);
  epsilon = sum.constant;
  std::vector<ValueId> twice = factor.factors; // x may itself be a product
  twice.insert(twice.end(), factor.factors.begin(), factor.factors.end());
  std::vector<ValueId> found = product.factors;
  std::sort(twice.begin(), twice.end());
  std::sort(found.begin(), found.end());
  return isClose(product.coefficient, factor.coefficient * factor.coefficient) && found == twice;
}

Normalized normalizedOf(const Graph &graph, ValueId id) {
  for (const char *op : {"Div", "Mul"}) {
    const std::vector<ValueId> operands = operandsOf(graph, id, op);
    const bool isDivisor = op[0] == 'D';
    for (size_t i = 0; i < operands.size() && i < (isDivisor ? 1U : 2U); ++i) {
      Normalized found{operands[i], 0};
      const ValueId variance = rootOperand(graph, operands[1 - i], isDivisor);
      if (variance != kAbsent && isVariance(graph, variance, found.x, found.epsilon))
        return found;
    }
  }
  return {};
}

/// The two operands of a Mul of a normalised value and a row.
struct Scaled {
  Normalized normalized;
  ValueId scale = kAbsent;
};

Scaled scaledOf(const Graph &graph, ValueId id) {
  const std::vector<ValueId> factors = operandsOf(graph, id, "Mul");
  for (size_t i = 0; i < factors.size() && factors.size() == 2; ++i) {
    const Normalized normalized = normalizedOf(graph, factors[i]);
    if (normalized.x != kAbsent && isRowOf(graph, factors[1 - i], id))
      return {normalized, factors[1 - i]};
  }
  return {};
}

} // namespace

ValueId recognizeLayerNorm(const Node &node, NodeMaker &maker) {
  const Graph &graph = maker.graph;
  if (!node.is("Add"))
    return kAbsent;
  for (size_t i = 0; i < 2; ++i) {
    const Scaled scaled = scaledOf(graph, node.inputs[i]);
    if (scaled.scale == kAbsent || !isRowOf(graph, node.inputs[1 - i], node.outputs[0]))
      continue;
    const std::vector<ValueId> difference = operandsOf(graph, scaled.normalized.x, "Sub");
    if (difference.size() == 2 && meanOperand(graph, difference[1]) == difference[0])
      return maker.make("LayerNormalization", {difference[0], scaled.scale, node.inputs[1 - i]},
                        {{"epsilon", scaled.normalized.epsilon}});
  }
  return kAbsent;
}

ValueId recognizeRmsNorm(const Node &node, NodeMaker &maker) {
  if (!node.is("Mul"))
    return kAbsent;
  const Scaled scaled = scaledOf(maker.graph, node.outputs[0]);
  if (scaled.scale == kAbsent || maker.graph.producer(scaled.normalized.x, "Sub"))
    return kAbsent;
  return maker.make("RMSNormalization", {scaled.normalized.x, scaled.scale},
                    {{"epsilon", scaled.normalized.epsilon}});
}

} // namespace windlass::onnx
