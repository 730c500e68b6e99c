// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/rewrite/FoldConstants.h"

#include "compiler/import/onnx/file/ReadTensor.h"
#include "compiler/import/onnx/file/Reader.h"
#include "compiler/import/onnx/operators/Operator.h"
#include "compiler/import/onnx/rewrite/Refusals.h"
#include "compiler/import/onnx/rewrite/Rewrite.h"
#include <algorithm>
#include <set>

namespace windlass::onnx {
namespace {

/// Whether no input of the node depends on data. Shape and Size read no elements.
bool isKnown(const Graph &graph, const Node &node) {
  if (node.is("Shape") || node.is("Size"))
    return true;
  if (node.is("CastLike")) // it reads only the type of the second input
    return graph.at(node.inputs[0]).literal != nullptr;
  return std::ranges::all_of(node.inputs, [&](ValueId id) { return id == kAbsent || graph.at(id).literal; });
}

Status evaluateNode(Graph &graph, Node &node, const Operator &op) {
  for (ValueId id : node.outputs)
    if (id != kAbsent && elementsOf(graph.at(id).shape) > kMostLiteral)
      return Status::ok();
  Status failure;
  OpView view(graph, node, failure);
  std::vector<Literal> results = op.evaluate(view);
  if (!failure)
    return failure;
  for (size_t i = 0; i < std::min(results.size(), node.outputs.size()); ++i)
    if (node.outputs[i] != kAbsent)
      graph.at(node.outputs[i]).literal = std::make_shared<Literal>(std::move(results[i]));
  return Status::ok();
}

/// Makes a slice of a SequenceAt, which takes one part of a tensor that was split into a sequence.
Status makeSlice(Graph &graph, Node &node) {
  const Node *split = graph.producer(node.inputs[0], "SplitToSequence");
  const Literal *place = split ? graph.at(node.inputs[1]).literal.get() : nullptr;
  const Literal *parts = split && split->has(1) ? graph.at(split->inputs[1]).literal.get() : nullptr;
  if (!place || place->size() != 1 || place->isFloat() || !parts || parts->isFloat() || parts->size() == 0)
    return Status::badInput("sequences are only supported where a known part of a known split is taken");
  const Shape &shape = graph.at(split->inputs[0]).shape;
  const int64_t rank = std::ssize(shape),
                axis = split->integer("axis", 0) + (split->integer("axis", 0) < 0 ? rank : 0);
  if (axis < 0 || axis >= rank)
    return Status::badInput("axis must be a dimension, is " + std::to_string(axis));
  const int64_t extent = shape[static_cast<size_t>(axis)];
  std::vector<int64_t> sizes = parts->integers;
  if (parts->shape.empty()) // one size for all parts; the last may be smaller
    sizes.assign(static_cast<size_t>((extent + sizes[0] - 1) / std::max<int64_t>(sizes[0], 1)), sizes[0]);
  const int64_t at = place->integers[0] + (place->integers[0] < 0 ? std::ssize(sizes) : 0);
  if (at < 0 || at >= std::ssize(sizes))
    return Status::badInput("takes part " + std::to_string(at) + " of " + std::to_string(sizes.size()));
  int64_t begin = 0;
  for (int64_t i = 0; i < at; ++i)
    begin += sizes[static_cast<size_t>(i)];
  NodeMaker::Nodes none;
  NodeMaker maker(graph, none);
  auto list = [&](int64_t value) { return maker.literal(Literal::ofIntegers({value})); };
  node.op = "Slice";
  node.inputs = {split->inputs[0], list(begin),
                 list(std::min(extent, begin + sizes[static_cast<size_t>(at)])), list(axis)};
  return Status::ok();
}

Status visit(Graph &graph, Node &node) {
  if (node.is("SequenceAt"))
    WINDLASS_TRY(makeSlice(graph, node));
  WINDLASS_TRY(inferNode(graph, node));
  const Operator *op = findOperator(node);
  if (op->evaluate && isKnown(graph, node))
    WINDLASS_TRY(evaluateNode(graph, node, *op));
  return Status::ok();
}

} // namespace

Status checkOperators(const Graph &graph) {
  Refusals missing(graph);
  for (const auto &node : graph.nodes)
    if (const Operator *op = findOperator(*node); !op || node->domain == kOwnDomain)
      missing.add(*node);
    else if (const Status operands = checkOperands(*node, *op); !operands)
      missing.add(*node, operands.message());
  if (missing.areNone()) // Document.cpp checks whether nodes that depend on data reach the loss
    return Status::ok();
  std::set<ValueId> data;
  for (const Input &input : graph.inputs)
    data.insert(input.value);
  for (const auto &node : graph.nodes) {
    const Operator *op = findOperator(*node);
    if (node->is("Shape") || node->is("Size") ||
        std::ranges::none_of(node->inputs, [&](ValueId id) { return data.contains(id); }))
      continue;
    std::ranges::copy_if(node->outputs, std::inserter(data, data.end()),
                         [](ValueId id) { return id != kAbsent; });
    if (op && op->evaluate && !op->write)
      missing.add(*node, kOnlyKnown);
  }
  return missing.status();
}

Status inferNode(Graph &graph, Node &node) {
  const Operator *op = findOperator(node);
  if (!op)
    return Status::badInput("is not supported");
  WINDLASS_TRY(checkOperands(node, *op));
  Status failure;
  OpView view(graph, node, failure);
  std::vector<Type> types = op->infer(view);
  if (!failure)
    return failure;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kAbsent)
      continue;
    if (i >= types.size())
      return Status::badInput("has " + std::to_string(node.outputs.size()) + " results, at most " +
                              std::to_string(types.size()) + " are supported");
    WINDLASS_TRY(checkShape(types[i].shape));
    graph.at(node.outputs[i]).type = types[i].type;
    graph.at(node.outputs[i]).shape = std::move(types[i].shape);
  }
  return Status::ok();
}

Status foldConstants(Graph &graph) {
  for (auto &node : graph.nodes)
    if (Status folded = visit(graph, *node); !folded)
      return folded.in(placeOf(graph, *node));
  std::erase_if(graph.nodes, [&](const auto &node) {
    const bool isFolded =
        std::ranges::all_of(node->outputs, [&](ValueId id) { return id == kAbsent || graph.at(id).literal; });
    for (ValueId id : node->outputs)
      if (isFolded && id != kAbsent)
        graph.at(id).producer = nullptr;
    return isFolded;
  });
  graph.removeDead();
  return Status::ok();
}

} // namespace windlass::onnx
