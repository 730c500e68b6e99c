//===- Parameters.h - which initializers are the model's parameters ========//
//
// Duty: a file's initializers are not the module's parameters: exporters rename,
// transpose, merge and copy them, and keep buffers and constants beside them. This
// decides what each one is, repairs what can be repaired, and says so in a table.
// Initializers that are not trained become literals where they are small enough.
// Errors: BadInput: a --freeze or --trainable that is no regular expression or
// matches nothing.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Model.h"
#include "compiler/import/onnx/Options.h"

namespace windlass::onnx {

struct Parameter {
  ValueId value = kAbsent;
  std::string name;        ///< the module's, under which checkpoints hold it
  std::string initializer; ///< the file's
  bool transposed = false; ///< the file's tensor is the parameter's transpose
  bool trainable = true;
  std::string why; ///< of the decision, and what was repaired
};

/// Initializers in the order of the file; those that were joined with another are named in its `why`.
struct ParameterTable {
  std::vector<Parameter> rows;
  const Parameter *find(ValueId value) const;
};

Result<ParameterTable> decideParameters(Graph &graph, const OnnxOptions &options);

} // namespace windlass::onnx
