// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Candidates.h"

#include "passes/Flow/waits/Schedules.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace windlass {

bool isOpen(const Recompute &recompute) {
  return recompute.kept.empty() &&
         (recompute.kind == Recompute::Auto || recompute.kind == Recompute::PerActivation);
}

static bool isAway(std::optional<plan::Tier> home) { return home && home != plan::Tier::Device; }

std::optional<plan::Tier> homeThatAsksForCheckpoints(const Decisions &decisions) {
  const Homes &homes = decisions.checkpointHome;
  if (isAway(homes.others))
    return homes.others;
  const auto named = llvm::find_if(homes.of, [](auto &item) { return isAway(item.second); });
  return named == homes.of.end() ? std::nullopt : named->second;
}

std::vector<Recompute> recomputeKinds(const Decisions &decisions) {
  if (!isOpen(decisions.recompute))
    return {decisions.recompute};
  if (!decisions.checkpointHome.of.empty() || isAway(decisions.checkpointHome.others))
    return {Recompute::Full};
  return {Recompute::None, Recompute::Full};
}

std::vector<int64_t> stages(const TrainingOptions &training) {
  if (training.zeroStage.others)
    return {*training.zeroStage.others};
  if (training.dataRanks > 1 && (training.cadence == Cadence::Step || training.reduction == Reduction::All))
    return {1}; // what stage 0 may do too costs it more memory
  if (training.cadence == Cadence::Step)
    return {0};
  if (training.gather == Gather::Broadcast)
    return {3};
  return training.dataRanks == 1 ? std::vector<int64_t>{0, 3} : std::vector<int64_t>{2, 3};
}

Limits limitsOf(const TrainingOptions &training) {
  return {training.tileLimit, training.tileActivation, training.attentionLimit};
}

int64_t smallParameter(int64_t layers, const model::Machine &machine) {
  constexpr int64_t share = 512, elementBytes = 4;
  return machine.capacity(plan::Tier::Device) / (share * elementBytes * (layers + 1));
}

Candidate makeCandidate(const Recompute &recompute, int64_t stage, bool prefetchRoom, int64_t layers,
                        const TrainingOptions &training, const model::Machine &machine) {
  int64_t device = machine.capacity(plan::Tier::Device), host = machine.capacity(plan::Tier::Host);
  Candidate candidate{recompute, stage, 0, 0, 0, prefetchRoom};
  candidate.bucketBytes = training.bucket.value_or(std::clamp(device / 8, kLeastBucket, kMostBucket));
  // One rank gathers nothing.
  bool open = training.zeroStage.isAuto() && training.paramHome.isAuto() && training.dataRanks > 1;
  candidate.persistence = training.persistence.value_or(open ? smallParameter(layers, machine) : 0);
  int64_t chunk = training.updateChunk.value_or(std::min<int64_t>(host / 512, 4 << 20));
  candidate.chunkElements = std::max<int64_t>(chunk / 4096, 1) * 4096;
  if (training.microBatchOrder == MicroBatchOrder::Vertical && training.microBatches > 1)
    candidate.order = MicroBatchOrder::Vertical;
  candidate.limits = limitsOf(training);
  return candidate;
}

/// The share of a step that must be saved.
constexpr double kWorth = 0.05;
/// What is still planned in seconds.
constexpr int64_t kMostTriedInTurn = 16, kMostInstructions = 20'000;

/// Whether the device has so little to do that there is something to save.
static bool waits(const flow::MemoryPlan &plan) {
  return plan.computeSeconds <= plan.step.seconds * (1 - kWorth);
}

bool mayTakeTurns(const TrainingOptions &training, const Candidate &candidate,
                  const flow::MemoryPlan &horizontal, mlir::ModuleOp planned) {
  if (training.microBatchOrder != MicroBatchOrder::Auto || training.microBatches < 2 ||
      training.microBatches > kMostTriedInTurn)
    return false;
  auto rests = [&](const char *cls) {
    auto found = horizontal.homes.find(cls);
    return found == horizontal.homes.end() || flow::allOnDevice({*found});
  };
  const bool gathers = candidate.stage == 3 && training.dataRanks > 1;
  if (!gathers && rests("param") && rests("grad"))
    return false;
  if (!waits(horizontal))
    return false;
  auto step = flow::trainingSchedule(planned);
  return !step.empty() &&
         llvm::range_size(step.front().first.getBody().front()) * training.microBatches < kMostInstructions;
}

bool mayKeepGathered(const TrainingOptions &training, const Candidate &candidate,
                     const flow::MemoryPlan &plan) {
  const Flags &reshard = training.reshardAfterForward;
  const bool isOpen = !reshard.others || llvm::any_of(reshard.of, [](auto &named) { return !named.second; });
  return isOpen && candidate.stage == 3 && training.dataRanks > 1 && waits(plan);
}

bool namesNoBucket(const Decisions &decisions) {
  return decisions.zeroStage.of.empty() && decisions.reshardAfterForward.of.empty() &&
         llvm::all_of(homesByClass(decisions), [](auto cls) { return cls.second->of.empty(); });
}

bool maySizeBuckets(const TrainingOptions &training, const Candidate &candidate,
                    const flow::MemoryPlan &plan) {
  return training.dataRanks > 1 && candidate.stage == 3 && namesNoBucket(training) && waits(plan);
}

double mostWorthIt(const flow::MemoryPlan &plain) { return plain.step.seconds * (1 - kWorth); }

flow::TierPins pinsOf(const Decisions &decisions) {
  flow::TierPins pins;
  for (auto [cls, homes] : homesByClass(decisions)) {
    if (homes->others)
      pins[cls].others = homes->others;
    for (auto &[item, home] : homes->of)
      if (home)
        pins[cls].of[item] = *home;
  }
  return pins;
}

Decisions takenDecisions(const TrainingOptions &training, const Candidate &candidate,
                         const flow::MemoryPlan &memory) {
  Decisions decisions = training;
  decisions.zeroStage.others = candidate.stage;
  decisions.recompute = candidate.recompute;
  Flags &reshard = decisions.reshardAfterForward;
  reshard.others = reshard.others.value_or(true);
  for (auto &[bucket, flag] : reshard.of)
    flag = flag.value_or(true);
  for (const std::string &bucket : candidate.kept)
    reshard.of[bucket] = false;
  decisions.microBatchOrder = candidate.order;
  decisions.persistence = candidate.persistence;
  decisions.bucket = candidate.bucketBytes;
  decisions.updateChunk = candidate.chunkElements;
  decisions.prefetchNc = memory.credits.nc;
  decisions.prefetchCg = memory.credits.cg;
  decisions.prefetchGg = memory.credits.gg;
  for (auto [cls, homes] : homesByClass(decisions)) {
    *homes = {};
    auto found = memory.homes.find(cls);
    if (found == memory.homes.end())
      continue;
    const std::map<std::string, plan::Tier> &items = found->second.of;
    bool same = llvm::all_of(items, [&](auto &item) { return item.second == items.begin()->second; });
    if (same)
      homes->others = items.begin()->second;
    else
      homes->of.insert(items.begin(), items.end());
  }
  return decisions;
}

} // namespace windlass
