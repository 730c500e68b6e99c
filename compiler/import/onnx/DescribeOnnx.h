// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DescribeOnnx.h - an ONNX file becomes a graph-JSON document ===========//
//
// Duty: makes a "windlass.model/1" document from an ONNX file, by steps that each rely on the ones before;
// and a report of the decisions. Errors: BadInput with file, place, rule and value; all unsupported nodes are
// listed at once. Threads: one file, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Options.h"
#include "compiler/import/onnx/repair/FirstValues.h"
#include "compiler/training/TrainingFile.h"
#include <nlohmann/json.hpp>

namespace windlass {

struct OnnxDescription {
  nlohmann::json document;
  std::string report; ///< a table of every initializer, and what was recognised, for people
  std::vector<onnx::FirstValues> values; ///< of every parameter of the document
  std::vector<std::string> warnings;     ///< for the user, even without a request for the report
  std::string account;                   ///< of the module's parameters, in one line
};

/// If the micro-batch of `training` is 0, the document gets the batch of the file.
Result<OnnxDescription> describeOnnx(const std::string &path, const TrainingOptions &training,
                                     const OnnxOptions &options);

} // namespace windlass
