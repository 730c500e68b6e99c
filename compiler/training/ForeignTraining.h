// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ForeignTraining.h - training files of other tools =====================//
//
// Duty: recognises training files of DeepSpeed, torchtitan and Hugging Face TrainingArguments, and refuses
// them with the keys of Windlass for their keys. Such a file is never read in part. Threads: pure functions.
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
