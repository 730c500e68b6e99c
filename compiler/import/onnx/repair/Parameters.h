// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Parameters.h - the model's parameters among the initializers ==========//
//
// Duty: decides which initializers of a file are parameters of the module, and restores the parameters that
// exporters renamed, transposed, merged or copied. The decisions are rows of a table. Buffers and constants
// become literals if they are small enough. Errors: BadInput: a pattern that is no regular expression, and
// the refusals of the steps. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Options.h"
#include "compiler/import/onnx/graph/Model.h"
#include "compiler/training/TrainingFile.h"

namespace windlass::onnx {

struct Parameter {
  ValueId value = kAbsent;
  std::string name;            ///< in the module and in checkpoints
  std::string initializer;     ///< name in the file
  bool transposed = false;     ///< the file's tensor is the parameter's transpose
  bool trainable = true;       ///< a parameter of the model; else a buffer or a constant
  bool isStatistic = false;    ///< a running statistic that batches change; not trainable
  bool mayLackModules = false; ///< its name is the path of a call, and may lack modules
  bool mayBeBuffer = false;    ///< trained, but no layer reads it
  bool isComputed = false;     ///< the exporter computed it, from unknown tensors
  bool mayBeSeveral = false;   ///< layers share it, or a tool merged equal parameters
  bool frozen = false;         ///< a parameter that keeps its value
  bool tied = false;           ///< joined with another; no node reads its value
  bool isAsked = false;        ///< trained because the user says so
  std::string why;             ///< of the decision, and what was repaired
};

/// Initializers in the order of the file. The `why` of a row names the initializers that were joined with it.
struct ParameterTable {
  std::vector<Parameter> rows;
  const Parameter *find(ValueId value) const;
};

/// Decides on all initializers. The patterns of `training` make buffers parameters, and mark parameters as
/// frozen; Freeze.h later sets the group of these, as for any model.
Result<ParameterTable> decideParameters(Graph &graph, const TrainingOptions &training,
                                        const OnnxOptions &options);

} // namespace windlass::onnx
