#include "compiler/import/onnx/CheckFolding.h"

#include <algorithm>
#include <set>

namespace windlass::onnx {
namespace {

/// "sigmoid" of "sigmoid_3": the exporter calls a value by the operation of PyTorch that it is the result of,
/// or "val" within one.
std::string_view operationOf(std::string_view name) {
  const size_t last = name.find_last_not_of("0123456789");
  return last != std::string_view::npos && last + 1 < name.size() && name[last] == '_' ? name.substr(0, last)
                                                                                       : name;
}

/// Whether an operation leaves elements as they are.
bool isMove(std::string_view operation) {
  static const std::set<std::string_view> moves = {
      "_to_copy",     "_unsafe_view", "alias",     "broadcast_to", "chunk",    "clone",   "contiguous",
      "detach",       "embedding",    "expand",    "flatten",      "gather",   "getitem", "index",
      "index_select", "movedim",      "narrow",    "numpy_t",      "permute",  "repeat",  "reshape",
      "select",       "slice",        "split",     "squeeze",      "swapaxes", "t",       "tile",
      "transpose",    "unflatten",    "unsqueeze", "val",          "view"};
  return moves.contains(operation);
}

} // namespace

Status checkFolding(const Graph &graph) {
  std::set<ValueId> read;
  for (const auto &node : graph.nodes)
    read.insert(node->inputs.begin(), node->inputs.end());
  read.erase(kAbsent);
  std::string lost;
  for (ValueId id : read) {
    const Value &value = graph.at(id);
    if (!value.weight || !isFloat(value.type))
      continue;
    const std::string &source = value.weight->foldedFrom;
    const std::string_view operation = operationOf(value.name);
    if (!value.weight->mixedFrom.empty())
      lost += "\n  \"" + value.name + "\", of " + value.weight->mixedFrom;
    else if (std::ranges::count(graph.moduleParameters, source) > 0 && !isMove(operation))
      lost += "\n  \"" + value.name + "\", " + std::string(operation) + " of " + source;
  }
  return lost.empty() ? Status::ok()
                      : Status::badInput("parameters of which only what was computed from them is left, and "
                                         "cannot be trained; export with optimize=False:" +
                                         lost);
}

} // namespace windlass::onnx
