// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/rewrite/Refusals.h"

#include "compiler/import/onnx/file/Reader.h"
#include <algorithm>

namespace windlass::onnx {

void Refusals::add(const Node &node, const std::string &rule) {
  constexpr int64_t kShown = 3;
  Group &group = groups[{(node.domain.empty() ? "" : node.domain + ".") + node.op, rule}];
  if (++group.count <= kShown)
    group.where += "\n    " + placeOf(graph, node);
  else if (group.count == kShown + 1)
    group.where += "\n    ...";
}

Status Refusals::status() const {
  if (areNone())
    return Status::ok();
  const auto &[first, only] = *groups.begin();
  if (groups.size() == 1 && only.count == 1 && !first.second.empty())
    return Status::badInput(only.where.substr(only.where.find_first_not_of("\n ")) + ": " + first.second);
  std::string text = "operators that are not supported";
  const bool isUnknown =
      std::ranges::any_of(groups, [](const auto &group) { return group.first.second.empty(); });
  text += isUnknown ? ":" : " as they are used here:";
  for (const auto &[key, group] : groups)
    text += "\n  " + key.first + ", " + std::to_string(group.count) +
            (group.count == 1 ? " node" : " nodes") + (key.second.empty() ? "" : ": " + key.second) +
            group.where;
  return Status::badInput(text +
                          "\n  docs/onnx.md says which are, and how to export so that a file has no others");
}

} // namespace windlass::onnx
