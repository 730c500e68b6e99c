// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/huggingface/ConfigKeys.h"

#include <algorithm>

namespace windlass {

bool isGiven(JsonReader &config, std::string_view key) { return config.has(key) && !config.at(key).isNull(); }

int64_t sizeOf(JsonReader &config, std::string_view key, int64_t otherwise, int64_t high) {
  return isGiven(config, key) ? config.at(key).integer(1, high) : otherwise;
}

double numberOf(JsonReader &config, std::string_view key, double otherwise, double low, double high) {
  return isGiven(config, key) ? config.at(key).number(low, high) : otherwise;
}

bool flagOf(JsonReader &config, std::string_view key, bool otherwise) {
  return isGiven(config, key) ? config.at(key).boolean() : otherwise;
}

double dropoutOf(JsonReader &config, std::string_view key, double otherwise) {
  return numberOf(config, key, otherwise, 0, kMostDropped);
}

std::optional<int64_t> paddingOf(JsonReader &config, std::optional<int64_t> otherwise, int64_t rows) {
  if (isGiven(config, "pad_token_id"))
    otherwise = config.at("pad_token_id").integer(-rows, rows - 1);
  else if (config.has("pad_token_id"))
    otherwise = std::nullopt;
  return otherwise && *otherwise < 0 ? *otherwise + rows : otherwise;
}

nlohmann::json activationOf(JsonReader &config, std::string_view key, std::string_view otherwise) {
  constexpr std::string_view names[] = {"gelu_new", "gelu_pytorch_tanh", "gelu", "relu", "tanh", "silu"};
  size_t choice = std::ranges::find(names, otherwise) - std::begin(names);
  if (isGiven(config, key))
    choice = config.at(key).choice(names);
  if (choice >= 3)
    return {{"op", names[choice]}};
  return {{"op", "gelu"}, {"form", choice == 2 ? "erf" : "tanh"}};
}

} // namespace windlass
