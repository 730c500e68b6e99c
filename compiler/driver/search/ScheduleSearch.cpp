// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/search/ScheduleSearch.h"

#include "compiler/driver/candidates/StageLags.h"
#include "compiler/driver/search/Neighbours.h"
#include "planning/Tolerances.h"
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

/// Twice the lags of the schedule, at most the micro-batches of a step less one; messages then have twice the
/// time. Empty if the schedule has no lags, or if none can grow.
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

/// Restates the seconds and the gap in the reason of the strategy, which was chosen by the seconds under the
/// first schedule (`before`), for the schedule that is taken (`now`).
void restateStrategy(std::vector<plan::Reason> &reasons, double before, double now) {
  for (plan::Reason &reason : reasons) {
    if (reason.decision != plan::Decision::Strategy)
      continue;
    for (plan::Trial &trial : reason.trials)
      if (trial.outcome == plan::Outcome::Taken)
        trial.seconds = now;
      else if (trial.outcome == plan::Outcome::Alike && trial.seconds > now * (1 + planning::kNearly))
        trial.outcome = plan::Outcome::Slower;
    for (auto &[figure, value] : reason.figures)
      if (figure == plan::Figure::Gap)
        value = std::max((1 + value) * now / before - 1, 0.0);
  }
}

} // namespace

/// A lower bound of the seconds of a step under other options: the seconds of the slowest stage, and the
/// bubble of the plan that was found divided by the chunks of a stage. For zb-h1 it has no bubble, since the
/// gradients of weights may fill it.
double ScheduleSearch::leastSeconds(const TrainingOptions &options) const {
  const bool isFilled = options.pipelineSchedule == PipelineSchedule::ZeroBubbleH1;
  return stageSeconds * (1 + (isFilled ? 0 : bubble / static_cast<double>(chunksOf(options))));
}

/// Plans the candidate of the best plan under other options, unless a bound shows that it is no faster. The
/// waits of stages in the best plan (Wanted::waiting) are not passed on, since they differ under other
/// options.
Status ScheduleSearch::tryInPlace(Planned &best, const TrainingOptions &options) {
  if (!checkStages(options, size.layers))
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
  if (!next && !cannotFit(next.status())) { // such as a cut through layers that are repeated together; the
                                            // user did not ask for this schedule
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

/// Whether a step may wait for messages: it takes longer, by a share, than its stages need to compute and to
/// fill and drain the pipeline. True for every model of few layers, whose stages are planned quickly.
bool ScheduleSearch::mayWaitForMessages(const Planned &best) const {
  return size.layers <= PlanSearch::kMostSearchedAgain ||
         best.memory.step.seconds > planning::kWaitsBeyond * leastSeconds(taken);
}

Status ScheduleSearch::run(Planned &best) {
  if (taken.stages == 1 || taken.microBatches == 1 || !taken.pipelineLag.empty())
    return Status::ok();
  trials = {simulated(wordOf(taken), best.memory)};
  const double before = best.memory.step.seconds;
  stageSeconds = before / best.memory.waiting;
  bubble = std::min(best.memory.waiting - 1,
                    static_cast<double>(taken.stages - 1) / static_cast<double>(taken.microBatches));
  const bool mayWait = mayWaitForMessages(best); // if under this schedule, then under any
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
