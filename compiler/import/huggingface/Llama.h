// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Llama.h - llama's, mistral's and qwen's config.json as graph JSON =====//
//
// Duty: describes the decoders that differ in options only: biases,
// norms of queries and keys, windows of attention, tied heads, defaults.
// Parameters are named and initialised as transformers' ...ForCausalLM does.
// Every option of the config is built or refused; none is ignored.
// Errors: noted at the reader's place.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/huggingface/ConfigKeys.h"

namespace windlass {

inline constexpr LayerSizes kLlamaSizes{11008}, kMistralSizes{14336, 8}, kQwenSizes{22016, 32};

// Each returns a "windlass.model/1" document; after a failure the result must not be used.
nlohmann::json describeLlama(JsonReader &config, const TrainingOptions &training);
nlohmann::json describeMistral(JsonReader &config, const TrainingOptions &training);
nlohmann::json describeQwen2(JsonReader &config, const TrainingOptions &training);
nlohmann::json describeQwen3(JsonReader &config, const TrainingOptions &training);

} // namespace windlass
