// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/Trainer.h"

#include "runtime/plan/Layout.h"
#include "runtime/plan/SectionSchedule.h"
#include "runtime/training/report/TraceFile.h"
#include "runtime/training/step/RunOnAllRanks.h"
#include "runtime/wire/Packing.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace windlass {
namespace {

/// The sign of a NaN says nothing, but would be printed: "-nan".
double withoutNanSign(double value) { return std::isnan(value) ? StepRecord::kNone : value; }

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

Trainer::Trainer(const TrainerParts &parts, const TrainerState &start, const TrainerOptions &options)
    : parts(parts), current(start), options(options), scaler(parts.plan.training.lossScale, start.lossScale),
      trainingHost(parts.plan, parts.batches), validationHost(parts.plan, parts.batches),
      progress(parts.plan, options.progress, options.steps),
      stop(options.writesCheckpoints ? StopSignal::Then::Checkpoint : StopSignal::Then::Nothing) {
  result.firstStep = result.lastStep = current.step;
  constexpr int64_t kMostReserved = 1 << 20; // a run may be asked for more steps than memory has bytes
  result.stepSeconds.reserve(
      static_cast<size_t>(std::clamp<int64_t>(options.steps - current.step, 0, kMostReserved)));
}

Status Trainer::run() {
  beganAt = now();
  for (bool last = current.step >= options.steps; !last;) {
    StepRecord record;
    WINDLASS_TRY(step(record).in("step " + std::to_string(current.step + 1)));
    result.stoppedBy = stop.received();
    WINDLASS_TRY(share(record));
    last = current.step >= options.steps || result.stoppedBy != 0;
    WINDLASS_TRY(finishStep(record, last));
  }
  return Status::ok();
}

Status Trainer::step(StepRecord &record) {
  const plan::Training &training = parts.plan.training;
  const int64_t number = current.step + 1;
  Result<const LossCounts *> counts = parts.batches.countTraining(current.dataPosition);
  if (!counts)
    return counts.status();
  const int64_t valid = (*counts)->valid();
  if (valid == 0) {
    const Status none = Status::runFailed("every label of the batch is ignored, so it has no loss");
    return result.stepSeconds.empty() ? none : afterEnd(none, checkpoint());
  }
  const StepScalars scalars = scalarsOfStep(training, scaler, number, valid, current.seed);
  trainingHost.begin(scalars, current.dataPosition, (*counts)->shares());
  const ExecutorCounters before = parts.executor.counters();
  const double start = now();
  WINDLASS_TRY(runOnAllRanks(parts.job, parts.executor, plan::Purpose::Train, trainingHost));
  record.seconds = now() - start;
  current.step = number;
  current.dataPosition += parts.batches.samplesPerStep();

  record.step = number;
  record.loss = withoutNanSign(trainingHost.lossSum() / static_cast<double>(valid));
  if (trainingHost.reportedNorm())
    record.gradientNorm = withoutNanSign(trainingHost.gradientNorm());
  record.learningRate = scalars.learningRate;
  if (scaler.isOn()) {
    record.lossScale = scaler.scale();
    record.skipped = trainingHost.overflowed();
    scaler.update(record.skipped);
    current.lossScale = scaler.state();
  }
  record.examplesPerSecond = static_cast<double>(parts.batches.samplesPerStep()) / record.seconds;
  record.tokensPerSecond =
      record.examplesPerSecond * static_cast<double>(std::max<int64_t>(1, training.sequence));
  record.nvmeBytesRead = parts.executor.counters().nvmeBytesRead - before.nvmeBytesRead;
  record.nvmeBytesWritten = parts.executor.counters().nvmeBytesWritten - before.nvmeBytesWritten;
  record.dataPosition = current.dataPosition;
  return Status::ok();
}

/// What ranks of all processes moved, and a signal that came to one of them.
Status Trainer::share(StepRecord &record) {
  if (parts.job.isAlone())
    return Status::ok();
  Result<std::vector<std::string>> all = parts.job.exchange(
      Packing().add(record.nvmeBytesRead).add(record.nvmeBytesWritten).add(result.stoppedBy).take());
  if (!all)
    return all.status();
  record.nvmeBytesRead = record.nvmeBytesWritten = result.stoppedBy = 0;
  for (const std::string &each : *all) {
    Unpacking unpacking(each);
    record.nvmeBytesRead += unpacking.get<int64_t>();
    record.nvmeBytesWritten += unpacking.get<int64_t>();
    result.stoppedBy = std::max(result.stoppedBy, unpacking.get<int>());
  }
  return Status::ok();
}

/// Whether something is so in any process.
Result<bool> Trainer::isAnywhere(bool here) {
  if (parts.job.isAlone())
    return here;
  Result<std::vector<std::string>> all = parts.job.exchange(here ? "1" : "");
  if (!all)
    return all.status();
  return std::ranges::any_of(*all, [](const std::string &there) { return !there.empty(); });
}

Status Trainer::finishStep(StepRecord &record, bool last) {
  result.lastStep = current.step;
  result.stepSeconds.push_back(record.seconds);
  result.loss = record.loss;
  result.skippedSteps += record.skipped ? 1 : 0;
  result.nvmeBytesRead += record.nvmeBytesRead;
  result.nvmeBytesWritten += record.nvmeBytesWritten;
  if (last) { // before validation runs over it
    Result<std::vector<TraceEvent>> trace = gatherTrace(parts.executor.trace(), parts.job);
    if (!trace)
      return trace.status();
    result.trace = trace.take();
  }
  if (!options.gradientsFile.empty() && result.gradientsStep == 0 && !record.skipped)
    WINDLASS_TRY(dumpGradients(record));
  const Status finite = checkFinite(record);
  const bool due = last ? result.stoppedBy == 0
                        : options.validationEvery > 0 && current.step % options.validationEvery == 0;
  if (finite.isOk() && due)
    WINDLASS_TRY(validate(record));
  const Status told = tell(record, last);
  WINDLASS_TRY(finite);
  Result<bool> isLost = isAnywhere(!told.isOk());
  if (!isLost)
    return isLost.status();
  if (*isLost || last || (options.checkpointEvery > 0 && current.step % options.checkpointEvery == 0)) {
    const Status saved = checkpoint();
    if (*isLost && told.isOk())
      return parts.job.meet(); // which the first process fails, with its reason
    return *isLost ? afterEnd(told, saved) : saved;
  }
  return Status::ok();
}

/// To the metrics, and to whoever watches, who may leave after the last step.
Status Trainer::tell(const StepRecord &record, bool last) {
  const Status appended = parts.metrics.append(record, now() - beganAt);
  const Status shown = progress.show(record);
  return appended.isOk() && !last ? shown : appended;
}

/// Why a run has ended before its last step, and what it leaves.
Status Trainer::afterEnd(const Status &why, const Status &saved) const {
  const std::string step = std::to_string(current.step);
  const std::string without = saved.isOk() ? "" : ": " + saved.message();
  return Status::runFailed(why.message() + "; the run ends after step " + step +
                           (saved.isOk() && options.writesCheckpoints ? ", with a checkpoint"
                                                                      : ", without a checkpoint" + without));
}

Status Trainer::checkFinite(const StepRecord &record) const {
  const bool normIsBad = trainingHost.reportedNorm() && !std::isfinite(record.gradientNorm);
  const bool isAnswered = record.skipped && !scaler.isLeast(record.lossScale);
  if (isAnswered || (std::isfinite(record.loss) && !normIsBad))
    return Status::ok();
  const std::vector<int64_t> kept = parts.checkpoints.steps();
  return Status::runFailed("step " + std::to_string(record.step) + ": " + whatOverflowed(record) + "; " +
                           (kept.empty()
                                ? "no checkpoint was written before it"
                                : "the newest checkpoint is " + parts.checkpoints.pathOf(kept.back())));
}

/// What ends the run, in words.
std::string Trainer::whatOverflowed(const StepRecord &record) const {
  const std::string noNumber = ", not a finite number";
  if (!std::isfinite(record.loss))
    return "the loss is " + std::to_string(record.loss) + noNumber;
  const std::string norm = "the gradient norm is " + std::to_string(record.gradientNorm) + noNumber;
  if (!record.skipped)
    return norm;
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), ", at loss scale %g, which is ", record.lossScale);
  return norm + text.data() + (scaler.isFixed() ? "fixed" : "the smallest");
}

Status Trainer::validate(StepRecord &record) {
  const int64_t runs = parts.batches.validationRuns();
  if (runs == 0 || !plan::serves(parts.plan, plan::Purpose::Evaluate))
    return Status::ok();
  Result<const LossCounts *> counts = parts.batches.countValidation();
  if (!counts)
    return counts.status();
  const int64_t valid = (*counts)->valid();
  if (valid == 0) {
    if (!result.validation && parts.job.isFirst())
      progress.note("every label of the examples that are held out is ignored, so they have no loss: "
                    "\"val_loss\" is null");
    record.validation = result.validation = ValidationRecord{.hasLabels = false};
    return Status::ok();
  }
  double sum = 0;
  for (int64_t run = 0; run < runs; ++run) {
    validationHost.begin(run, (*counts)->shares());
    WINDLASS_TRY(runOnAllRanks(parts.job, parts.executor, plan::Purpose::Evaluate, validationHost)
                     .in("validation after step " + std::to_string(current.step)));
    sum += validationHost.lossSum();
  }
  record.validation = result.validation =
      ValidationRecord{.loss = withoutNanSign(sum / static_cast<double>(valid))};
  return Status::ok();
}

Status Trainer::dumpGradients(const StepRecord &record) {
  result.gradientsStep = record.step;
  return exportGradients(options.gradientsFile, parts.plan, parts.states,
                         scaler.isOn() ? std::optional(record.lossScale) : std::nullopt);
}

Status Trainer::checkpoint() {
  if (!options.writesCheckpoints)
    return Status::ok();
  const auto write = [&](const std::string &folder) {
    return writeCheckpoint(folder, parts.plan, parts.states, current, options.checkpointFormat);
  };
  const Status written = parts.job.isFirst()
                             ? parts.checkpoints.commit(current.step, options.checkpointKeep, write)
                             : write(parts.checkpoints.unfinishedPathOf(current.step));
  WINDLASS_TRY(written.in("checkpoint of step " + std::to_string(current.step)));
  result.checkpoint = parts.checkpoints.pathOf(current.step);
  return Status::ok();
}

} // namespace windlass
