// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Account.h - the module's parameters against the file's ==============//
//
// Duty: what became of every parameter of the module on its way through an exporter:
// whether the file holds it, tied, merged with another and split again, dropped and
// put back, or lost. The line that `--check` and a compilation print, and the refusal
// of a file whose signature lists a parameter that cannot be found.
// Errors: BadInput, naming every parameter that is lost.
// Threads: pure functions.
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
  int64_t lost = 0;                ///< zeros that the exporter dropped, put back
  int64_t folded = 0;              ///< of batch norms, in the layers before them
  int64_t unread = 0;              ///< listed, and read by nothing
  int64_t frozen = 0;              ///< parameters that training does not change, of all of the above
  int64_t constant = 0;            ///< tensors that are no parameters
  std::vector<std::string> shared; ///< parameters of the file that may be several parameters of the module
  bool hasCalls = false;           ///< whether the file notes what each call was given

  /// Without the labels.
  std::string describe() const;
};

/// To be asked of the nodes as the file has them.
Result<Account> balance(const Graph &graph, const ParameterTable &parameters, const BatchNorms &norms);

/// "labels as they stand": how the loss reads them; once it is attached.
std::string describeLabels(const Graph &graph);

} // namespace windlass::onnx
