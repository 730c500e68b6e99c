// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/Lowerings.h"

#include <algorithm>

namespace windlass {
namespace {

/// The decisions without those that a candidate settles (LoweringKey) and those that follow the flow level.
Decisions beforeFlow(Decisions decisions) {
  const Decisions none;
  decisions.zeroStage.others = none.zeroStage.others;
  decisions.persistence = none.persistence;
  decisions.recompute = none.recompute;
  decisions.microBatchOrder = none.microBatchOrder;
  decisions.bucket = none.bucket;
  decisions.updateChunk = none.updateChunk;
  for (auto [cls, homes] : homesByClass(decisions))
    *homes = {};
  for (ByStage *numbers : {&decisions.prefetchNc, &decisions.prefetchCg, &decisions.prefetchGg,
                           &decisions.slackDevice, &decisions.slackHost, &decisions.slackNvme})
    *numbers = {};
  decisions.overlap = none.overlap;
  return decisions;
}

} // namespace

Lowerings &SharedLowerings::of(const Decisions &decisions) {
  const Decisions asked = beforeFlow(decisions);
  const auto known = std::ranges::find(all, asked, &std::pair<Decisions, Lowerings>::first);
  return known != all.end() ? known->second : all.emplace_back(asked, Lowerings()).second;
}

} // namespace windlass
