// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/CandidateCounts.h"

#include "passes/Flow/layout/CountStep.h"
#include <algorithm>

using namespace mlir;

namespace windlass {

bool CandidateCounts::fewSayOfAll(const Candidate &candidate, const planning::ClassTiers &tiers,
                                  const model::Machine &machine) const {
  const Recompute &recompute = candidate.recompute;
  if (recompute.layers > 0 || recompute.every > 1 || !candidate.keptGathered.empty() ||
      !namesNoBucket(training) || training.stages > 1) // single layers, and stages, would be others
    return false;
  return std::ranges::all_of(tiers, [&](const auto &tier) { return !tier || machine.has(*tier); });
}

std::optional<planning::StepCounts> CandidateCounts::of(const Candidate &candidate,
                                                        const model::Machine &machine) {
  if (!fewSayOfAll(candidate, flow::classTiersOf(pinsOf(training)), machine) || !graphs.few().module)
    return std::nullopt;
  auto [counts, isNew] = known.try_emplace({loweringKey(candidate), candidate.chunkElements});
  if (isNew)
    counts->second = countAll(candidate, machine);
  return counts->second;
}

std::optional<planning::StepCounts> CandidateCounts::countAll(const Candidate &candidate,
                                                              const model::Machine &machine) {
  const graph::FewLayers &few = graphs.few();
  std::optional<planning::StepCounts> counts = count(few, candidate, machine);
  if (!counts || few.leftOut == 0 || graphs.oneMore().leftOut + 1 != few.leftOut)
    return counts;
  const std::optional<planning::StepCounts> more = count(graphs.oneMore(), candidate, machine);
  return more ? planning::extended(*counts, *more, few.leftOut) : counts;
}

/// A failure says nothing of all layers.
std::optional<planning::StepCounts> CandidateCounts::count(const graph::FewLayers &layers,
                                                           const Candidate &candidate,
                                                           const model::Machine &machine) {
  OwningOpRef<ModuleOp> module = layers.module.get().clone();
  if (!levels.withoutFiles().lowerToFlow(*module, candidate))
    return std::nullopt;
  return flow::countStep(*module, machine, flow::classTiersOf(pinsOf(training)), candidate.chunkElements);
}

} // namespace windlass
