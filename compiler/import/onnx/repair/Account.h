// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Account.h - the balance of the module's and the file's parameters =====//
//
// Duty: accounts for every parameter of the module: it is in the file, tied, merged with another parameter
// and split again, dropped by the exporter and restored, or lost. Makes the line that `--check` and a
// compilation print, and refuses a file whose signature lists a parameter that cannot be found. Errors:
// BadInput, naming every parameter that is lost. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/BatchNorms.h"
#include "compiler/import/onnx/repair/Parameters.h"
#include <optional>

namespace windlass::onnx {

struct Account {
  std::optional<int64_t> module;   ///< parameters that the module has; nothing: the file does not say
  int64_t file = 0;                ///< parameters that the file holds, each in a tensor of its own
  int64_t tied = 0;                ///< further names of these parameters
  int64_t merged = 0;              ///< tensors that held several parameters
  int64_t split = 0;               ///< parameters that were taken out of these
  int64_t lost = 0;                ///< zeros that the exporter dropped and Windlass restored
  int64_t folded = 0;              ///< of batch norms, in the layers before them
  int64_t unread = 0;              ///< listed, but read by no node
  int64_t frozen = 0;              ///< of all these, parameters that training does not change
  int64_t constant = 0;            ///< tensors that are no parameters
  std::vector<std::string> shared; ///< parameters of the file that may be several parameters of the module
  bool hasCalls = false;           ///< whether the file notes the arguments of calls

  /// The account as a text, without the labels.
  std::string describe() const;
};

/// The account of a graph. Its nodes must still be those of the file.
Result<Account> balance(const Graph &graph, const ParameterTable &parameters, const BatchNorms &norms);

/// How the loss reads labels, as in "labels as they stand". The loss must be attached.
std::string describeLabels(const Graph &graph);

} // namespace windlass::onnx
