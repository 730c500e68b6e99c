// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Report.h - the decisions on an ONNX file, as a text ===================//
//
// Duty: the table that `windlass-compile --check MODEL` prints.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/loss/Loss.h"
#include "compiler/import/onnx/repair/Account.h"
#include "compiler/training/TrainingFile.h"

namespace windlass::onnx {

struct Report {
  LossAccount loss;
  BatchNorms batchNorms;
  Account account;
  bool multipliesLoss = false;               ///< the file multiplies the loss, or a term, by a known number
  std::map<std::string, int64_t> recognized; ///< composites, with their numbers
  std::map<DataType, int64_t>
      otherwise; ///< number of values, by float type that the plan does not compute in
  std::vector<std::string> wholeNumbers; ///< warnings about integers that may be too large for a plan
};

/// The number of values by float type other than `compute`, in which the plan computes. The types of the
/// graph must be known.
std::map<DataType, int64_t> computedOtherwise(const Graph &graph, Precision compute);

/// One line that compares the module's parameters with the file's, and says how labels are read.
std::string accountOf(const Report &report, const Graph &graph);

/// A table as a text; the first row has the names of the columns.
std::string table(const std::vector<std::vector<std::string>> &rows);

std::string describe(const Report &report, const Graph &graph, const ParameterTable &parameters);

/// The warnings for a user who asked for no report: parameters that may be buffers, or may have other names
/// in the module; values that are rounded differently than in the file; integers that may be too large; a
/// loss that may be another number.
std::vector<std::string> warnings(const Report &report, const ParameterTable &parameters);

} // namespace windlass::onnx
