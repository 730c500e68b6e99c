// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ForeignTraining.h - training files of other tools ===================//
//
// Duty: recognises a DeepSpeed, torchtitan or Hugging Face TrainingArguments file and says which of its keys
// is which of ours. Such a file is refused, never half read. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <nlohmann/json.hpp>
#include <string>

namespace windlass::training {

/// Not ok, naming the matching keys, if `document` is another tool's.
Status refuseForeign(const nlohmann::json &document, const std::string &file);

} // namespace windlass::training
