// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/recognize/Recognize.h"

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
                                     {"rotary embedding", recognizeRotary},
                                     {"attention", recognizeAttention},
                                     {"softmax that may see nothing", recognizeGuard}};

} // namespace

Status recognize(Graph &graph, std::map<std::string, int64_t> &found) {
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
