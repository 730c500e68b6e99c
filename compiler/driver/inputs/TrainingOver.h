// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TrainingOver.h - the training file, and what is said over it ========//
//
// Duty: reads the training file of a request. Above its keys stand those that are asked about in their place
// (WhatIf::training), and above these the axes of --parallel data=2,tensor=2,pipeline=2.
// Errors: Usage for what is no list of axes; BadInput, naming the flag and the file, where the file does not
// go with it.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "compiler/training/TrainingFile.h"
#include <nlohmann/json_fwd.hpp>

namespace windlass {

Result<TrainingOptions> readTraining(const CompileRequest &request);
/// The same request with further keys over those of the training file, as a JSON merge patch.
CompileRequest withTraining(CompileRequest request, const nlohmann::json &over);

} // namespace windlass
