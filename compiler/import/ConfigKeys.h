//===- ConfigKeys.h - keys of a Hugging Face config.json ===================//
//
// Duty: what the readers of families share: keys with transformers' defaults,
// and the refusals that hold for all of them.
// Errors: noted at the reader's place.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/TrainingFile.h"
#include "runtime/base/JsonReader.h"
#include <span>

namespace windlass {

constexpr int64_t kLargestSize = INT64_C(1) << 24; ///< of a size in a config
constexpr int64_t kMostLayers = 1 << 14;
constexpr int64_t kMostHeads = 1 << 16;

/// True if the key is there and not null: transformers takes null for absent.
bool isGiven(JsonReader &config, std::string_view key);
int64_t sizeOf(JsonReader &config, std::string_view key, int64_t otherwise, int64_t high = kLargestSize);
double numberOf(JsonReader &config, std::string_view key, double otherwise, double low, double high);
bool flagOf(JsonReader &config, std::string_view key, bool otherwise);

/// Refuses a dropout that the model asks for, unless the training file turns it off. `otherwise` is what
/// transformers takes where a key is not given.
void checkDropout(JsonReader &config, std::span<const std::string_view> keys, double otherwise,
                  const TrainingOptions &training);

/// The activation that `key` names, as an operation of a graph JSON.
nlohmann::json activationOf(JsonReader &config, std::string_view key, std::string_view otherwise);

} // namespace windlass
