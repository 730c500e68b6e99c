// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/rewrite/Simplify.h"

#include "compiler/import/onnx/graph/Views.h"
#include "compiler/import/onnx/operators/Dropout.h"
#include <algorithm>
#include <optional>

namespace windlass::onnx {
namespace {

/// The number that all elements of a known value are; nothing if they differ.
std::optional<double> uniform(const Graph &graph, ValueId id) {
  const Literal *literal = id == kAbsent ? nullptr : graph.at(id).literal.get();
  if (!literal || literal->size() == 0 || !literal->isUniform())
    return std::nullopt;
  return literal->real(0);
}

bool sameShape(const Graph &graph, ValueId a, ValueId b) { return graph.at(a).shape == graph.at(b).shape; }

/// The operand x of x + 0, x - 0, x * 1, x / 1 and x ^ 1.
ValueId neutral(const Graph &graph, const Node &node) {
  const bool commutes = node.is("Add") || node.is("Mul");
  if (!commutes && !node.is("Sub") && !node.is("Div") && !node.is("Pow"))
    return kAbsent;
  const double unit = node.is("Add") || node.is("Sub") ? 0 : 1;
  for (size_t i = 0; i < (commutes ? 2U : 1U); ++i)
    if (uniform(graph, node.inputs[1 - i]) == unit && sameShape(graph, node.inputs[i], node.outputs[0]))
      return node.inputs[i];
  return kAbsent;
}

/// Makes a transpose of a transpose one transpose of the first operand.
void composeTransposes(Graph &graph, Node &node) {
  const Node *first = graph.producer(node.inputs[0], "Transpose");
  const auto *outer = node.attribute<std::vector<int64_t>>("perm");
  const auto *inner = first ? first->attribute<std::vector<int64_t>>("perm") : nullptr;
  if (!outer || !inner)
    return;
  std::vector<int64_t> both;
  for (int64_t d : *outer)
    both.push_back((*inner)[static_cast<size_t>(d)]);
  node.inputs[0] = first->inputs[0];
  node.attributes["perm"] = both;
}

bool isIdentityOrder(const Node &node) {
  const auto *order = node.attribute<std::vector<int64_t>>("perm");
  return order && std::ranges::is_sorted(*order);
}

/// Whether a slice is the whole tensor, in order.
bool isWhole(const Graph &graph, const Node &node) {
  if (!node.is("Slice") || !sameShape(graph, node.inputs[0], node.outputs[0]))
    return false;
  const Literal *steps = node.has(4) ? graph.at(node.inputs[4]).literal.get() : nullptr;
  return !steps || std::ranges::all_of(steps->integers, [](int64_t step) { return step > 0; });
}

/// The value that a node's result equals; kAbsent if the node computes something.
ValueId equalTo(Graph &graph, Node &node) {
  if (!node.has(0))
    return kAbsent;
  const ValueId in = node.inputs[0], out = node.outputs[0];
  if (node.is("Identity") || isWhole(graph, node))
    return in;
  if (node.is("Cast") || node.is("CastLike")) {
    const DataType from = graph.at(in).type, to = graph.at(out).type;
    const bool sameKind = isFloat(from) == isFloat(to) && (to == DataType::Bool) == (from == DataType::Bool);
    const bool mayWrap = to == DataType::Uint8 && from != to; // which checkWholeNumbers decides
    return sameKind && !mayWrap ? in : kAbsent;
  }
  if ((isView(node) || node.is("Expand")) && sameShape(graph, in, out))
    return in;
  if (isView(node) && graph.at(in).producer && isView(*graph.at(in).producer)) {
    const ValueId source = viewed(graph, in);
    if (sameShape(graph, source, out))
      return source;
  }
  if (node.is("Transpose")) {
    composeTransposes(graph, node);
    return isIdentityOrder(node) ? node.inputs[0] : kAbsent;
  }
  if (node.is("Where"))
    if (std::optional<double> condition = uniform(graph, in)) {
      const ValueId chosen = node.inputs[*condition != 0 ? 1 : 2];
      return sameShape(graph, chosen, out) ? chosen : kAbsent;
    }
  return neutral(graph, node);
}

} // namespace

Status simplify(Graph &graph, bool dropoutIsOff) {
  for (auto &node : graph.nodes) {
    const bool isDropout = node->is("Dropout");
    if (isDropout && !dropoutIsOff)
      WINDLASS_TRY(checkDropout(graph, *node));
    const bool dropsNothing = isDropout && (dropoutIsOff || droppedShare(graph, *node) == 0);
    if (const ValueId same = dropsNothing ? node->inputs[0] : equalTo(graph, *node); same != kAbsent)
      graph.replaceUses(node->outputs[0], same);
  }
  graph.removeDead();
  return Status::ok();
}

} // namespace windlass::onnx
