// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Selection.h - which parameters are trained ==========================//
//
// Duty: joins the patterns of the command line (--freeze, --trainable) with those of the training file, and
// holds them against the parameters that a model has.
// Errors: BadInput, naming the flag or the file's key, for a pattern that is no regular expression or matches
// nothing. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "compiler/training/TrainingFile.h"
#include <string>
#include <vector>

namespace windlass {

/// The flags mean what the keys of the training file mean, and are added to them.
Status addSelection(const CompileRequest &request, TrainingOptions &training);

/// Every pattern must mean one of `parameters`.
Status checkSelection(const CompileRequest &request, const TrainingOptions &training,
                      const std::vector<std::string> &parameters);

} // namespace windlass
