// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/graph/Uses.h"

namespace windlass::onnx {

Uses usesOf(const Graph &graph) {
  Uses uses;
  for (auto &node : graph.nodes)
    for (size_t i = 0; i < node->inputs.size(); ++i)
      if (node->inputs[i] != kAbsent)
        uses[node->inputs[i]].push_back({node.get(), i});
  return uses;
}

} // namespace windlass::onnx
