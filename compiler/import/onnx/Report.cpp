// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/Report.h"

#include "compiler/import/onnx/graph/Names.h"
#include "compiler/import/onnx/repair/CheckFolding.h"
#include "runtime/base/Counted.h"
#include <algorithm>
#include <map>
#include <set>

namespace windlass::onnx {
namespace {

using Row = std::vector<std::string>;

/// The weight of a linear layer that a node multiplies with, perhaps transposed; kAbsent if it is none.
ValueId weightOfProduct(const Graph &graph, const Node &node) {
  if (!node.is("MatMul") && !node.is("Gemm"))
    return kAbsent;
  const Node *transpose = graph.producer(node.inputs[1], "Transpose");
  return transpose ? transpose->inputs[0] : node.inputs[1];
}

/// Describes linear layers without a bias, if others have one: the newer exporter's optimiser drops biases of
/// zeros. If the file does not list the module's parameters, no trace of these biases is left (LostBiases.h).
std::string describeMissingBiases(const Graph &graph, const ParameterTable &parameters) {
  const std::string weight = ".weight";
  bool isMarked = false, isOptimised = false, hasBias = false;
  std::map<ValueId, std::string> layers;
  for (const Parameter &row : parameters.rows) {
    isMarked |= graph.at(row.value).weight->mark == Mark::Parameter;
    isOptimised |= isGenerated(row.initializer);
    if (row.trainable && row.name.ends_with(weight))
      layers[row.value] = row.name.substr(0, row.name.size() - weight.size());
  }
  auto isNamed = [&](const std::string &name) {
    return std::ranges::find(parameters.rows, name, &Parameter::name) != parameters.rows.end();
  };
  std::set<std::string> missing;
  for (const auto &node : graph.nodes)
    if (auto layer = layers.find(weightOfProduct(graph, *node)); layer != layers.end()) {
      if (isNamed(layer->second + ".bias"))
        hasBias = true;
      else
        missing.insert(layer->second);
    }
  std::string names;
  for (const std::string &name : missing)
    names += (names.empty() ? "" : ", ") + name;
  if (!graph.moduleParameters.empty() || !isMarked || !isOptimised || !hasBias || names.empty())
    return "";
  return "note        no bias: " + names +
         ". The exporter's optimiser drops biases that are all zeros; if the\n"
         "            module has them, they are lost to training: export with optimize=False\n";
}

/// Describes look-ups of which the names do not tell whether the exporter computed with the rows or with
/// their indices.
std::string describeDoubts(const Graph &graph, const ParameterTable &parameters) {
  std::string notes;
  for (const Parameter &row : parameters.rows) {
    const Value &value = graph.at(row.value);
    const bool isOfModule = std::ranges::count(graph.moduleParameters, value.weight->foldedFrom) > 0;
    if (const std::string doubt = row.trainable && isOfModule ? doubtOf(value) : ""; !doubt.empty())
      notes += "note        " + row.name + ": rows of it were looked up, and \"" + doubt +
               "\" was computed before; if of the table, not of the\n            places in it, the "
               "parameter is lost: export with optimize=False\n";
  }
  return notes;
}

/// The first names of the parameters for which `is` holds, and the number of further ones.
std::string namesWhere(const ParameterTable &parameters, bool (*is)(const Parameter &)) {
  constexpr int kMost = 8;
  std::string names;
  int count = 0;
  for (const Parameter &row : parameters.rows)
    if (is(row) && ++count <= kMost)
      names += (names.empty() ? "" : ", ") + row.name;
  return names + (count > kMost ? " and " + std::to_string(count - kMost) + " more" : "");
}

/// Describes the decisions on tensors that an exporter computed from sources that the file does not name;
/// empty if there are none.
std::string describeComputed(const ParameterTable &parameters) {
  const std::string trained =
      namesWhere(parameters, [](const Parameter &row) { return row.isComputed && row.trainable; });
  const std::string fixed =
      namesWhere(parameters, [](const Parameter &row) { return row.isComputed && !row.trainable; });
  const auto count = std::ranges::count_if(parameters.rows, &Parameter::isComputed);
  if (count == 0)
    return "";
  return counted(count, "tensor") + (count == 1 ? " was" : " were") +
         " computed by the exporter, of parameters or buffers that the file does not name, and " +
         (count == 1 ? "is taken as it stands: " : "are taken as they stand: ") +
         (trained.empty() ? "" : "trained " + trained) + (trained.empty() || fixed.empty() ? "" : "; ") +
         (fixed.empty() ? "" : "fixed " + fixed) +
         "; export with do_constant_folding=False, the newer exporter with optimize=False";
}

/// Describes the decisions that a user may have to correct.
std::vector<std::string> doubtfulDecisions(const ParameterTable &parameters) {
  std::vector<std::string> all;
  if (const std::string names = namesWhere(
          parameters, [](const Parameter &row) { return row.mayBeBuffer && row.trainable && !row.frozen; });
      !names.empty())
    all.push_back("trained, but no layer reads it, so it may be a buffer: " + names +
                  "; --freeze REGEX keeps it, --trainable REGEX says that it is none");
  if (const std::string names =
          namesWhere(parameters, [](const Parameter &row) { return row.mayLackModules && !row.tied; });
      !names.empty())
    all.push_back("named after its calls, in which modules that are not called (ModuleDict) are missing: " +
                  names + "; export with do_constant_folding=False to keep the module's names");
  if (std::string computed = describeComputed(parameters); !computed.empty())
    all.push_back(std::move(computed));
  return all;
}

/// Warns that the file does not say which parameters have requires_grad; empty if the user freezes some.
std::string describeFrozen(const ParameterTable &parameters) {
  if (std::ranges::any_of(parameters.rows, &Parameter::frozen))
    return "";
  return "note        the file does not say what the module froze (requires_grad=False): --freeze REGEX "
         "keeps "
         "parameters as they are\n";
}

} // namespace

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

std::string accountOf(const Report &report, const Graph &graph) {
  return report.account.describe() + "; " + describeLabels(graph);
}

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
    const char *decision = row.frozen        ? "frozen"
                           : row.trainable   ? "trained"
                           : row.isStatistic ? "updated"
                           : row.tied        ? "tied"
                                             : "fixed";
    const std::string &from = value.weight->splitFrom;
    weights.push_back({row.name, describe(value.shape), decision, row.initializer,
                       row.why + (from.empty() ? "" : ", stored as " + from)});
  }
  std::string text = table(inputs) + "\n" + table(weights);
  text += "and " + counted(numbers, "constant") + " that " +
          (numbers == 1 ? "is a number or an integer" : "are numbers or integers") + "\n\naccount     " +
          accountOf(report, graph) + "\nloss        " + report.loss.text + "\nrecognised  ";
  std::string composites;
  for (const auto &[name, count] : report.recognized)
    composites += (composites.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  text += (composites.empty() ? "nothing" : composites) + "\n" + report.batchNorms.describe() +
          describeMissingBiases(graph, parameters) + describeDoubts(graph, parameters);
  for (const std::string &warning : warnings(report, parameters))
    text += "note        " + warning + "\n";
  return text + describeFrozen(parameters);
}

std::map<DataType, int64_t> computedOtherwise(const Graph &graph, Precision compute) {
  std::map<DataType, int64_t> values;
  for (const std::unique_ptr<Node> &node : graph.nodes)
    for (ValueId output : node->outputs) {
      if (output == kAbsent)
        continue;
      const Value &value = graph.at(output);
      const bool isNarrow = value.type == DataType::Float16 || value.type == DataType::BFloat16;
      const bool isAsked =
          value.type == (compute == Precision::Bf16 ? DataType::BFloat16 : DataType::Float16) &&
          compute != Precision::Fp32;
      if (!value.literal && !isAsked && (isNarrow || value.type == DataType::Double))
        ++values[value.type];
    }
  return values;
}

std::vector<std::string> warnings(const Report &report, const ParameterTable &parameters) {
  std::vector<std::string> all = doubtfulDecisions(parameters);
  for (const auto &[type, count] : report.otherwise)
    all.push_back(
        counted(count, "value") + " of type " + std::string(wordOf(type)) +
        " in the file: a plan computes in what precision.compute of the training file says, and rounds "
        "nothing to other types in between");
  all.insert(all.end(), report.wholeNumbers.begin(), report.wholeNumbers.end());
  all.insert(all.end(), report.loss.warnings.begin(), report.loss.warnings.end());
  return all;
}

} // namespace windlass::onnx
