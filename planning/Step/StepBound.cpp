// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Step/StepBound.h"

#include <algorithm>
#include <numeric>

namespace windlass::planning {

static plan::Shortage lacking(plan::Tier tier, int64_t needed, int64_t capacity) {
  return {.tier = tier, .bytes = needed - capacity, .needed = needed, .capacity = capacity};
}

StepBound boundOf(const StepCounts &counts, const ClassTiers &tiers) {
  StepBound bound;
  bound.bytes[static_cast<size_t>(plan::Tier::Device)] = counts.working;
  for (size_t cls = 0; cls < tiers.size(); ++cls)
    if (tiers[cls])
      bound.bytes[static_cast<size_t>(*tiers[cls])] += counts.resting[cls];
  bound.everywhere = std::accumulate(counts.resting.begin(), counts.resting.end(), counts.working);
  bound.seconds = std::max(counts.compute, *std::ranges::max_element(counts.busy));
  return bound;
}

std::optional<plan::Shortage> shortageOf(const StepBound &bound, const std::array<int64_t, 3> &capacity) {
  for (plan::Tier tier : {plan::Tier::Device, plan::Tier::Host, plan::Tier::Nvme})
    if (const size_t t = static_cast<size_t>(tier); bound.bytes[t] > capacity[t])
      return lacking(tier, bound.bytes[t], capacity[t]);
  const int64_t all = std::accumulate(capacity.begin(), capacity.end(), int64_t(0));
  if (bound.everywhere > all)
    return lacking(plan::Tier::Device, capacity[0] + bound.everywhere - all, capacity[0]);
  return std::nullopt;
}

} // namespace windlass::planning
