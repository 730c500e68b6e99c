// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/PaddingRows.h"

#include "compiler/import/onnx/file/Reader.h"
#include "runtime/base/Counted.h"
#include "runtime/base/NearestName.h"
#include <algorithm>
#include <charconv>
#include <optional>

namespace windlass::onnx {
namespace {

/// The argument padding_idx of embedding(table, indices, padding_idx), if it is a row.
std::optional<int64_t> tracedRow(const Node &node) {
  constexpr size_t kPaddingIndex = 2;
  if (!node.call.isOf("aten.embedding") || node.call.arguments.size() <= kPaddingIndex)
    return std::nullopt;
  const std::string &text = node.call.arguments[kPaddingIndex];
  int64_t row = -1;
  std::from_chars(text.data(), text.data() + text.size(), row);
  return row >= 0 ? std::optional(row) : std::nullopt;
}

/// Whether embedding(table, indices, padding_idx, scale_grad_by_freq) divides the gradient of a row by the
/// number of its look-ups in the batch.
bool isScaledByFrequency(const Node &node) {
  constexpr size_t kScaled = 3;
  const TorchCall &call = node.call;
  return call.isOf("aten.embedding") &&
         ((call.arguments.size() > kScaled && call.arguments[kScaled] == "True") ||
          std::ranges::find(call.keywords, "scale_grad_by_freq: True") != call.keywords.end());
}

Status refused(const std::string &name, const std::vector<const Parameter *> &tables) {
  std::vector<std::string_view> names;
  for (const Parameter *table : tables)
    names.push_back(table->name);
  std::string known;
  for (std::string_view one : names)
    known += (known.empty() ? "\"" : ", \"") + std::string(one) + "\"";
  const std::string_view nearest = nearestName(name, names);
  return Status::badInput("--padding " + name + ": is no table that is looked up" +
                          (!nearest.empty() ? " (\"" + std::string(nearest) + "\" is)"
                           : known.empty()  ? ""
                                            : "; these are: " + known));
}

} // namespace

Status settlePadding(Graph &graph, const std::map<std::string, int64_t> &given, ParameterTable &parameters) {
  std::vector<const Parameter *> tables;
  for (auto &node : graph.nodes) {
    if (!node->is("Gather") || node->integer("axis", 0) != 0)
      continue;
    std::optional<int64_t> padding = tracedRow(*node);
    auto table = std::ranges::find(parameters.rows, node->inputs[0], &Parameter::value);
    const bool isTable =
        table != parameters.rows.end() && table->trainable && !graph.at(table->value).shape.empty();
    if (isTable && isScaledByFrequency(*node))
      return Status::badInput(placeOf(graph, *node) + ": divides the gradient of a row of \"" + table->name +
                              "\" by how often it is looked up (scale_grad_by_freq), which is not supported");
    if (isTable) {
      tables.push_back(&*table);
      if (auto row = given.find(table->name); row != given.end())
        padding = row->second;
    }
    if (!padding)
      continue;
    node->attributes[kPaddingRow] = *padding;
    if (isTable && graph.at(table->value).shape[0] <= *padding)
      return Status::badInput("table \"" + table->name + "\" has " +
                              counted(graph.at(table->value).shape[0], "row") + ", and none of number " +
                              std::to_string(*padding) + ", its padding");
    if (isTable)
      table->why += ", row " + std::to_string(*padding) + " is padding";
  }
  for (const auto &[name, row] : given)
    if (std::ranges::find(tables, name, &Parameter::name) == tables.end())
      return refused(name, tables);
  return Status::ok();
}

} // namespace windlass::onnx
