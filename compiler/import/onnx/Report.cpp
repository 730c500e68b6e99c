#include "compiler/import/onnx/Report.h"

#include <algorithm>

namespace windlass::onnx {
namespace {

using Row = std::vector<std::string>;

std::string table(const std::vector<Row> &rows) {
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const Row &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row &row : rows) {
    for (size_t i = 0; i < row.size(); ++i)
      text += row[i] + (i + 1 < row.size() ? std::string(widths[i] + 2 - row[i].size(), ' ') : "\n");
  }
  return text;
}

} // namespace

std::string describe(const Report &report, const Graph &graph, const ParameterTable &parameters) {
  std::vector<Row> inputs = {{"input", "type", "shape"}};
  for (const Input &input : graph.inputs) {
    const Value &value = graph.at(input.value);
    inputs.push_back({value.name, std::string(wordOf(value.type)), describe(value.shape)});
  }
  std::vector<Row> weights = {{"parameter", "shape", "decision", "initializer", "why"}};
  int64_t numbers = 0;
  for (const Parameter &row : parameters.rows) {
    const Value &value = graph.at(row.value);
    if (!row.trainable && (!isFloat(value.type) || elementsOf(value.shape) == 1)) {
      ++numbers;
      continue;
    }
    const char *decision = row.trainable ? "trained" : row.why.starts_with("tied") ? "tied" : "fixed";
    weights.push_back({row.name, describe(value.shape), decision, row.initializer, row.why});
  }
  std::string text = table(inputs) + "\n" + table(weights);
  text += "and " + std::to_string(numbers) + " constants that are numbers or integers\n\nloss        " +
          report.loss + "\nrecognised  ";
  std::string composites;
  for (const auto &[name, count] : report.recognized)
    composites += (composites.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  return text + (composites.empty() ? "nothing" : composites) + "\n";
}

} // namespace windlass::onnx
