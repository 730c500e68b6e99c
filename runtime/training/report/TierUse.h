// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TierUse.h - memory as planned and as it was ===========================//
//
// Duty: bytes of each tier, summed over ranks: what the plan reserves and what
// was touched (pages of the arenas that are resident; NVMe: the reserved file); and all that processes had in
// memory at their peaks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Executor.h"
#include "runtime/launch/JobProcess.h"
#include <vector>

namespace windlass {

struct TierUse {
  plan::Tier tier = plan::Tier::Device;
  int64_t planned = 0, measured = 0;
  bool isMeasured =
      false; ///< space on a disk, and on a device that hosts cannot read, is reserved, not observed
};

std::vector<TierUse> measureTiers(const plan::Plan &plan, const Executor &executor);

struct MemoryUse {
  std::vector<TierUse> tiers;
  int64_t peakResident = 0; ///< summed over processes
};

/// Of this process; `gatherMemory`: of the whole job, for its first process.
MemoryUse measureMemory(const plan::Plan &plan, const Executor &executor);
Result<MemoryUse> gatherMemory(const plan::Plan &plan, const Executor &executor, JobProcess &job);

/// Largest resident size of this process so far, in bytes, without what it sees of other processes' memory;
/// 0 if the system does not say.
int64_t peakResidentBytes();

} // namespace windlass
