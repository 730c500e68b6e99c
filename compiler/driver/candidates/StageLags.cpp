// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/StageLags.h"

#include "runtime/base/Counted.h"
#include <algorithm>
#include <numeric>

namespace windlass {
namespace {

Status checkCut(const TrainingOptions &training, int64_t layers) {
  const int64_t stages = training.stages;
  const std::vector<int64_t> &cut = training.pipelineCut;
  if (stages > layers)
    return Status::badInput("parallel.pipeline: " + counted(stages, "stage") +
                            " need a layer each, the model has " + std::to_string(layers));
  if (!cut.empty() && std::ssize(cut) != stages)
    return Status::badInput("pipeline.cut: says the layers of " + counted(std::ssize(cut), "stage") +
                            ", parallel.pipeline asks for " + std::to_string(stages));
  if (const int64_t all = std::accumulate(cut.begin(), cut.end(), int64_t{0}); !cut.empty() && all != layers)
    return Status::badInput("pipeline.cut: adds up to " + counted(all, "layer") + ", the model has " +
                            std::to_string(layers));
  return Status::ok();
}

/// The least lag of a stage: its gradient comes back through all stages behind it. No lag is more than the
/// micro-batches that may stand between.
int64_t leastLag(const TrainingOptions &training, int64_t stage) {
  const int64_t most = training.microBatches - 1;
  return training.pipelineSchedule == PipelineSchedule::Gpipe ? most
                                                              : std::min(training.stages - 1 - stage, most);
}

std::string numbered(int64_t stage) { return "stage " + std::to_string(stage); }

/// A stage that lags less than the next one would wait for a gradient for which that waits for more of its
/// activations.
Status checkLags(const TrainingOptions &training) {
  const std::vector<int64_t> &lags = training.pipelineLag;
  if (lags.empty())
    return Status::ok();
  if (std::ssize(lags) != training.stages)
    return Status::badInput("pipeline.lag: says the lags of " + counted(std::ssize(lags), "stage") +
                            ", parallel.pipeline asks for " + std::to_string(training.stages));
  for (int64_t stage = 0; stage < training.stages; ++stage) {
    const int64_t lag = lags[stage], least = leastLag(training, stage);
    if (lag >= training.microBatches)
      return Status::badInput("pipeline.lag: is " + std::to_string(lag) + " of " + numbered(stage) +
                              ", must be less than the " + counted(training.microBatches, "micro-batch") +
                              " of a step");
    if (lag < least)
      return Status::badInput("pipeline.lag: is " + std::to_string(lag) + " of " + numbered(stage) +
                              ", the schedule needs " + std::to_string(least));
    if (stage + 1 < training.stages && lag < lags[stage + 1])
      return Status::badInput("pipeline.lag: is " + std::to_string(lag) + " of " + numbered(stage) +
                              ", less than the " + std::to_string(lags[stage + 1]) + " of " +
                              numbered(stage + 1) + ": the two would wait for each other forever");
  }
  return Status::ok();
}

} // namespace

Status checkStages(const TrainingOptions &training, int64_t layers) {
  WINDLASS_TRY(checkCut(training, layers));
  return checkLags(training);
}

std::vector<StageLag> stageLags(const TrainingOptions &training) {
  std::vector<StageLag> lags;
  for (int64_t stage = 0; stage < training.stages; ++stage) {
    const int64_t lag =
        training.pipelineLag.empty() ? leastLag(training, stage) : training.pipelineLag[stage];
    lags.push_back({lag, lag});
  }
  if (training.pipelineSchedule == PipelineSchedule::ZeroBubbleH1)
    for (StageLag &lag : lags)
      lag.weights = lags.front().backward;
  return lags;
}

} // namespace windlass
