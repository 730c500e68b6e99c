// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Selection.h - patterns of trained and frozen parameters ===============//
//
// Duty: joins the patterns of the command line (--freeze, --trainable) with those of the training file, and
// checks them against the parameters of a model. Errors: BadInput, naming the flag or the file's key, for a
// pattern that is no regular expression, or matches nothing or running statistics alone. Threads: pure
// functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "compiler/training/TrainingFile.h"
#include <string>
#include <vector>

namespace windlass {

/// Adds the patterns of the flags to those of the same keys of the training file.
Status addSelection(const CompileRequest &request, TrainingOptions &training);

/// The original names of a model's states.
struct StateNames {
  std::vector<std::string> parameters;
  std::vector<std::string> statistics; ///< running statistics: batches change them, and no key stops that
};

/// Checks that every pattern matches one of the parameters.
Status checkSelection(const CompileRequest &request, const TrainingOptions &training,
                      const StateNames &names);

} // namespace windlass
