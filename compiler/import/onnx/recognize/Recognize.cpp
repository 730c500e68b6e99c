// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/recognize/Recognize.h"

#include <algorithm>

namespace windlass::onnx {
namespace {

struct Composite {
  const char *name;
  ValueId (*recognize)(const Node &, NodeMaker &);
};

constexpr Composite kComposites[] = {{"lookup by position", recognizeLookup},
                                     {"layer norm", recognizeLayerNorm},
                                     {"RMS norm", recognizeRmsNorm},
                                     {"GELU", recognizeGelu},
                                     {"SiLU", recognizeSilu},
                                     {"log-sigmoid", recognizeLogSigmoid},
                                     {"rotary embedding", recognizeRotary},
                                     {"attention", recognizeAttention},
                                     {"softmax that may see nothing", recognizeGuard}};

/// Leaves out the last results of ONNX's attention (keys, values and scores) that nobody reads, but that an
/// exporter may name.
void dropUnreadResults(Graph &graph) {
  const Uses uses = usesOf(graph);
  for (auto &node : graph.nodes)
    while (node->is("Attention") && node->outputs.size() > 1 && !uses.contains(node->outputs.back()) &&
           !std::ranges::count(graph.outputs, node->outputs.back())) {
      if (node->outputs.back() != kAbsent)
        graph.at(node->outputs.back()).producer = nullptr;
      node->outputs.pop_back();
    }
}

} // namespace

Status recognize(Graph &graph, std::map<std::string, int64_t> &found) {
  dropUnreadResults(graph);
  for (const Composite &composite : kComposites)
    WINDLASS_TRY(rewrite(graph, [&](const Node &node, NodeMaker &maker) {
      const bool isOne = node.outputs.size() == 1 && node.has(0);
      const ValueId result = isOne ? composite.recognize(node, maker) : kAbsent;
      found[composite.name] += result != kAbsent;
      return result;
    }));
  std::erase_if(found, [](const auto &entry) { return entry.second == 0; });
  return Status::ok();
}

} // namespace windlass::onnx
