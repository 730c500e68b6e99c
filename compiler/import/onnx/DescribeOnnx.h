// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DescribeOnnx.h - an ONNX file becomes a graph-JSON document =========//
//
// Duty: the whole way from a file to a "windlass.model/1" document, in the order in
// which each step can rely on the one before; and a report of what was decided.
// Errors: BadInput with file, place, rule and value; what is unsupported is listed
// at once.
// Threads: one file, one thread.
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
  std::vector<std::string> warnings;     ///< that a user should read without asking
  std::string account;                   ///< of the module's parameters, in one line
};

/// A micro-batch of 0 in `training`: as large as the file has it.
Result<OnnxDescription> describeOnnx(const std::string &path, const TrainingOptions &training,
                                     const OnnxOptions &options);

} // namespace windlass
