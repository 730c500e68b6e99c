// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/document/Roles.h"

#include "compiler/import/onnx/graph/Views.h"
#include "compiler/import/onnx/loss/Labels.h"
#include <algorithm>

namespace windlass::onnx {

Roles::Roles(const Graph &graph) : graph(graph) {
  for (const auto &node : graph.nodes) {
    if (node->is("SoftmaxCrossEntropyLoss") || node->is("NegativeLogLikelihoodLoss"))
      classes.insert(bounded(node->inputs[1], graph.at(node->inputs[0]).shape[1]));
    if (node->is("Gather") || node->is("GatherElements")) {
      const Value &table = graph.at(node->inputs[0]);
      const int64_t axis = node->integer("axis", 0), rank = std::ssize(table.shape);
      const ValueId indices =
          bounded(node->inputs[1], table.shape[static_cast<size_t>(axis < 0 ? axis + rank : axis)]);
      if (node->is("Gather") && table.weight)
        tables.insert(indices);
    }
    if (node->is("GatherND"))
      boundTuples(*node);
    if (node->is("RotaryEmbedding") && node->has(3))
      bounded(node->inputs[3], graph.at(node->inputs[1]).shape[0]);
    if (node->domain == kOwnDomain && (node->op == "MeanSquaredError" || node->op == "BinaryCrossEntropy"))
      for (ValueId id : node->inputs)
        targets.insert(viewed(graph, id));
  }
}

nlohmann::json Roles::describe(const Input &input) const {
  const Value &value = graph.at(input.value);
  if (isFloat(value.type))
    return {{"role", targets.contains(input.value) ? "targets" : "features"}};
  // Labels are counted only if the loss is a mean over them.
  if (classes.contains(input.value) && !tables.contains(input.value)) {
    nlohmann::json labels = {{"role", input.value != graph.countedLabels ? "other_labels"
                                      : tables.empty()                   ? "classes"
                                                                         : "labels"},
                             {"bound", bounds.at(input.value)}};
    auto counting = graph.labels.find(input.value);
    if (counting == graph.labels.end())
      return labels;
    if (counting->second.ignored != Counting().ignored)
      labels["ignored"] = counting->second.ignored;
    if (counting->second.first != 0)
      labels["first"] = counting->second.first;
    return labels;
  }
  if (auto bound = bounds.find(input.value); bound != bounds.end())
    return {{"role", "tokens"}, {"bound", bound->second}};
  const bool isMask = value.type == DataType::Bool || value.name.find("mask") != std::string::npos;
  return {{"role", "tokens"}, {"bound", isMask ? 2 : INT32_MAX}};
}

ValueId Roles::bounded(ValueId read, int64_t bound) {
  const ValueId id = elementsBehind(graph, read);
  int64_t &least = bounds.try_emplace(id, bound).first->second;
  least = std::min(least, bound);
  return id;
}

void Roles::boundTuples(const Node &node) {
  const ValueId tuples = viewed(graph, node.inputs[1]);
  const Node *concat = graph.producer(tuples, "Concat");
  const int64_t depth = graph.at(node.inputs[1]).shape.back(), axis = concat ? concat->integer("axis", 0) : 0;
  const Shape &own = graph.at(tuples).shape;
  const bool areColumns = concat && own.back() == depth && (axis == -1 || axis + 1 == std::ssize(own));
  auto extents = graph.at(node.inputs[0]).shape.begin() + node.integer("batch_dims", 0);
  for (ValueId part : areColumns ? concat->inputs : std::vector<ValueId>{node.inputs[1]}) {
    const int64_t width = graph.at(part).shape.back();
    if (width > 0)
      bounded(part, *std::min_element(extents, extents + width));
    extents += width;
  }
}

} // namespace windlass::onnx
