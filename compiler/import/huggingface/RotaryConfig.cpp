// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/huggingface/RotaryConfig.h"

#include "compiler/import/huggingface/ConfigKeys.h"
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace windlass {
namespace {

constexpr double kDefaultBase = 10000;
constexpr double kMostBase = 1e12, kMostFactor = 1e6;
constexpr std::string_view kTypes[] = {"default", "linear", "dynamic", "llama3", "yarn"};
enum Type : size_t { kDefault, kLinear, kDynamic, kLlama3, kYarn };

using Frequencies = std::vector<float>;

float power(double base, float exponent) {
  return static_cast<float>(
      std::pow(static_cast<double>(static_cast<float>(base)), static_cast<double>(exponent)));
}

/// The wavelengths base^(2 i / columns), for every pair i of columns.
Frequencies wavesOf(double base, int64_t columns) {
  Frequencies waves;
  for (int64_t i = 0; i < columns; i += 2)
    waves.push_back(power(base, static_cast<float>(i) / static_cast<float>(columns)));
  return waves;
}

Frequencies inverse(Frequencies waves) {
  for (float &wave : waves)
    wave = 1.0F / wave;
  return waves;
}

/// Scales as llama3: long waves are stretched by `factor`, short waves stay, and waves between are
/// interpolated.
Frequencies scaleLlama3(JsonReader &rope, Frequencies frequencies, float factor, float length) {
  const auto low = static_cast<float>(rope.at("low_freq_factor").number(1e-6, kMostFactor));
  const auto high = static_cast<float>(rope.at("high_freq_factor").number(1e-6, kMostFactor));
  for (float &frequency : frequencies) {
    const float wave = static_cast<float>(2 * std::numbers::pi) / frequency;
    if (wave > length / low) {
      frequency /= factor;
    } else if (!(wave < length / high)) {
      const float smooth = (length / wave - low) / (high - low);
      frequency = (1 - smooth) * frequency / factor + smooth * frequency;
    }
  }
  return frequencies;
}

/// The (fractional) number of the pair whose wave turns `rotations` times over the original length.
double pairOf(double rotations, double columns, double base, double length) {
  return columns * std::log(length / (rotations * 2 * std::numbers::pi)) / (2 * std::log(base));
}

Frequencies scaleYarn(JsonReader &rope, double base, int64_t columns, double length, double factor) {
  const double fast = numberOf(rope, "beta_fast", 32, 1e-6, kMostFactor),
               slow = numberOf(rope, "beta_slow", 1, 1e-6, kMostFactor);
  const auto dims = static_cast<double>(columns);
  double low = pairOf(fast, dims, base, length), high = pairOf(slow, dims, base, length);
  if (flagOf(rope, "truncate", !rope.has("truncate"))) { // transformers treats null as false
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, dims - 1);
  high += low == high ? 0.001 : 0; // as transformers keeps the ramp finite
  Frequencies frequencies;
  for (float wave : wavesOf(base, columns)) {
    const float ramp =
        (static_cast<float>(frequencies.size()) - static_cast<float>(low)) / static_cast<float>(high - low);
    const float kept = 1 - std::clamp(ramp, 0.0F, 1.0F);
    frequencies.push_back(1.0F / (static_cast<float>(factor) * wave) * (1 - kept) + 1.0F / wave * kept);
  }
  return frequencies;
}

double magnitudeOf(double factor, double scale) {
  return factor <= 1 ? 1.0 : 0.1 * scale * std::log(factor) + 1.0;
}

/// The factor of cosines and sines in yarn.
double yarnMagnitude(JsonReader &rope, double factor) {
  const double scale = numberOf(rope, "mscale", 0, 0, kMostFactor),
               all = numberOf(rope, "mscale_all_dim", 0, 0, kMostFactor);
  if (isGiven(rope, "attention_factor")) // whatever the others say
    return rope.at("attention_factor").number(1e-6, kMostFactor);
  if (scale != 0 && all != 0)
    return magnitudeOf(factor, scale) / magnitudeOf(factor, all);
  return magnitudeOf(factor, 1);
}

/// The base of the dynamic type (NTK), which grows if the sequence is longer than the model's.
double dynamicBase(double base, double factor, int64_t columns, const RotaryShape &shape) {
  if (shape.sequence <= shape.positions)
    return base;
  const double length = static_cast<double>(shape.sequence) / static_cast<double>(shape.positions);
  const auto dims = static_cast<double>(columns);
  return base * std::pow(factor * length - (factor - 1), dims / (dims - 2));
}

nlohmann::json table(const Frequencies &frequencies, double factor) {
  return {{"op", "rotary_table"}, {"positions", "T"}, {"frequencies", frequencies}, {"factor", factor}};
}

/// Refuses a partial_rotary_factor below 1 unless the type is the default: these families turn all columns of
/// a head. With the default type transformers ignores the factor; with others it has too few angles and does
/// not run.
void checkShare(JsonReader &config, JsonReader &rope, size_t type, int64_t headSize) {
  constexpr const char *kShare = "partial_rotary_factor";
  for (JsonReader *owner : {&config, &rope})
    owner->allow(kShare);
  JsonReader &owner = isGiven(rope, kShare) ? rope : config;
  if (type == kDefault || !isGiven(owner, kShare))
    return;
  const double share = owner.at(kShare).number(0, 1);
  if (owner.isOk() && static_cast<int64_t>(static_cast<double>(headSize) * share) != headSize)
    owner.at(kShare).failRule("must be 1 with the rotary type \"" + std::string(kTypes[type]) +
                              "\", as transformers cannot turn a part of a head's columns");
}

/// The sequence length before stretching: the config's own key takes precedence over the one beside the type.
int64_t originalLength(JsonReader &config, JsonReader &rope, const RotaryShape &shape) {
  constexpr const char *kLength = "original_max_position_embeddings";
  return sizeOf(config, kLength, sizeOf(rope, kLength, shape.positions));
}

/// The type of scaling. Older files name it "type", newer ones "rope_type", and some have both.
size_t typeOf(JsonReader &rope) {
  std::optional<size_t> type;
  for (std::string_view key : {"rope_type", "type"}) {
    if (!rope.has(key))
      continue;
    const size_t named = rope.at(key).choice(kTypes);
    if (named != type.value_or(named))
      rope.at(key).failRule("must be \"" + std::string(kTypes[*type]) + "\", as \"rope_type\"");
    type = type.value_or(named);
  }
  return type.value_or(kDefault);
}

/// The operation of the rotary table. `rope`: type and scaling; `base`: from either spelling.
nlohmann::json describe(JsonReader &config, JsonReader &rope, double base, const RotaryShape &shape) {
  const size_t type = typeOf(rope);
  checkShare(config, rope, type, shape.headSize);
  const int64_t columns = shape.headSize;
  const auto length = static_cast<double>(originalLength(config, rope, shape));
  double factor = 1, magnitude = 1;
  if (type == kYarn && rope.has("factor") && !isGiven(rope, "factor"))
    factor = static_cast<double>(shape.positions) / length;
  else if (type != kDefault)
    factor = rope.at("factor").number(1e-6, kMostFactor);
  Frequencies frequencies = inverse(wavesOf(base, columns));
  if (type == kLinear)
    std::ranges::for_each(frequencies, [&](float &frequency) { frequency /= static_cast<float>(factor); });
  if (type == kDynamic)
    frequencies = inverse(wavesOf(dynamicBase(base, factor, columns, shape), columns));
  if (type == kLlama3)
    frequencies = scaleLlama3(rope, frequencies, static_cast<float>(factor), static_cast<float>(length));
  if (type == kYarn) {
    frequencies = scaleYarn(rope, base, columns, length, factor);
    magnitude = yarnMagnitude(rope, factor);
  }
  return table(frequencies, magnitude);
}

} // namespace

nlohmann::json describeRotary(JsonReader &config, const RotaryShape &shape) {
  const double base = numberOf(config, "rope_theta", kDefaultBase, 1, kMostBase);
  // If both are given, transformers uses the older key.
  for (std::string_view key : {"rope_scaling", "rope_parameters"})
    if (isGiven(config, key) && !config.at(key).keys().empty()) {
      JsonReader rope = config.at(key);
      const double own = numberOf(rope, "rope_theta", base, 1, kMostBase);
      nlohmann::json op = describe(config, rope, own, shape);
      rope.finish();
      config.allow("rope_parameters");
      return op;
    }
  config.allow("partial_rotary_factor"); // without a type, transformers ignores it
  return table(inverse(wavesOf(base, shape.headSize)), 1);
}

} // namespace windlass
