// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/graph/Views.h"

namespace windlass::onnx {

bool isView(const Node &node) {
  return node.is("Reshape") || node.is("Squeeze") || node.is("Unsqueeze") || node.is("Flatten");
}

ValueId viewed(const Graph &graph, ValueId id) {
  for (const Node *node = graph.at(id).producer; node && isView(*node); node = graph.at(id).producer)
    id = node->inputs[0];
  return id;
}

Columns columnsOf(const Graph &graph, ValueId id) {
  if (id == kAbsent)
    return {};
  const ValueId part = viewed(graph, id);
  const Node *node = graph.at(part).producer;
  if (!node || (!node->is("Split") && !node->is("Slice")))
    return {};
  const ValueId whole = node->inputs[0];
  const Shape &shape = graph.at(whole).shape, &own = graph.at(part).shape;
  if (shape.empty() || own.empty() || own.back() == 0 ||
      elementsOf(own) / own.back() != elementsOf(shape) / shape.back())
    return {};
  if (node->is("Split")) {
    int64_t begin = 0;
    for (ValueId other : node->outputs) {
      if (other == part)
        return {whole, begin, own.back()};
      if (other == kAbsent) // whose columns nothing counts
        return {};
      begin += graph.at(other).shape.back();
    }
    return {};
  }
  auto known = [&](size_t i) { return node->has(i) ? graph.at(node->inputs[i]).literal.get() : nullptr; };
  const Literal *starts = known(1), *steps = known(4);
  if (!starts || starts->isFloat() || starts->size() != 1 || (steps && steps->real(0) != 1))
    return {};
  const int64_t begin = starts->integers[0];
  return {whole, begin < 0 ? begin + shape.back() : begin, own.back()};
}

} // namespace windlass::onnx
