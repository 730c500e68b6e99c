// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TierUse.h - memory as planned and as it was =========================//
//
// Duty: bytes of each tier, summed over ranks: what the plan reserves and what
// was touched (pages of the arenas that are resident; NVMe: the reserved file).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Executor.h"
#include <vector>

namespace windlass {

struct TierUse {
  plan::Tier tier = plan::Tier::Device;
  int64_t planned = 0, measured = 0;
  bool isMeasured = false; ///< NVMe space is reserved, not observed
};

std::vector<TierUse> measureTiers(const plan::Plan &plan, const Executor &executor);

/// Largest resident size of this process so far, in bytes; 0 if the system does not say.
int64_t peakResidentBytes();

} // namespace windlass
