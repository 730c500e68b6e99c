// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Selection.h - patterns of trained and frozen parameters =============//
//
// Duty: joins the patterns of the command line (--freeze, --trainable) with those of the training file, and
// checks them against the parameters of a model. Errors: BadInput, naming the flag or the file's key, for a
// pattern that is no regular expression or matches nothing. Threads: pure functions.
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

/// Checks that every pattern matches one of `parameters`.
Status checkSelection(const CompileRequest &request, const TrainingOptions &training,
                      const std::vector<std::string> &parameters);

} // namespace windlass
