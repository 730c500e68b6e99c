// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Report.h - what was decided about an ONNX file ======================//
//
// Duty: the table that `windlass-compile --check MODEL` prints.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/Account.h"
#include "compiler/training/TrainingFile.h"

namespace windlass::onnx {

struct Report {
  std::string loss; ///< what it is
  BatchNorms batchNorms;
  Account account;
  std::map<std::string, int64_t> recognized; ///< composites, with how many of each
  std::map<DataType, int64_t> otherwise; ///< float types that the file computes in and no plan does: values
};

/// Of a graph whose types are known. `compute`: what the plan computes in.
std::map<DataType, int64_t> computedOtherwise(const Graph &graph, Precision compute);

/// The module's parameters against the file's, and how labels are read, in one line.
std::string accountOf(const Report &report, const Graph &graph);

/// Rows in columns; the first has their names.
std::string table(const std::vector<std::vector<std::string>> &rows);

std::string describe(const Report &report, const Graph &graph, const ParameterTable &parameters);

/// What a user should know who asked for no report: parameters that may be buffers, or be called otherwise;
/// and values that are rounded otherwise than in the file.
std::vector<std::string> warnings(const Report &report, const ParameterTable &parameters);

} // namespace windlass::onnx
