// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/loss/LogLikelihood.h"

#include "compiler/import/onnx/graph/Views.h"
#include "compiler/import/onnx/loss/LabelSmoothing.h"
#include "compiler/import/onnx/loss/LossTerms.h"

namespace windlass::onnx {
namespace {

/// The operand of a log-softmax over dimension `axis`; kAbsent if `id` is none.
ValueId scoresOf(const Graph &graph, ValueId id, int64_t axis) {
  const Node *node = graph.producer(id, "LogSoftmax");
  const int64_t rank = std::ssize(graph.at(id).shape), own = node ? node->integer("axis", -1) : 0;
  return node && (own < 0 ? own + rank : own) == axis ? node->inputs[0] : kAbsent;
}

ValueId ofOperator(const Node &node, NodeMaker &maker) {
  std::vector<ValueId> inputs = node.inputs;
  inputs[0] = scoresOf(maker.graph, node.inputs[0], 1);
  return inputs[0] == kAbsent ? kAbsent
                              : maker.make("SoftmaxCrossEntropyLoss", std::move(inputs), node.attributes);
}

/// The value that is negated and averaged to one number, in either order.
ValueId negatedMean(const Graph &graph, const Node &node) {
  const char *inner = node.is("Neg") ? "ReduceMean" : node.is("ReduceMean") ? "Neg" : nullptr;
  if (!inner || elementsOf(graph.at(node.outputs[0]).shape) != 1)
    return kAbsent;
  const Node *other = graph.producer(viewed(graph, node.inputs[0]), inner);
  return other ? viewed(graph, other->inputs[0]) : kAbsent;
}

/// The losses of LogSoftmax(x)[y], with one y for every row of x.
ValueId ofGather(const Node &node, NodeMaker &maker) {
  const Graph &graph = maker.graph;
  const Node *gather = graph.producer(negatedMean(graph, node), "GatherElements");
  if (!gather)
    return kAbsent;
  const Shape picked = graph.at(gather->outputs[0]).shape, shape = graph.at(gather->inputs[0]).shape;
  const int64_t last = std::ssize(shape) - 1, axis = gather->integer("axis", 0);
  const ValueId scores = scoresOf(graph, gather->inputs[0], last);
  const int64_t rows = elementsOf(picked);
  if (scores == kAbsent || (axis != last && axis != -1) || picked.back() != 1 ||
      rows * shape.back() != elementsOf(shape))
    return kAbsent;
  const ValueId mean = maker.make("SoftmaxCrossEntropyLoss", {maker.reshape(scores, {rows, shape.back()}),
                                                              maker.reshape(gather->inputs[1], {rows})});
  return maker.reshape(mean, graph.at(node.outputs[0]).shape);
}

/// Whether classes have weights: the operator then computes the mean itself.
bool isWeighted(const Node &node) { return node.has(2); }

} // namespace

Status recognizeLogLikelihoods(Graph &graph) {
  return rewrite(graph, [](const Node &node, NodeMaker &maker) {
    if (node.is("NegativeLogLikelihoodLoss"))
      return ofOperator(node, maker);
    return ofGather(node, maker);
  });
}

Status spellOutMeans(Graph &graph) {
  return rewrite(graph, [](const Node &node, NodeMaker &maker) {
    if (!node.is("SoftmaxCrossEntropyLoss") || isWeighted(node))
      return kAbsent;
    const std::string *reduction = node.attribute<std::string>("reduction");
    if (reduction && *reduction != "mean")
      return kAbsent;
    const CrossEntropy loss = {node.inputs[0], node.inputs[1], node.integer("ignore_index", -100),
                               smoothingOf(node)};
    return maker.reshape(meanCrossEntropy(maker, loss), {});
  });
}

} // namespace windlass::onnx
