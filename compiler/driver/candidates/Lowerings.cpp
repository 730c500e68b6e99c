// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/Lowerings.h"

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

std::shared_ptr<Lowerings> SharedLowerings::of(const Decisions &decisions) {
  std::erase_if(all, [](const auto &known) { return known.second.expired(); });
  const Decisions asked = beforeFlow(decisions);
  for (const auto &[others, known] : all)
    if (others == asked)
      return known.lock();
  auto fresh = std::make_shared<Lowerings>();
  all.emplace_back(asked, fresh);
  return fresh;
}

} // namespace windlass
