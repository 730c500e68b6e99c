// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/capacity/Refusal.h"

#include "compiler/driver/capacity/FeasibilityCandidates.h"
#include "compiler/driver/capacity/Shortage.h"
#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include <algorithm>

using namespace mlir;

namespace windlass {
namespace {

/// Bytes of a parameter and its moments, in every precision.
constexpr int64_t kLeastBytes = 12;
/// A model that is this many times too large is refused without planning.
constexpr int64_t kFarTooLarge = 4;

} // namespace

/// The bytes of a laid out stage on the device. A refusal is about the stage with the most.
static int64_t bytesOnDevice(const OwningOpRef<ModuleOp> &stage) {
  return flow::arenaOf(*stage, plan::Tier::Device).bytes;
}

Status Refusal::describe(const std::function<Status()> &otherwise) {
  Result<FeasibilityCandidates> candidates = FeasibilityCandidates::of(training, size, planner);
  if (!candidates)
    return candidates.status();
  Result<int64_t> everything = candidates->bytesOfEverything(machine);
  if (!everything)
    return everything.status();
  const auto mayFit = [&](const model::Machine &larger, size_t index) -> Result<bool> {
    Result<std::optional<plan::Shortage>> certain = candidates->certainShortage(index, larger);
    if (!certain)
      return certain.status();
    return !*certain;
  };
  const auto plan = [&](const model::Machine &larger, size_t index) -> Result<OwningOpRef<ModuleOp>> {
    Result<Planned> planned = candidates->plan(index, larger);
    if (!planned)
      return planned.status();
    return std::move(*std::ranges::max_element(planned->stages, {}, bytesOnDevice));
  };
  return describeShortage(machine, *everything, {candidates->size(), mayFit, plan}, otherwise);
}

/// Bytes of all tiers of a rank.
static int64_t bytesHeld(const model::Machine &machine) {
  int64_t held = 0;
  for (plan::Tier tier : {plan::Tier::Device, plan::Tier::Host, plan::Tier::Nvme})
    held += machine.has(tier) ? machine.capacity(tier) : 0;
  return held;
}

static int64_t bytesNeeded(int64_t parameters, const TrainingOptions &training) {
  return parameters / training.ranks() * kLeastBytes;
}

bool statesFindRoom(int64_t parameters, const TrainingOptions &training, const model::Machine &machine) {
  return bytesNeeded(parameters, training) <= bytesHeld(machine);
}

Status refuseFarTooLarge(int64_t parameters, const TrainingOptions &training, const model::Machine &machine) {
  const int64_t held = bytesHeld(machine), needed = bytesNeeded(parameters, training);
  if (needed / kFarTooLarge <= held)
    return Status::ok();
  return Status::cannotFit(
      "parameters and moments alone, " + std::to_string(kLeastBytes) + " bytes of each of " +
      counted(parameters, "parameter") + " over " + counted(training.ranks(), "rank") + ", take " +
      formatBytes(needed) + " of a rank; all its tiers together hold " + formatBytes(held) + ": short by " +
      formatBytes(needed - held) + "; what would help: more nvme.capacity, more ranks or fewer parameters");
}

} // namespace windlass
