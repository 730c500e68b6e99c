// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Trainer.h - the loop of steps =========================================//
//
// Duty: runs step after step: feeds scalars and the batch, runs the plan, checks that loss and norm are
// finite, validates, logs, and writes checkpoints. Stops after the step in which a signal came. A step with a
// scaled loss whose gradients overflow is skipped: it counts as a step and takes its batch, but schedule and
// optimizer do not advance. Of several processes each runs the loop and gets the same records; the first
// process writes them.
// Errors: RunFailed naming the step; the newest checkpoint stays usable. If the records of steps cannot be
// written (a full disk, a reader that has left), the run ends with a checkpoint. Threads: one. A step without
// validation or checkpoint allocates nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Executor.h"
#include "runtime/training/StopSignal.h"
#include "runtime/training/checkpoint/Checkpoint.h"
#include "runtime/training/checkpoint/CheckpointFolder.h"
#include "runtime/training/data/Batches.h"
#include "runtime/training/report/MetricsFile.h"
#include "runtime/training/report/Progress.h"
#include "runtime/training/step/LossScaler.h"
#include "runtime/training/step/StepHosts.h"

namespace windlass {

struct TrainerOptions {
  int64_t steps = 0;           ///< to reach, counted over all runs
  int64_t validationEvery = 0; ///< 0: after the last step only
  int64_t checkpointEvery = 0; ///< 0: after the last step only
  int64_t checkpointKeep = 2;  ///< 0: all
  Progress::Options progress;
  CheckpointFormat checkpointFormat = CheckpointFormat::Full;
  std::string gradientsFile = {}; ///< of the first step that is not skipped; empty: none
  bool writesCheckpoints = true;
};

/// What the loop leaves for the report.
struct RunSummary {
  int64_t firstStep = 0, lastStep = 0; ///< steps done before and after
  int64_t skippedSteps = 0;            ///< of them
  int64_t gradientsStep = 0;           ///< whose gradients were written; 0: none
  std::vector<double> stepSeconds;
  double loss = StepRecord::kNone;
  std::optional<ValidationRecord> validation; ///< of the last step that was evaluated
  int64_t nvmeBytesRead = 0, nvmeBytesWritten = 0;
  std::vector<TraceEvent> trace; ///< of the last step
  std::string checkpoint;        ///< the newest one written
  int stoppedBy = 0;             ///< the signal
  bool paced = false;            ///< links took as long as a user said
};

/// What the loop works on; all outlive it.
struct TrainerParts {
  const plan::Plan &plan;
  Executor &executor;
  Batches &batches;
  StateStream &states;
  CheckpointFolder &checkpoints;
  MetricsFile &metrics;
  JobProcess &job;
};

class Trainer {
public:
  /// States must be loaded, and stand where `start` says.
  Trainer(const TrainerParts &parts, const TrainerState &start, const TrainerOptions &options);

  Status run();
  const RunSummary &summary() const { return result; }
  const TrainerState &state() const { return current; }

private:
  Status step(StepRecord &record);
  Status validate(StepRecord &record);
  Status dumpGradients(const StepRecord &record);
  Status checkpoint();
  Status checkFinite(const StepRecord &record) const;
  std::string whatOverflowed(const StepRecord &record) const;
  Status finishStep(StepRecord &record, bool last);
  Status share(StepRecord &record);
  Result<bool> isAnywhere(bool here);
  Status tell(const StepRecord &record, bool last);
  Status afterEnd(const Status &why, const Status &saved) const;

  TrainerParts parts;
  TrainerState current;
  TrainerOptions options;
  LossScaler scaler;
  TrainingHost trainingHost;
  ValidationHost validationHost;
  Progress progress;
  StopSignal stop;
  RunSummary result;
  double beganAt = 0;
};

} // namespace windlass
