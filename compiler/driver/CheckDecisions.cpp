// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/CheckDecisions.h"

#include "compiler/driver/Candidates.h"
#include "runtime/plan/Words.h"
#include <algorithm>
#include <optional>
#include <vector>

namespace windlass {
namespace {

constexpr int64_t kMostInTurn = 64;

/// What is only said of one stage asks for it: of some bucket, or of all.
Status checkStage(const TrainingOptions &training, const std::string &file) {
  std::vector<std::optional<int64_t>> given = {training.zeroStage.others};
  for (const auto &[bucket, stage] : training.zeroStage.of)
    given.push_back(stage);
  auto fits = [](auto allowed) {
    return [allowed](std::optional<int64_t> stage) { return !stage || allowed(*stage); };
  };
  auto needs = [&](const std::string &what, const std::string &stages, bool holds) {
    const auto stated = std::ranges::find_if(given, [](const auto &stage) { return stage.has_value(); });
    return holds ? Status::ok()
                 : Status::badInput(file + ": " + what + " needs zero_stage " + stages + ", not " +
                                    std::to_string(**stated));
  };
  if (training.gather == Gather::Broadcast && training.replicas() > 1)
    return Status::badInput(file +
                            ": gather \"broadcast\" needs parallel.shard \"auto\" (an owner is one of all "
                            "ranks), not " +
                            std::to_string(training.shardRanks));
  if (training.gather == Gather::Broadcast)
    WINDLASS_TRY(needs("gather \"broadcast\"", "3",
                       std::ranges::any_of(given, fits([](int64_t stage) { return stage == 3; }))));
  if (training.reduction == Reduction::All)
    WINDLASS_TRY(needs("reduce \"all\"", "1",
                       std::ranges::any_of(given, fits([](int64_t stage) { return stage == 1; }))));
  if (training.cadence == Cadence::Step)
    for (std::optional<int64_t> stage : given)
      if (stage.value_or(0) > 1)
        return Status::badInput(file + ": cadence \"step\" needs zero_stage 0 or 1, not " +
                                std::to_string(*stage));
  if (!training.zeroStage.others && training.gather == Gather::Broadcast &&
      (training.reduction == Reduction::All || training.cadence == Cadence::Step))
    return Status::badInput(
        file + ": gather \"broadcast\" needs zero_stage 3, " +
        (training.cadence == Cadence::Step ? "cadence \"step\" 0 or 1" : "reduce \"all\" 1"));
  return Status::ok();
}

/// What is repeated at most in part of a layer leaves no activation checkpoint that could rest anywhere.
Status checkCheckpoints(const TrainingOptions &training, const std::string &file) {
  const std::optional<plan::Tier> home = homeThatAsksForCheckpoints(training);
  const bool makesNone = training.recompute == Recompute::None || training.recompute == Recompute::Selective;
  if (!home || !makesNone)
    return Status::ok();
  return Status::badInput(file + ": recompute \"" + word(training.recompute) +
                          "\" makes no activation checkpoints, but placement.checkpoint asks for them on \"" +
                          std::string(plan::textOf(*home)) + "\": leave one of the two out");
}

/// A plan has every micro-batch that takes turns with others written out.
Status checkMicroBatches(const TrainingOptions &training, const std::string &file) {
  if (training.microBatchOrder != MicroBatchOrder::Vertical || training.microBatches <= kMostInTurn)
    return Status::ok();
  return Status::badInput(file + ": micro_batch_order \"vertical\" needs micro_batches of at most " +
                          std::to_string(kMostInTurn) + ", not " + std::to_string(training.microBatches));
}

} // namespace

Status checkDecisions(const TrainingOptions &training, const std::string &file) {
  WINDLASS_TRY(checkStage(training, file));
  WINDLASS_TRY(checkMicroBatches(training, file));
  return checkCheckpoints(training, file);
}

} // namespace windlass
