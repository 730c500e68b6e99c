#include "compiler/import/onnx/Parameters.h"

#include "compiler/import/Patterns.h"
#include "compiler/import/onnx/ClassifyWeights.h"
#include "compiler/import/onnx/SplitWeights.h"
#include "compiler/import/onnx/TieWeights.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

bool matchesNone(const Patterns &patterns, const std::vector<Parameter> &rows) {
  return !patterns.empty() &&
         std::ranges::none_of(rows, [&](const Parameter &row) { return patterns.match(row.name); });
}

/// What is not trained is known before the run, if it is not too large.
Status makeLiterals(Graph &graph, const std::vector<Parameter> &rows) {
  for (const Parameter &row : rows) {
    Value &value = graph.at(row.value);
    if (row.trainable || value.literal || elementsOf(value.shape) > kMostLiteral)
      continue;
    Result<Literal> literal = literalOf(value.weight->tensor);
    if (!literal)
      return literal.status();
    value.literal = std::make_shared<Literal>(literal.take());
  }
  return Status::ok();
}

} // namespace

const Parameter *ParameterTable::find(ValueId value) const {
  auto found = std::ranges::find(rows, value, &Parameter::value);
  return found == rows.end() ? nullptr : &*found;
}

Result<ParameterTable> decideParameters(Graph &graph, const OnnxOptions &options) {
  Result<Patterns> freeze = Patterns::compile(options.freeze);
  Result<Patterns> trainable = Patterns::compile(options.trainable);
  if (!freeze || !trainable)
    return freeze ? trainable.status().in("--trainable") : freeze.status().in("--freeze");
  ParameterTable table;
  WINDLASS_TRY(splitWeights(graph));
  table.rows = classifyWeights(graph);
  WINDLASS_TRY(restoreNames(graph, table.rows));
  for (Parameter &row : table.rows) {
    if (isFloat(graph.at(row.value).type) && trainable->match(row.name)) {
      row.trainable = true;
      row.why = "--trainable";
    }
    if (row.trainable && freeze->match(row.name)) {
      row.trainable = false;
      row.why = "--freeze";
    }
  }
  for (const auto &[patterns, flag] : {std::pair(&*freeze, "freeze"), std::pair(&*trainable, "trainable")})
    if (matchesNone(*patterns, table.rows))
      return Status::badInput(std::string("--") + flag + ": matches no parameter");
  if (options.tie)
    WINDLASS_TRY(tieWeights(graph, table.rows));
  WINDLASS_TRY(makeLiterals(graph, table.rows));
  return table;
}

} // namespace windlass::onnx
