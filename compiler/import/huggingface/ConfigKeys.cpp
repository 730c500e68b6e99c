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

void need(JsonReader &config, std::string_view key, bool wanted) {
  if (flagOf(config, key, wanted) != wanted)
    config.at(key).failRule("must be " + std::string(wanted ? "true" : "false") +
                            ": the other form is not built");
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
  constexpr std::string_view names[] = {
      "gelu_new", "gelu_pytorch_tanh", "gelu_fast", "gelu", "gelu_python", "relu", "tanh", "silu", "swish"};
  std::string_view name = isGiven(config, key) ? names[config.at(key).choice(names)] : otherwise;
  if (name == "swish")
    name = "silu";
  if (!name.starts_with("gelu"))
    return {{"op", name}};
  const bool isErf = name == "gelu" || name == "gelu_python";
  return {{"op", "gelu"}, {"form", isErf ? "erf" : "tanh"}};
}

} // namespace windlass
