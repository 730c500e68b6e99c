// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TrainingOver.h - the training file and keys that replace its own ======//
//
// Duty: reads the training file of a request. The keys of a what-if question (WhatIf::training) replace those
// of the file, and the axes of --parallel data=2,tensor=2,pipeline=2 replace both. Errors: Usage if
// --parallel is no list of axes; BadInput, naming the flag and the file, if the file contradicts it. Threads:
// pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "compiler/training/TrainingFile.h"
#include <nlohmann/json_fwd.hpp>

namespace windlass {

Result<TrainingOptions> readTraining(const CompileRequest &request);
/// The document of the training file with the request's keys in place of its own, before any rule is applied;
/// null if it is no JSON object.
nlohmann::json trainingDocument(const CompileRequest &request);
/// The request with further keys that replace those of the training file, as a JSON merge patch.
CompileRequest withTraining(CompileRequest request, const nlohmann::json &over);

} // namespace windlass
