// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/inputs/CheckDecisions.h"

#include "runtime/base/Counted.h"
#include "runtime/plan/Words.h"
#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

namespace windlass {
namespace {

/// Checks decisions that need a certain ZeRO stage, of some bucket or of all.
Status checkZero(const TrainingOptions &training, const std::string &file) {
  std::vector<std::optional<int64_t>> given = {training.zeroStage.others};
  for (const auto &[bucket, zero] : training.zeroStage.of)
    given.push_back(zero);
  auto fits = [](auto allowed) {
    return [allowed](std::optional<int64_t> zero) { return !zero || allowed(*zero); };
  };
  auto needs = [&](const std::string &what, const std::string &zeros, bool holds) {
    const auto stated = std::ranges::find_if(given, [](const auto &zero) { return zero.has_value(); });
    return holds ? Status::ok()
                 : Status::badInput(file + ": " + what + " needs zero_stage " + zeros + ", not " +
                                    std::to_string(**stated));
  };
  if (training.gather == Gather::Broadcast && training.replicas() > 1)
    return Status::badInput(file +
                            ": gather \"broadcast\" needs parallel.shard \"auto\" (an owner is one of all "
                            "data ranks), not " +
                            std::to_string(training.shardRanks));
  if (training.gather == Gather::Broadcast)
    WINDLASS_TRY(needs("gather \"broadcast\"", "3",
                       std::ranges::any_of(given, fits([](int64_t zero) { return zero == 3; }))));
  if (training.reduction == Reduction::All)
    WINDLASS_TRY(needs("reduce \"all\"", "1",
                       std::ranges::any_of(given, fits([](int64_t zero) { return zero == 1; }))));
  if (training.cadence == Cadence::Step)
    for (std::optional<int64_t> zero : given)
      if (zero.value_or(0) > 1)
        return Status::badInput(file + ": cadence \"step\" needs zero_stage 0 or 1, not " +
                                std::to_string(*zero));
  if (!training.zeroStage.others && training.gather == Gather::Broadcast &&
      (training.reduction == Reduction::All || training.cadence == Cadence::Step))
    return Status::badInput(
        file + ": gather \"broadcast\" needs zero_stage 3, " +
        (training.cadence == Cadence::Step ? "cadence \"step\" 0 or 1" : "reduce \"all\" 1"));
  return Status::ok();
}

bool isAway(std::optional<plan::Tier> home) { return home && home != plan::Tier::Device; }

/// A tier, other than the device, on which activation checkpoints are to rest; nothing where no decision says
/// so.
std::optional<plan::Tier> checkpointHomeAway(const Decisions &decisions) {
  const Homes &homes = decisions.checkpointHome;
  if (isAway(homes.others))
    return homes.others;
  const auto named = std::ranges::find_if(homes.of, [](const auto &item) { return isAway(item.second); });
  return named == homes.of.end() ? std::nullopt : named->second;
}

/// Recomputation "none" and "selective" keep no activation checkpoints, so that none can rest away from the
/// device.
Status checkCheckpoints(const TrainingOptions &training, const std::string &file) {
  const std::optional<plan::Tier> home = checkpointHomeAway(training);
  if (!home || training.recompute.mayMakeCheckpoints())
    return Status::ok();
  return Status::badInput(file + ": recompute \"" + word(training.recompute) +
                          "\" makes no activation checkpoints, but placement.checkpoint asks for them on \"" +
                          std::string(plan::textOf(*home)) + "\": leave one of the two out");
}

/// Checks a partition of activation checkpoints: it needs tensor-parallel ranks and checkpoints.
Status checkCheckpointParts(const TrainingOptions &training, const std::string &file) {
  const auto refuse = [&](const std::string &needed) {
    return Status::badInput(file + ": checkpoint_partition true needs " + needed);
  };
  if (!training.checkpointPartition.value_or(false))
    return Status::ok();
  if (training.tensorRanks == 1)
    return refuse("parallel.tensor of at least 2, not 1");
  if (!training.recompute.mayMakeCheckpoints())
    return refuse("recompute \"full\", or another that repeats layers, not \"" + word(training.recompute) +
                  "\"");
  return Status::ok();
}

Status checkMicroBatches(const TrainingOptions &training, const std::string &file) {
  if (training.microBatchOrder != MicroBatchOrder::Vertical || training.microBatches <= kMostVertical)
    return Status::ok();
  return Status::badInput(file + ": micro_batch_order \"vertical\" needs micro_batches of at most " +
                          std::to_string(kMostVertical) + ", not " + std::to_string(training.microBatches));
}

/// Checks that lists of credits and of slack have one number per stage of the pipeline.
Status checkListsOfStages(const TrainingOptions &training, const std::string &file) {
  for (const auto &[key, what, list] : {std::tuple("prefetch.nc", "credits", &training.prefetchNc),
                                        std::tuple("prefetch.cg", "credits", &training.prefetchCg),
                                        std::tuple("prefetch.gg", "credits", &training.prefetchGg),
                                        std::tuple("slack.device", "bytes", &training.slackDevice),
                                        std::tuple("slack.host", "bytes", &training.slackHost),
                                        std::tuple("slack.nvme", "bytes", &training.slackNvme)})
    if (const int64_t given = std::ssize(list->numbers); given > 1 && given != training.stages)
      return Status::badInput(file + ": " + key + ": says the " + what + " of " + counted(given, "stage") +
                              ", parallel.pipeline asks for " + std::to_string(training.stages));
  return Status::ok();
}

/// Refuses decisions that stages of a pipeline do not support.
Status checkStages(const TrainingOptions &training, const std::string &file) {
  if (training.stages == 1)
    return Status::ok();
  const auto refuse = [&](const std::string &what) {
    return Status::badInput(file + ": parallel.pipeline " + std::to_string(training.stages) + " needs " +
                            what);
  };
  if (training.microBatchOrder == MicroBatchOrder::Vertical)
    return refuse("micro_batch_order \"horizontal\": stages take one micro-batch after the other");
  return Status::ok();
}

} // namespace

Status checkDecisions(const TrainingOptions &training, const std::string &file) {
  WINDLASS_TRY(checkZero(training, file));
  WINDLASS_TRY(checkMicroBatches(training, file));
  WINDLASS_TRY(checkListsOfStages(training, file));
  WINDLASS_TRY(checkStages(training, file));
  WINDLASS_TRY(checkCheckpointParts(training, file));
  return checkCheckpoints(training, file);
}

} // namespace windlass
