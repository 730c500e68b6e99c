// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/Collectives.h"
#include "runtime/base/JsonReader.h"
#include "runtime/plan/Device.h"
#include "runtime/plan/Plan.h"
#include <algorithm>

namespace windlass::plan {

namespace {

constexpr std::string_view kWords[] = {"ordered", "nccl"};

} // namespace

std::span<const std::string_view> collectivesWords() { return kWords; }

std::string_view textOf(Collectives collectives) { return kWords[static_cast<size_t>(collectives)]; }

bool mayBeSummed(Collectives collectives, std::string_view backend) {
  const DeviceRow *row = findDevice(backend);
  return collectives == Collectives::Ordered || (row && row->collectives == textOf(collectives));
}

Result<Collectives> collectivesOf(const Plan &plan) {
  if (plan.numerics.empty())
    return Collectives::Ordered;
  const Result<nlohmann::json> record = JsonReader::parse(plan.numerics, "plan: numerics");
  WINDLASS_TRY(record.status());
  if (!record->is_object() || !record->contains(kCollectivesKey))
    return Collectives::Ordered;
  const nlohmann::json &word = (*record)[kCollectivesKey];
  const auto *const found =
      word.is_string() ? std::ranges::find(kWords, word.get<std::string_view>()) : std::end(kWords);
  if (found == std::end(kWords))
    return Status::badInput("plan: numerics: " + std::string(kCollectivesKey) +
                            ": must be 'ordered' or 'nccl', is " + word.dump());
  return static_cast<Collectives>(found - std::begin(kWords));
}

int64_t mostStagingBytes(Collectives collectives, const DeviceRow &device) {
  return collectives == Collectives::Ordered ? device.stagingBytes : 0;
}

Status checkCollectives(const Plan &plan) {
  const Result<Collectives> collectives = collectivesOf(plan);
  WINDLASS_TRY(collectives.status());
  return mayBeSummed(*collectives, plan.backend)
             ? Status::ok()
             : Status::badInput("plan: numerics: " + std::string(kCollectivesKey) + ": '" +
                                std::string(textOf(*collectives)) + "' is nothing that the backend '" +
                                plan.backend + "' has");
}

} // namespace windlass::plan
