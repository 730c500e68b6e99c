// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/NodeShares.h"

#include <algorithm>

namespace windlass {

static constexpr std::array kShared = {plan::Tier::Host, plan::Tier::Nvme};

NodeShares::NodeShares(const TrainingOptions &training, const model::Machine &machine)
    : machine(machine), stages(static_cast<size_t>(training.stages)) {
  const int64_t ranksOfStage = training.dataRanks * training.tensorRanks;
  if (machine.ranksPerNode % ranksOfStage == 0)
    stagesOfNode = std::min(stages, static_cast<size_t>(machine.ranksPerNode / ranksOfStage));
}

model::Machine NodeShares::with(const flow::TierBytes &bytes) const {
  model::Machine larger = machine;
  larger.hostCapacity = bytes[static_cast<size_t>(plan::Tier::Host)] * machine.ranksPerNode;
  larger.nvmeCapacity = bytes[static_cast<size_t>(plan::Tier::Nvme)] * machine.ranksPerNode;
  return larger;
}

model::Machine NodeShares::forOneStage() const {
  flow::TierBytes all{};
  for (plan::Tier tier : kShared)
    all[static_cast<size_t>(tier)] = machine.capacity(tier) * static_cast<int64_t>(stagesOfNode);
  return with(all);
}

model::Machine NodeShares::whatIsLeftTo(size_t stage) const {
  const size_t first = stage / stagesOfNode * stagesOfNode, behind = std::min(stages, first + stagesOfNode);
  flow::TierBytes share{};
  for (plan::Tier tier : kShared) {
    const auto t = static_cast<size_t>(tier);
    int64_t left = 0, open = 0;
    for (size_t other = first; other < behind; ++other) {
      const auto planned = taken.find(other);
      left += machine.capacity(tier) - (planned == taken.end() ? 0 : planned->second[t]);
      open += planned == taken.end();
    }
    share[t] = left / std::max<int64_t>(open, 1);
  }
  return with(share);
}

} // namespace windlass
