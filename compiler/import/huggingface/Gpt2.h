// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Gpt2.h - GPT-2's config.json as a graph JSON ==========================//
//
// Duty: checks the sizes and options of a gpt2 config, and writes a graph JSON whose parameters have the
// names and initialisers of transformers' GPT2LMHeadModel. Every option of the config is built or refused;
// none is ignored. Errors: noted at the reader's place. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "runtime/base/JsonReader.h"

namespace windlass {

/// A "windlass.model/1" document; after a failure the result must not be used. Keys that this reader does not
/// know stay unread in `config`, so that the caller can report them.
nlohmann::json describeGpt2(JsonReader &config, const TrainingOptions &training);

} // namespace windlass
