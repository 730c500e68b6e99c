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

/// A strategy was found under the first schedule, and is taken for its seconds under another.
void restateStrategy(std::vector<plan::Reason> &reasons, double before, double now) {
  for (plan::Reason &reason : reasons) {
    if (reason.decision != plan::Decision::Strategy)
      continue;
    for (plan::Trial &trial : reason.trials)
      if (trial.outcome == plan::Outcome::Taken)
        trial.seconds = now;
      else if (trial.outcome == plan::Outcome::Alike && trial.seconds > now * (1 + flow::kNearly))
        trial.outcome = plan::Outcome::Slower;
    for (auto &[figure, value] : reason.figures)
      if (figure == plan::Figure::Gap)
        value = std::max((1 + value) * now / before - 1, 0.0);
  }
}

} // namespace

/// A step with the bubble that a schedule leaves at least: that of the plan that was found, but for what
/// waits for messages, by the chunks of a stage. What fills that of zb-h1 depends on the model.
double ScheduleSearch::leastSeconds(const TrainingOptions &options) const {
  const bool isFilled = options.pipelineSchedule == PipelineSchedule::ZeroBubbleH1;
  return stageSeconds * (1 + (isFilled ? 0 : bubble / static_cast<double>(chunksOf(options))));
}

/// Plans the candidate that was found under other options, unless a bound says that it is no faster. No stage
/// waits for others as it did, so that its own seconds say nothing of the step's.
Status ScheduleSearch::tryInPlace(Planned &best, const TrainingOptions &options) {
  if (!checkStages(options, layers))
    return Status::ok();
  const std::string value = wordOf(options);
  const double limit = options.pipelineLag.empty() ? worthwhileSeconds(best.memory) // larger lags hold more
                                                   : acceptableSeconds(best.memory);
  if (const double least = leastSeconds(options); least > limit) {
    record(trials, atLeast(value, least));
    return Status::ok();
  }
  request.progress("planning with stages as " + value);
  Levels levels(options, machine, target, "", reproducer);
  CandidatePlanner planner(options, levels, graphs);
  Result<Planned> next = planner.plan(best.candidate, machine, {.limit = limit});
  if (!next && !cannotFit(next.status())) { // as a cut through what is repeated together; nobody asked for it
    if (next.status().code() != ExitCode::BadInput)
      request.warn("stages are not tried as " + value + ": " + next.status().message());
    return Status::ok();
  }
  record(trials, next ? simulated(value, next->memory) : infeasible(value));
  if (!next || next->memory.isSlow || next->memory.step.seconds > limit)
    return Status::ok();
  next->reasons = std::move(best.reasons);
  best = next.take();
  taken = options;
  return Status::ok();
}

/// Whether a step takes longer by a share than its stages compute and fill and drain the pipeline, so that
/// it may wait for messages. Stages of a deep model take long to plan.
bool ScheduleSearch::mayWaitForMessages(const Planned &best) const {
  constexpr double kShare = 1.05;
  return layers <= PlanSearch::kMostSearchedAgain || best.memory.step.seconds > kShare * leastSeconds(taken);
}

Status ScheduleSearch::run(Planned &best) {
  if (taken.stages == 1 || taken.microBatches == 1 || !taken.pipelineLag.empty())
    return Status::ok();
  trials = {simulated(wordOf(taken), best.memory)};
  const double before = best.memory.step.seconds;
  stageSeconds = before / best.memory.waiting;
  bubble = std::min(best.memory.waiting - 1,
                    static_cast<double>(taken.stages - 1) / static_cast<double>(taken.microBatches));
  const bool mayWait = mayWaitForMessages(best); // under any schedule, if under this one
  std::vector<TrainingOptions> schedules = {taken};
  if (taken.pipelineSchedule == PipelineSchedule::Auto)
    for (PipelineSchedule schedule : {PipelineSchedule::ZeroBubbleH1, PipelineSchedule::Interleaved}) {
      schedules.push_back(taken);
      schedules.back().pipelineSchedule = schedule;
    }
  for (const TrainingOptions &other : llvm::drop_begin(schedules))
    WINDLASS_TRY(tryInPlace(best, other));
  if (mayWait)
    for (TrainingOptions &later : schedules)
      if (later.pipelineLag = twiceTheLags(later); !later.pipelineLag.empty())
        WINDLASS_TRY(tryInPlace(best, later));
  restateStrategy(best.reasons, before, best.memory.step.seconds);
  if (trials.size() > 1)
    best.reasons.push_back(
        reasonOf(plan::Decision::PipelineSchedule, wordOf(taken), plan::Basis::Fastest, std::move(trials)));
  return Status::ok();
}

} // namespace windlass
