// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/CandidateCounts.h"

#include "passes/Flow/layout/CountStep.h"
#include <algorithm>

using namespace mlir;

namespace windlass {

bool CandidateCounts::fewRepresentAll(const Candidate &candidate, const planning::ClassTiers &tiers,
                                      const model::Machine &machine) const {
  const Recompute &recompute = candidate.recompute;
  const bool namesBuckets = !candidate.keptGathered.empty() && candidate.keptGathered.front() != kEveryBucket;
  if (recompute.every > 1 || namesBuckets ||
      !namesNoBucket(training)) // few layers would have other groups or buckets
    return false;
  return std::ranges::all_of(tiers, [&](const auto &tier) { return !tier || machine.has(*tier); });
}

std::optional<planning::StepCounts> CandidateCounts::ofSomeRepeated(const Candidate &candidate,
                                                                    const model::Machine &machine) {
  if (graphs.layers() == 0)
    return std::nullopt;
  Candidate none = candidate, all = candidate;
  none.recompute = Recompute::None;
  all.recompute.layers = 0;
  const std::optional<Counted> fewest = counted(none, machine), most = counted(all, machine);
  if (!fewest || !most)
    return std::nullopt;
  const int64_t leftOut = graphs.few().leftOut, others = leftOut - candidate.recompute.layers;
  const double share = static_cast<double>(candidate.recompute.layers) / static_cast<double>(graphs.layers());
  return planning::between(extended(*fewest, leftOut), extended(*most, leftOut),
                           others < 0 ? planning::StepCounts() : extended(*fewest, others),
                           std::min(share, 1.0));
}

std::optional<planning::StepCounts> CandidateCounts::of(const Candidate &candidate,
                                                        const model::Machine &machine) {
  if (!fewRepresentAll(candidate, flow::classTiersOf(pinsOf(training)), machine) || !graphs.few().module)
    return std::nullopt;
  const std::optional<planning::StepCounts> all =
      candidate.recompute.layers > 0 ? ofSomeRepeated(candidate, machine) : ofAlike(candidate, machine);
  return all && training.stages > 1 ? planning::ofFullestStage(*all, training.stages) : all;
}

std::optional<planning::StepCounts> CandidateCounts::ofAlike(const Candidate &candidate,
                                                             const model::Machine &machine) {
  const std::optional<Counted> few = counted(candidate, machine);
  return few ? std::optional(extended(*few, graphs.few().leftOut)) : std::nullopt;
}

bool CandidateCounts::areOfAll() {
  return graphs.few().leftOut > 0 && graphs.oneMore().leftOut + 1 == graphs.few().leftOut;
}

planning::StepCounts CandidateCounts::extended(const Counted &counted, int64_t layers) {
  return counted.more ? planning::extended(counted.few, *counted.more, layers) : counted.few;
}

std::optional<CandidateCounts::Counted> CandidateCounts::counted(const Candidate &candidate,
                                                                 const model::Machine &machine) {
  auto [counts, isNew] = known.try_emplace({loweringKey(candidate), candidate.chunkElements});
  if (isNew)
    counts->second = countFew(candidate, machine);
  return counts->second;
}

std::optional<CandidateCounts::Counted> CandidateCounts::countFew(const Candidate &candidate,
                                                                  const model::Machine &machine) {
  const std::optional<planning::StepCounts> counts = count(Layers::Few, candidate, machine);
  if (!counts)
    return std::nullopt;
  return Counted{*counts, areOfAll() ? count(Layers::OneMore, candidate, machine) : std::nullopt};
}

std::optional<bool> CandidateCounts::areAlike(const Candidate &candidate, const Candidate &other,
                                              const model::Machine &machine) {
  const planning::ClassTiers tiers = flow::classTiersOf(pinsOf(training));
  if (training.stages > 1 || !graphs.few().module || !fewRepresentAll(candidate, tiers, machine) ||
      !fewRepresentAll(other, tiers, machine) || candidate.recompute != other.recompute)
    return std::nullopt;
  auto withFew = [&](Candidate any) {
    any.recompute.layers = 0; // the number of repeated layers is of all layers
    return lowered(Layers::Few, any);
  };
  const ModuleOp one = withFew(candidate), two = withFew(other);
  if (!one || !two)
    return std::nullopt;
  return areSame(one, two);
}

/// The candidate, lowered with `layers` as one program for all stages; null after a failure, which does not
/// imply that all layers fail.
ModuleOp CandidateCounts::lowered(Layers layers, const Candidate &candidate) {
  auto [module, isNew] = lowerings->few.try_emplace({layers, loweringKey(candidate)});
  if (isNew)
    module->second = lower(layers, candidate);
  return module->second.get();
}

OwningOpRef<ModuleOp> CandidateCounts::lower(Layers layers, const Candidate &candidate) {
  TrainingOptions whole = training;
  whole.stages = 1;
  Levels quiet = levels.withoutFiles(whole);
  Result<ModuleOp> graph = graphs.lowered(candidate, quiet, layers);
  if (!graph)
    return {};
  OwningOpRef<ModuleOp> module = graph->clone();
  if (!quiet.lowerGraphToFlow(*module, candidate))
    return {};
  return module;
}

std::optional<planning::StepCounts> CandidateCounts::count(Layers layers, const Candidate &candidate,
                                                           const model::Machine &machine) {
  ModuleOp module = lowered(layers, candidate);
  if (!module)
    return std::nullopt;
  const planning::ClassTiers tiers = flow::classTiersOf(pinsOf(training));
  const OwningOpRef<ModuleOp> placed = flow::placedCopy(module, tiers, candidate.chunkElements);
  return flow::countStep(module, *placed, machine, tiers);
}

} // namespace windlass
