// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/rewrite/FoldConstants.h"

#include "compiler/import/onnx/file/ReadTensor.h"
#include "compiler/import/onnx/file/Reader.h"
#include "compiler/import/onnx/operators/Attributes.h"
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

/// The places [begin, end) of one part of a dimension.
struct Part {
  int64_t begin = 0, end = 0;
};

/// Part `at` of `count`; negative numbers count from the end.
Result<int64_t> numberOfPart(int64_t at, int64_t count) {
  const int64_t fromStart = at < 0 ? at + count : at;
  if (fromStart < 0 || fromStart >= count)
    return Status::badInput("takes part " + std::to_string(at) + " of " + std::to_string(count));
  return fromStart;
}

/// Part `at` of a dimension that is cut into parts of one size, of which the last may be smaller.
Result<Part> equalPart(int64_t size, int64_t at, int64_t extent) {
  if (size <= 0)
    return Status::badInput("the size of all parts must be positive, is " + std::to_string(size));
  Result<int64_t> number = numberOfPart(at, extent / size + (extent % size > 0));
  if (!number)
    return number.status();
  const int64_t begin = *number * size;
  return Part{begin, begin + std::min(size, extent - begin)};
}

/// Part `at` of a dimension that is cut into parts of these sizes.
Result<Part> listedPart(const std::vector<int64_t> &sizes, int64_t at, int64_t extent) {
  Result<int64_t> number = numberOfPart(at, std::ssize(sizes));
  if (!number)
    return number.status();
  Part part;
  int64_t cut = 0;
  for (int64_t i = 0; i < std::ssize(sizes); ++i) {
    const int64_t size = sizes[static_cast<size_t>(i)];
    if (size < 0 || size > extent - cut)
      return Status::badInput("sizes of parts must be from 0, and " + std::to_string(extent) +
                              " together; part " + std::to_string(i) + " of " + std::to_string(size) +
                              " begins at " + std::to_string(cut));
    if (i == *number)
      part = {cut, cut + size};
    cut += size;
  }
  return cut == extent ? Result<Part>(part)
                       : Status::badInput("sizes of parts must be " + std::to_string(extent) +
                                          " together, are " + std::to_string(cut));
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
  Result<Part> part = parts->shape.empty() ? equalPart(parts->integers[0], place->integers[0], extent)
                                           : listedPart(parts->integers, place->integers[0], extent);
  if (!part)
    return part.status();
  NodeMaker::Nodes none;
  NodeMaker maker(graph, none);
  auto list = [&](int64_t value) { return maker.literal(Literal::ofIntegers({value})); };
  node.op = "Slice";
  node.inputs = {split->inputs[0], list(part->begin), list(part->end), list(axis)};
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
    else if (const Status attributes = checkAttributes(*node); !attributes)
      missing.add(*node, attributes.message());
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
