// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/Enumeration.h"

namespace windlass {

bool isOpen(const Recompute &recompute) {
  return recompute.kept.empty() &&
         (recompute.kind == Recompute::Auto || recompute.kind == Recompute::PerActivation);
}

std::vector<Recompute> recomputeChoices(const Decisions &decisions) {
  if (!isOpen(decisions.recompute))
    return {decisions.recompute};
  const Homes &checkpoints = decisions.checkpointHome;
  if (!checkpoints.of.empty() || checkpoints.others.value_or(plan::Tier::Device) != plan::Tier::Device ||
      decisions.checkpointPartition.value_or(false))
    return {Recompute::Full};
  return {Recompute::None, Recompute::Full};
}

std::vector<int64_t> zeroChoices(const TrainingOptions &training) {
  if (training.zeroStage.others)
    return {*training.zeroStage.others};
  if (training.dataRanks > 1 && (training.cadence == Cadence::Step || training.reduction == Reduction::All))
    return {1}; // 0 may do the same, and keeps more
  if (training.cadence == Cadence::Step)
    return {0};
  if (training.gather == Gather::Broadcast)
    return {3};
  return training.dataRanks == 1 ? std::vector<int64_t>{0, 3} : std::vector<int64_t>{2, 3};
}

} // namespace windlass
