// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/ScheduleSearch.h"

#include "compiler/driver/candidates/StageLags.h"
#include "compiler/driver/search/Neighbours.h"
#include <algorithm>

namespace windlass {
namespace {

/// "zb-h1"; "1f1b, lag 6,4,2,0" where lags are given.
std::string wordOf(const TrainingOptions &training) {
  std::string text(word(training.pipelineSchedule == PipelineSchedule::Auto
                            ? PipelineSchedule::OneForwardOneBackward
                            : training.pipelineSchedule));
  for (size_t stage = 0; stage < training.pipelineLag.size(); ++stage)
    text += (stage == 0 ? ", lag " : ",") + std::to_string(training.pipelineLag[stage]);
  return text;
}

/// A step of stages that take `seconds` each if none waits for another, by the bubble that a schedule leaves
/// at least. What fills that of zb-h1 depends on the model.
double leastSeconds(const TrainingOptions &training, double seconds) {
  if (training.pipelineSchedule == PipelineSchedule::ZeroBubbleH1)
    return seconds;
  const auto passes = static_cast<double>(training.microBatches * chunksOf(training));
  return seconds * (1 + static_cast<double>(training.stages - 1) / passes);
}

/// Whether a step takes longer by more than a share than its stages compute and fill and drain the pipeline,
/// so that it may wait for messages.
bool mayWaitForMessages(const TrainingOptions &training, const flow::MemoryPlan &plan) {
  const double runs = static_cast<double>(training.microBatches + training.stages - 1) /
                      static_cast<double>(training.microBatches);
  return plan.waiting * acceptableSeconds(plan) > runs * plan.step.seconds;
}

/// Twice the lags, by which messages have twice the time; empty where the schedule has none, or no more
/// micro-batches.
std::vector<int64_t> twiceTheLags(const TrainingOptions &training) {
  if (chunksOf(training) > 1)
    return {};
  const std::vector<StageLag> least = stageLags(training);
  std::vector<int64_t> lags;
  for (const StageLag &lag : least)
    lags.push_back(std::min(2 * lag.backward, training.microBatches - 1));
  const bool areMore = !std::ranges::equal(lags, least, {}, {}, &StageLag::backward);
  return areMore ? lags : std::vector<int64_t>();
}

} // namespace

/// Plans the candidate that was found under other options. No stage waits for others as it did, so that its
/// own seconds say nothing of the step's.
Status ScheduleSearch::tryInPlace(Planned &best, const TrainingOptions &options) {
  if (!checkStages(options, layers))
    return Status::ok();
  const std::string value = wordOf(options);
  if (const double least = leastSeconds(options, stageSeconds); least > acceptableSeconds(best.memory)) {
    record(trials, atLeast(value, least));
    return Status::ok();
  }
  request.progress("planning with stages as " + value);
  Levels levels(options, machine, target, "", reproducer);
  CandidatePlanner planner(options, levels, graphs);
  const double limit = acceptableSeconds(best.memory);
  Result<Planned> next = planner.plan(best.candidate, machine, {.limit = limit});
  if (!next && !cannotFit(next.status()))
    return next.status();
  record(trials, next ? simulated(value, next->memory) : infeasible(value));
  if (!next || next->memory.isSlow || next->memory.step.seconds > limit)
    return Status::ok();
  next->reasons = std::move(best.reasons);
  best = next.take();
  taken = options;
  return Status::ok();
}

Status ScheduleSearch::run(Planned &best) {
  const bool waits = best.memory.waiting * acceptableSeconds(best.memory) > best.memory.step.seconds;
  if (taken.stages == 1 || taken.microBatches == 1 || !taken.pipelineLag.empty() || !waits)
    return Status::ok();
  trials = {simulated(wordOf(taken), best.memory)};
  stageSeconds = best.memory.step.seconds / best.memory.waiting;
  if (taken.pipelineSchedule == PipelineSchedule::Auto)
    for (PipelineSchedule schedule : {PipelineSchedule::ZeroBubbleH1, PipelineSchedule::Interleaved}) {
      TrainingOptions options = taken;
      options.pipelineSchedule = schedule;
      WINDLASS_TRY(tryInPlace(best, options));
    }
  TrainingOptions later = taken;
  later.pipelineLag = twiceTheLags(taken);
  if (!later.pipelineLag.empty() && mayWaitForMessages(taken, best.memory))
    WINDLASS_TRY(tryInPlace(best, later));
  if (trials.size() > 1)
    best.reasons.push_back(
        reasonOf(plan::Decision::PipelineSchedule, wordOf(taken), plan::Basis::Fastest, std::move(trials)));
  return Status::ok();
}

} // namespace windlass
