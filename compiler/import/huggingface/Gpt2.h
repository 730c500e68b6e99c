// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Gpt2.h - GPT-2's config.json as a graph JSON ========================//
//
// Duty: the sizes and options of a gpt2 config, checked, put into a graph JSON
// whose parameters are named and initialised as transformers' GPT2LMHeadModel
// does. What the model file asks for is built or refused, never left out.
// Errors: noted at the reader's place.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "runtime/base/JsonReader.h"

namespace windlass {

/// A "windlass.model/1" document; nothing useful after a failure. Keys that it
/// does not know stay unknown to `config`, so that its caller may say so.
nlohmann::json describeGpt2(JsonReader &config, const TrainingOptions &training);

} // namespace windlass
