// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Llama.h - llama's, mistral's and qwen's config.json as graph JSON ===//
//
// Duty: one description for the decoders that differ in options only: biases,
// norms of queries and keys, windows of attention, tied heads, defaults.
// Parameters are named and initialised as transformers' ...ForCausalLM does.
// What the model file asks for is built or refused, never left out.
// Errors: noted at the reader's place.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "runtime/base/JsonReader.h"

namespace windlass {

// A "windlass.model/1" document each; nothing useful after a failure.
nlohmann::json describeLlama(JsonReader &config, const TrainingOptions &training);
nlohmann::json describeMistral(JsonReader &config, const TrainingOptions &training);
nlohmann::json describeQwen2(JsonReader &config, const TrainingOptions &training);
nlohmann::json describeQwen3(JsonReader &config, const TrainingOptions &training);

} // namespace windlass
