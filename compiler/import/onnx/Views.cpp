#include "compiler/import/onnx/Views.h"

namespace windlass::onnx {

bool isView(const Node &node) {
  return node.is("Reshape") || node.is("Squeeze") || node.is("Unsqueeze") || node.is("Flatten");
}

ValueId viewed(const Graph &graph, ValueId id) {
  for (const Node *node = graph.at(id).producer; node && isView(*node); node = graph.at(id).producer)
    id = node->inputs[0];
  return id;
}

} // namespace windlass::onnx
