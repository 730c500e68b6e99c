// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StepBound.h - lower bounds of all plans of a step =====================//
//
// Duty: lower bounds of the bytes and the seconds of all plans that a strategy leaves open, in closed form,
// from the counts of the step. Larger capacities never make a bound worse.
// Units: bytes and seconds of one rank. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Step/StepCounts.h"
#include "runtime/plan/Reasons.h"
#include <optional>

namespace windlass::planning {

/// By plan::PlacementClass: the tier that the items of the class must rest on; none: any.
using ClassTiers = std::array<std::optional<plan::Tier>, plan::kPlacementClasses.size()>;

struct StepBound {
  std::array<int64_t, 3> bytes{}; ///< by plan::Tier: what must lie there
  int64_t everywhere = 0;         ///< on all tiers together
  double seconds = 0;             ///< of the busiest lane
};

StepBound boundOf(const StepCounts &counts, const ClassTiers &tiers);

/// The shortage of every plan on tiers of these capacities; nothing: some plan may fit. Of several tiers, the
/// first that lacks bytes; if only all tiers together lack bytes, the device.
std::optional<plan::Shortage> shortageOf(const StepBound &bound, const std::array<int64_t, 3> &capacity);

} // namespace windlass::planning
