// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/Candidate.h"

#include "compiler/driver/candidates/StageLags.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace windlass {

Limits limitsOf(const TrainingOptions &training) {
  return {training.tileLimit, training.tileActivation, training.attentionLimit};
}

LoweringKey loweringKey(const Candidate &candidate) {
  return {word(candidate.recompute), candidate.zero,        candidate.order,
          candidate.bucketBytes,     candidate.persistence, candidate.limits,
          candidate.keptGathered,    candidate.wholeRows,   candidate.keepsInputs,
          candidate.partsCheckpoints};
}

int64_t smallParameter(int64_t layers, const model::Machine &machine) {
  constexpr int64_t share = 512, elementBytes = 4;
  return machine.capacity(plan::Tier::Device) / (share * elementBytes * (layers + 1));
}

int64_t updateChunk(const ModelSize &size, const TrainingOptions &training, const model::Machine &machine) {
  constexpr int64_t least = 4 << 20, most = 1 << 30, mostUpdates = 512, hostShare = 512;
  const int64_t ofRank = size.trained / training.ranks();
  return std::min(std::clamp(ofRank / mostUpdates, least, most),
                  machine.capacity(plan::Tier::Host) / hostShare);
}

Candidate makeCandidate(const Recompute &recompute, int64_t zero, bool prefetchReserve, const ModelSize &size,
                        const TrainingOptions &training, const model::Machine &machine) {
  const int64_t device = machine.capacity(plan::Tier::Device);
  Candidate candidate{recompute, zero, 0, 0, 0, prefetchReserve};
  candidate.bucketBytes = training.bucket.value_or(std::clamp(device / 8, kLeastBucket, kMostBucket));
  // One rank gathers nothing.
  bool open = training.zeroStage.isAuto() && training.paramHome.isAuto() && training.dataRanks > 1;
  candidate.persistence = training.persistence.value_or(open ? smallParameter(size.layers, machine) : 0);
  const int64_t chunk = training.updateChunk.value_or(updateChunk(size, training, machine));
  candidate.chunkElements = std::max<int64_t>(chunk / 4096, 1) * 4096;
  if (training.microBatchOrder == MicroBatchOrder::Vertical && training.microBatches > 1)
    candidate.order = MicroBatchOrder::Vertical;
  candidate.limits = limitsOf(training);
  const bool ownRows = training.sequenceParallel.value_or(true);
  candidate.wholeRows = !ownRows;
  candidate.keepsInputs = ownRows && !training.reshardActivations.value_or(true);
  candidate.partsCheckpoints = !ownRows && training.checkpointPartition.value_or(true);
  return candidate;
}

bool namesNoBucket(const Decisions &decisions) {
  return decisions.zeroStage.of.empty() && decisions.reshardAfterForward.of.empty() &&
         llvm::all_of(homesByClass(decisions), [](auto cls) { return cls.second->of.empty(); });
}

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

/// The numbers that the stages decided; a single number if all are equal.
template <typename Stage> static ByStage byStage(const std::vector<Stage> &stages, auto numberOf) {
  ByStage decided;
  for (const Stage &stage : stages)
    decided.numbers.push_back(numberOf(stage));
  if (!stages.empty() && llvm::all_equal(decided.numbers))
    decided.numbers.resize(1);
  return decided;
}

static ByStage creditsByStage(const flow::MemoryPlan &memory, planning::Link link) {
  return byStage(memory.credits, [&](const planning::Credits &stage) { return stage.of(link); });
}

static ByStage slackByStage(const flow::MemoryPlan &memory, plan::Tier tier) {
  return byStage(memory.slack,
                 [&](const flow::TierBytes &stage) { return stage[static_cast<size_t>(tier)]; });
}

Decisions takenDecisions(const TrainingOptions &training, const Candidate &candidate,
                         const flow::MemoryPlan &memory, const std::vector<int64_t> &layers) {
  Decisions decisions = training;
  decisions.pipelineCut = layers;
  decisions.zeroStage.others = candidate.zero;
  decisions.recompute = candidate.recompute;
  Flags &reshard = decisions.reshardAfterForward;
  reshard.others = reshard.others.value_or(true);
  for (auto &[bucket, flag] : reshard.of)
    flag = flag.value_or(true);
  for (const std::string &bucket : candidate.keptGathered)
    reshard.of[bucket] = false;
  decisions.microBatchOrder = candidate.order;
  decisions.sequenceParallel = training.tensorRanks > 1 ? std::optional(!candidate.wholeRows) : std::nullopt;
  const bool ownRows = training.tensorRanks > 1 && !candidate.wholeRows;
  decisions.reshardActivations = ownRows ? std::optional(!candidate.keepsInputs) : std::nullopt;
  decisions.checkpointPartition =
      training.tensorRanks > 1 && candidate.wholeRows && candidate.recompute.mayMakeCheckpoints()
          ? std::optional(candidate.partsCheckpoints)
          : std::nullopt;
  decisions.pipelineLag.clear();
  const bool isInterleaved = training.stages > 1 && chunksOf(training) > 1;
  decisions.pipelineChunks = isInterleaved ? std::optional(chunksOf(training)) : std::nullopt;
  if (training.stages > 1 && !isInterleaved)
    for (const StageLag &lag : stageLags(training))
      decisions.pipelineLag.push_back(lag.backward);
  if (training.stages == 1)
    decisions.pipelineSchedule = PipelineSchedule::Auto;
  else if (training.pipelineSchedule == PipelineSchedule::Auto)
    decisions.pipelineSchedule = PipelineSchedule::OneForwardOneBackward;
  if (decisions.gather == Gather::Auto)
    decisions.gather = Gather::Allgather;
  decisions.persistence = candidate.persistence;
  decisions.bucket = candidate.bucketBytes;
  decisions.updateChunk = candidate.chunkElements;
  decisions.prefetchNc = creditsByStage(memory, planning::Link::Nc);
  decisions.prefetchCg = creditsByStage(memory, planning::Link::Cg);
  decisions.prefetchGg = creditsByStage(memory, planning::Link::Gg);
  decisions.slackDevice = slackByStage(memory, plan::Tier::Device);
  decisions.slackHost = slackByStage(memory, plan::Tier::Host);
  decisions.slackNvme = slackByStage(memory, plan::Tier::Nvme);
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
