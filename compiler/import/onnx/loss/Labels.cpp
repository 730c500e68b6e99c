// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/loss/Labels.h"

#include "compiler/import/onnx/graph/Views.h"
#include "compiler/import/onnx/recognize/Terms.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

/// The extent of the last dimension; 1 for rank 0.
int64_t columns(const Graph &graph, ValueId id) {
  const Shape &shape = graph.at(id).shape;
  return shape.empty() ? 1 : shape.back();
}

/// Columns that are added around the last dimension alone, all of them `fill`.
struct Margins {
  int64_t before = 0, after = 0;
};

std::optional<Margins> marginsOf(const Graph &graph, const Node &node, int64_t fill) {
  constexpr size_t kPads = 1, kFill = 2, kAxes = 3;
  auto given = [&](size_t i) { return node.has(i) ? node.inputs[i] : kAbsent; };
  const std::string *mode = node.attribute<std::string>("mode");
  const Literal *pads = given(kPads) == kAbsent ? nullptr : graph.at(given(kPads)).literal.get();
  const std::optional<double> value = given(kFill) == kAbsent ? 0 : numberOf(graph, given(kFill));
  const size_t dims = graph.at(node.inputs[0]).shape.size();
  if ((mode && *mode != "constant") || value != static_cast<double>(fill) || given(kAxes) != kAbsent ||
      !pads || pads->integers.size() != 2 * dims)
    return std::nullopt;
  const Margins margins{pads->integers[dims - 1], pads->integers[2 * dims - 1]};
  const int64_t others = std::ranges::count_if(pads->integers, [](int64_t pad) { return pad != 0; }) -
                         (margins.before != 0) - (margins.after != 0);
  return others == 0 ? std::optional(margins) : std::nullopt;
}

/// Whether a node converts integers to others. Those that could wrap around are refused (WholeNumbers.h).
bool keepsIntegers(const Graph &graph, const Node &node) {
  const auto isInteger = [&](ValueId id) {
    return !isFloat(graph.at(id).type) && graph.at(id).type != DataType::Bool;
  };
  return (node.is("Cast") || node.is("CastLike")) && isInteger(node.inputs[0]) && isInteger(node.outputs[0]);
}

} // namespace

Labels labelsOf(const Graph &graph, ValueId id, int64_t ignored) {
  id = viewed(graph, id);
  int64_t begin = 0, end = columns(graph, id); // range of the columns that hold labels, of the value at hand
  while (const Node *node = graph.at(id).producer) {
    if (node->is("Pad")) {
      const std::optional<Margins> margins = marginsOf(graph, *node, ignored);
      if (!margins)
        return {};
      id = node->inputs[0];
      begin = std::max<int64_t>(begin - margins->before, 0);
      end = std::min(end - margins->before, columns(graph, id));
    } else if (isView(*node)) {
      id = node->inputs[0];
      if (columns(graph, id) != columns(graph, node->outputs[0]))
        return {};
    } else if (const Columns part = columnsOf(graph, id); part.whole != kAbsent) {
      id = part.whole;
      begin += part.begin;
      end += part.begin;
    } else {
      return {};
    }
  }
  const bool isInput = std::ranges::find(graph.inputs, id, &Input::value) != graph.inputs.end();
  const bool isWhole = begin == 0 || graph.at(id).shape.size() == 2;
  return isInput && isWhole && begin < end && end == columns(graph, id) ? Labels{id, begin} : Labels();
}

ValueId elementsBehind(const Graph &graph, ValueId id) {
  for (const Node *node = graph.at(id).producer; node; node = graph.at(id).producer) {
    if (!isView(*node) && !node->is("Slice") && !node->is("Split") && !node->is("Pad") &&
        !node->is("Transpose") && !node->is("Expand") && !keepsIntegers(graph, *node))
      break;
    id = node->inputs[0];
  }
  return id;
}

bool isLookedUp(const Graph &graph, ValueId input) {
  return std::ranges::any_of(graph.nodes, [&](const auto &node) {
    return node->is("Gather") && graph.at(node->inputs[0]).weight &&
           elementsBehind(graph, node->inputs[1]) == input;
  });
}

} // namespace windlass::onnx
