// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Run.h - one call of windlass-run ======================================//
//
// Duty: from options to a trained model: reads the plan, opens data and folders,
// chooses where to begin, makes the executor, trains, samples, reports. A dry run
// does all of it up to the first step, and removes what it made.
// Of several processes each does this for its ranks; the first one chooses where to begin, prints and writes.
// Results go to stdout, notes to stderr.
// Errors: as ExitCode says; wrong input is found before anything is written.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Executor.h"
#include "runtime/launch/JobProcess.h"
#include "runtime/training/Sampler.h"
#include "runtime/training/checkpoint/Checkpoint.h"
#include <functional>
#include <optional>

namespace windlass {

struct RunOptions {
  std::string planFolder;
  std::string data;      ///< empty: train nothing
  std::string tokenType; ///< of files of tokens that do not say it
  std::string outFolder = "out";
  bool mustHaveCheckpoint = false; ///< a run that trains nothing takes those of outFolder alone
  std::optional<int64_t> steps, checkpointEvery, checkpointKeep; ///< null: the plan's
  std::optional<uint64_t> seed;
  std::optional<bool> shuffle;
  std::string resume = "auto";
  std::string weightsFolder; ///< of the files a fresh run starts from; empty: where the plan says
  SampleOptions sample;      ///< an empty prompt samples nothing
  ExecutorOptions executor;  ///< scratchFolder and kernelsFolder empty: OUT and the plan's
  std::string pace;          ///< empty: links run as fast as they can
  std::string metricsFile;   ///< empty: OUT/metrics.jsonl
  std::string traceFile;     ///< empty: none
  std::string exportFile;    ///< of the weights at the end; empty: none
  std::string gradientsFile; ///< of the first step of this run that is not skipped; empty: none
  CheckpointFormat checkpointFormat = CheckpointFormat::Full;
  bool writesCheckpoints = true; ///< without, no run goes on from where this one ends
  bool dryRun = false, quiet = false;
  int64_t logEvery = 1;
  std::string version;
};

/// Makes the executor of a run; tests bring their own.
using ExecutorFactory =
    std::function<Result<std::unique_ptr<Executor>>(const plan::Plan &plan, const ExecutorOptions &options)>;

Status runPlan(const plan::Plan &plan, const RunOptions &options, const ExecutorFactory &makeExecutor,
               JobProcess &job);
/// Alone.
Status runPlan(const plan::Plan &plan, const RunOptions &options, const ExecutorFactory &makeExecutor);

} // namespace windlass
