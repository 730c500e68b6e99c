// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ConfigKeys.h - keys of a Hugging Face config.json =====================//
//
// Duty: reads keys of config.json with the defaults of transformers, for the readers of all families.
// Errors: noted at the reader's place.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "runtime/base/JsonReader.h"
#include <optional>

namespace windlass {

constexpr int64_t kLargestSize = INT64_C(1) << 24; ///< of a size in a config
constexpr int64_t kMostLayers = 1 << 14;
constexpr int64_t kMostHeads = 1 << 16;

/// Sizes of a layer that transformers takes for a family where a config leaves them out, whatever its hidden
/// size; 0: the size follows from others.
struct LayerSizes {
  int64_t inner = 0;    ///< intermediate_size
  int64_t keyHeads = 0; ///< num_key_value_heads
};

/// True if the key is there and not null: transformers treats null as absent.
bool isGiven(JsonReader &config, std::string_view key);
int64_t sizeOf(JsonReader &config, std::string_view key, int64_t otherwise, int64_t high = kLargestSize);
double numberOf(JsonReader &config, std::string_view key, double otherwise, double low, double high);
bool flagOf(JsonReader &config, std::string_view key, bool otherwise);
/// Refuses any value of a key but `wanted`: it means another model.
void need(JsonReader &config, std::string_view key, bool wanted);

/// The dropout rate under `key`; `otherwise`: transformers' default.
double dropoutOf(JsonReader &config, std::string_view key, double otherwise);

/// The row of padding of a token table of `rows` rows, which PyTorch's nn.Embedding gives no gradient, from
/// "pad_token_id". Null: no such row; a negative number counts from the end.
std::optional<int64_t> paddingOf(JsonReader &config, std::optional<int64_t> otherwise, int64_t rows);

/// The activation that `key` names, as an operation of a graph JSON.
nlohmann::json activationOf(JsonReader &config, std::string_view key, std::string_view otherwise);

} // namespace windlass
