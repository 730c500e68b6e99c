// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckDecisions.h - contradictions between decisions ===================//
//
// Duty: refuses decisions that contradict each other or the training they are for.
// Errors: BadInput, naming `file`, both keys and the values found. Threads: a pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "runtime/base/Status.h"
#include <string>

namespace windlass {

Status checkDecisions(const TrainingOptions &training, const std::string &file);

} // namespace windlass
