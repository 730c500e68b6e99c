// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/Parameters.h"

#include "compiler/import/onnx/repair/CheckFolding.h"
#include "compiler/import/onnx/repair/ClassifyWeights.h"
#include "compiler/import/onnx/repair/JoinCopies.h"
#include "compiler/import/onnx/repair/LostBiases.h"
#include "compiler/import/onnx/repair/SplitWeights.h"
#include "compiler/import/onnx/repair/TieWeights.h"
#include "compiler/import/onnx/repair/Untold.h"
#include "compiler/training/Patterns.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

/// Makes literals of the tensors that are no parameters, unless they are too large.
Status makeLiterals(Graph &graph, const std::vector<Parameter> &rows) {
  for (const Parameter &row : rows) {
    Value &value = graph.at(row.value);
    if (row.trainable || row.tied || row.isStatistic || value.literal ||
        elementsOf(value.shape) > kMostLiteral)
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

Result<ParameterTable> decideParameters(Graph &graph, const TrainingOptions &training,
                                        const OnnxOptions &options) {
  Result<Patterns> freeze = Patterns::compile(training.freeze);
  Result<Patterns> trainable = Patterns::compile(training.trainable);
  if (!freeze || !trainable)
    return freeze ? trainable.status() : freeze.status();
  ParameterTable table;
  WINDLASS_TRY(checkFolding(graph));
  WINDLASS_TRY(splitWeights(graph)); // before biases, which are restored by the names of weights
  restoreBiases(graph);
  table.rows = classifyWeights(graph);
  WINDLASS_TRY(joinCopies(graph, table.rows));
  WINDLASS_TRY(restoreNames(graph, table.rows));
  for (Parameter &row : table.rows)
    if (isFloat(graph.at(row.value).type) && !row.isStatistic && trainable->match(row.name)) {
      row.trainable = true;
      row.isAsked = true;
      row.why = "trainable";
      row.mayBeBuffer = row.isComputed = false;
    }
  WINDLASS_TRY(tieWeights(graph, options, table.rows));
  WINDLASS_TRY(checkShared(graph, options, table.rows));
  for (Parameter &row : table.rows) {
    const bool isKept = freeze->match(row.name) && !trainable->match(row.name);
    row.frozen = row.trainable && isKept;
    row.isComputed &= !isKept && !row.tied;
  }
  WINDLASS_TRY(checkFixed(graph, table.rows));
  WINDLASS_TRY(makeLiterals(graph, table.rows));
  return table;
}

} // namespace windlass::onnx
