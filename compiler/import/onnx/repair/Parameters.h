// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Parameters.h - which initializers are the model's parameters ========//
//
// Duty: a file's initializers are not the module's parameters: exporters rename,
// transpose, merge and copy them, and keep buffers and constants beside them. This
// decides what each one is, repairs what can be repaired, and says so in a table.
// Buffers and constants become literals where they are small enough.
// Errors: BadInput: a pattern that is no regular expression, and whatever the steps
// refuse.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Options.h"
#include "compiler/import/onnx/graph/Model.h"
#include "compiler/training/TrainingFile.h"

namespace windlass::onnx {

struct Parameter {
  ValueId value = kAbsent;
  std::string name;            ///< the module's, under which checkpoints hold it
  std::string initializer;     ///< the file's
  bool transposed = false;     ///< the file's tensor is the parameter's transpose
  bool trainable = true;       ///< a parameter of the model; else a buffer or a constant
  bool isStatistic = false;    ///< a running statistic that batches change; not trainable
  bool mayLackModules = false; ///< in its name, which is the path of a call
  bool mayBeBuffer = false;    ///< trained, but nothing that layers read
  bool isComputed = false;     ///< by the exporter, of what the file does not say
  bool mayBeSeveral = false;   ///< layers share it, or a tool merged equal ones
  bool frozen = false;         ///< a parameter that keeps its value
  bool tied = false;           ///< joined with another: nothing reads its value
  bool isAsked = false;        ///< trained because the user says so
  std::string why;             ///< of the decision, and what was repaired
};

/// Initializers in the order of the file; those that were joined with another are named in its `why`.
struct ParameterTable {
  std::vector<Parameter> rows;
  const Parameter *find(ValueId value) const;
};

/// The patterns of `training` make buffers parameters, and say which parameters are frozen; the group is
/// given to them later, as to those of any model (Freeze.h).
Result<ParameterTable> decideParameters(Graph &graph, const TrainingOptions &training,
                                        const OnnxOptions &options);

} // namespace windlass::onnx
