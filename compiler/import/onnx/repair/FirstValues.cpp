// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/FirstValues.h"

#include "compiler/import/onnx/repair/Parameters.h"

namespace windlass::onnx {
namespace {

/// The element type, in the words of safetensors and plans.
std::string elementOf(const Tensor &tensor) {
  const std::string spelling = tensor.varints ? " varints" : "";
  switch (tensor.type) {
  case DataType::Float:
    return "F32";
  case DataType::Double:
    return "F64";
  case DataType::Float16:
    return "F16" + spelling;
  case DataType::BFloat16:
    return "BF16" + spelling;
  case DataType::Undefined:
  case DataType::Int32:
  case DataType::Int64:
  case DataType::Uint8:
  case DataType::Bool:
    break;
  }
  return "";
}

} // namespace

std::vector<FirstValues> firstValues(const Graph &graph, const ParameterTable &parameters) {
  std::vector<FirstValues> all;
  for (const Parameter &row : parameters.rows) {
    const Value &value = graph.at(row.value);
    if (row.tied || value.literal || !isFloat(value.type) || value.weight->isLost)
      continue;
    const Tensor &tensor = value.weight->tensor;
    all.push_back({row.name, row.initializer, tensor.file, tensor.offset, elementOf(tensor), row.transposed,
                   row.isStatistic});
  }
  return all;
}

} // namespace windlass::onnx
