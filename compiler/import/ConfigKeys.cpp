#include "compiler/import/ConfigKeys.h"

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

void checkDropout(JsonReader &config, std::span<const std::string_view> keys, double otherwise,
                  const TrainingOptions &training) {
  for (std::string_view key : keys) {
    double rate = numberOf(config, key, otherwise, 0, 1);
    if (rate == 0 || training.dropout == Dropout::Off)
      continue;
    std::string value = nlohmann::json(rate).dump() + (isGiven(config, key) ? "" : " where it is not given");
    config.fail(std::string(key) + ": dropout is not implemented, is " + value +
                "; set it to 0, or \"dropout\": \"off\" in the training file");
  }
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
