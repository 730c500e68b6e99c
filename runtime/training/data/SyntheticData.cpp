// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/data/SyntheticData.h"

#include "runtime/base/Hash.h"
#include "runtime/base/Random.h"
#include "runtime/base/Units.h"
#include <cstring>

namespace windlass {
namespace {

constexpr int64_t kExamples = 4096;

template <typename T> void put(std::span<std::byte> out, int64_t index, T value) {
  std::memcpy(out.data() + index * sizeof(T), &value, sizeof(T));
}

} // namespace

Result<std::unique_ptr<DataSource>> SyntheticData::open(uint64_t seed, const plan::Plan &plan) {
  auto data = std::make_unique<SyntheticData>();
  data->seed = seed;
  for (const plan::Input &input : plan.inputs) {
    if (input.type == plan::ElementType::I32 && (input.bound < 1 || input.bound > INT32_MAX))
      return Status::badInput("plan: input \"" + input.name + "\": bound " + std::to_string(input.bound) +
                              " is not a number of classes");
    if (input.role == plan::InputRole::Classes)
      data->classBound = input.bound;
    if (input.role == plan::InputRole::Features)
      data->featureCount = rowElements(input);
  }
  WINDLASS_TRY(data->split(kExamples, plan.training.validationFraction, "synthetic", "examples"));
  data->text = "synthetic, " + formatCount(kExamples) + " examples of seed " + std::to_string(seed);
  data->fingerprintText = hashOfBytes(data->text);
  return std::unique_ptr<DataSource>(std::move(data));
}

Status SyntheticData::read(const plan::Input &input, int64_t example, std::span<std::byte> out) const {
  switch (input.role) {
  case plan::InputRole::Tokens:
    tokens(example, input.bound, 0, out);
    break;
  case plan::InputRole::Labels:
    tokens(example, input.bound, isNextToken(input) ? 1 : 0, out);
    break;
  case plan::InputRole::Classes:
  case plan::InputRole::OtherLabels:
    classes(example, input.bound, out);
    break;
  case plan::InputRole::Features:
  case plan::InputRole::Targets:
    features(example, out);
    break;
  }
  return Status::ok();
}

void SyntheticData::tokens(int64_t example, int64_t bound, int64_t skip, std::span<std::byte> out) const {
  const RandomStream values(seed, example, streamOf("token")), jumps(seed, example, streamOf("jump"));
  const int64_t count = static_cast<int64_t>(out.size() / sizeof(int32_t));
  int64_t token = 0;
  for (int64_t i = 0; i < count + skip; ++i) {
    const bool follows = i > 0 && jumps.below(i, 8) != 0;
    token = follows ? (token + 1) % bound : values.below(i, static_cast<uint32_t>(bound));
    if (i >= skip)
      put(out, i - skip, static_cast<int32_t>(token));
  }
}

void SyntheticData::classes(int64_t example, int64_t bound, std::span<std::byte> out) const {
  const RandomStream values(seed, example, streamOf("class"));
  for (int64_t i = 0; i < static_cast<int64_t>(out.size() / sizeof(int32_t)); ++i)
    put(out, i, static_cast<int32_t>(values.below(i, static_cast<uint32_t>(bound))));
}

void SyntheticData::features(int64_t example, std::span<std::byte> out) const {
  const RandomStream values(seed, example, streamOf("feature")),
      classStream(seed, example, streamOf("class"));
  const int64_t owner = classBound > 0 ? classStream.below(0, static_cast<uint32_t>(classBound)) : -1;
  for (int64_t i = 0; i < static_cast<int64_t>(out.size() / sizeof(float)); ++i) {
    const int64_t feature = featureCount > 0 ? i % featureCount : i;
    const double shift = classBound > 0 && feature % classBound == owner ? 2.0 : 0.0;
    put(out, i, static_cast<float>(values.normal(feature) + shift));
  }
}

} // namespace windlass
