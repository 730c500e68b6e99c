#include "compiler/import/onnx/Parameters.h"

#include "compiler/import/onnx/ClassifyWeights.h"
#include "compiler/import/onnx/SplitWeights.h"
#include "compiler/import/onnx/TieWeights.h"
#include <algorithm>
#include <regex>

namespace windlass::onnx {
namespace {

/// A list of regular expressions, each of which must match a name.
class Patterns {
public:
  static Result<Patterns> compile(const std::vector<std::string> &texts, const std::string &flag) {
    Patterns patterns;
    for (const std::string &text : texts) {
      try {
        patterns.all.emplace_back(text);
      } catch (const std::regex_error &) {
        return Status::badInput("--" + flag + ": must be a regular expression, is \"" + text + "\"");
      }
    }
    return patterns;
  }

  bool match(const std::string &name) const {
    return std::ranges::any_of(all, [&](const std::regex &one) { return std::regex_search(name, one); });
  }
  bool matchesNone(const std::vector<Parameter> &rows) const {
    return !all.empty() && std::ranges::none_of(rows, [&](const Parameter &row) { return match(row.name); });
  }

private:
  std::vector<std::regex> all;
};

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
  Result<Patterns> freeze = Patterns::compile(options.freeze, "freeze");
  Result<Patterns> trainable = Patterns::compile(options.trainable, "trainable");
  if (!freeze || !trainable)
    return freeze ? trainable.status() : freeze.status();
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
    if (patterns->matchesNone(table.rows))
      return Status::badInput(std::string("--") + flag + ": matches no parameter");
  if (options.tie)
    WINDLASS_TRY(tieWeights(graph, table.rows));
  WINDLASS_TRY(makeLiterals(graph, table.rows));
  return table;
}

} // namespace windlass::onnx
