// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/StageLags.h"

#include "planning/Pipeline/ChunkOrder.h"
#include "runtime/base/Counted.h"
#include <algorithm>
#include <numeric>

namespace windlass {
namespace {

Status checkCount(const TrainingOptions &training, int64_t layers) {
  if (training.stages <= layers)
    return Status::ok();
  const std::string why = training.stagesAreAuto ? "auto: the machine has ranks for " : "";
  return Status::badInput(
      "parallel.pipeline: " + why + counted(training.stages, "stage") +
      (why.empty() ? " need" : ", which need") + " a layer each, the model has " + std::to_string(layers) +
      (layers > 0 ? "" : ": it repeats no block; parallel.data or parallel.tensor can have the ranks"));
}

Status checkCut(const TrainingOptions &training, int64_t layers) {
  const int64_t chunks = chunksOf(training), parts = training.stages * chunks;
  const std::vector<int64_t> &cut = training.pipelineCut;
  if (parts > layers)
    return Status::badInput("pipeline.chunks: " + std::to_string(chunks) + " of each of " +
                            counted(training.stages, "stage") + " need a layer each, the model has " +
                            std::to_string(layers));
  if (!cut.empty() && std::ssize(cut) != parts)
    return Status::badInput(
        "pipeline.cut: says the layers of " + counted(std::ssize(cut), chunks > 1 ? "part" : "stage") +
        (chunks > 1 ? ", parallel.pipeline and pipeline.chunks ask for " : ", parallel.pipeline asks for ") +
        std::to_string(parts));
  if (const int64_t all = std::accumulate(cut.begin(), cut.end(), int64_t{0}); !cut.empty() && all != layers)
    return Status::badInput("pipeline.cut: adds up to " + counted(all, "layer") + ", the model has " +
                            std::to_string(layers));
  return Status::ok();
}

/// The least lag of a stage: the number of later stages, through which its gradient comes back, but at most
/// the micro-batches of a step less one; under `gpipe` always that many.
int64_t leastLag(const TrainingOptions &training, int64_t stage) {
  const int64_t most = training.microBatches - 1;
  return training.pipelineSchedule == PipelineSchedule::Gpipe ? most
                                                              : std::min(training.stages - 1 - stage, most);
}

std::string numbered(int64_t stage) { return "stage " + std::to_string(stage); }

/// Refuses an interleaved schedule unless the stages divide the micro-batches: a stage takes as many
/// micro-batches as there are stages through one part of the model before the next part.
Status checkChunks(const TrainingOptions &training) {
  if (training.pipelineSchedule != PipelineSchedule::Interleaved)
    return training.pipelineChunks
               ? Status::badInput("pipeline.chunks: is of the schedule \"interleaved\", found \"" +
                                  std::string(word(training.pipelineSchedule)) + "\"")
               : Status::ok();
  if (training.microBatches % training.stages == 0)
    return Status::ok();
  return Status::badInput("pipeline.schedule: interleaved needs micro-batches that the " +
                          counted(training.stages, "stage") + " divide, a step has " +
                          std::to_string(training.microBatches));
}

/// Refuses a stage with a smaller lag than the next stage. The stage would wait for a gradient of the next
/// stage, which would wait for further activations of this stage.
Status checkLags(const TrainingOptions &training) {
  const std::vector<int64_t> &lags = training.pipelineLag;
  if (lags.empty())
    return Status::ok();
  if (training.pipelineSchedule == PipelineSchedule::Interleaved)
    return Status::badInput(
        "pipeline.lag: is of other schedules, an interleaved one has the order of its passes");
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

/// Refuses chunks, a cut or lags that do not suit the stages.
Status checkPipeline(const TrainingOptions &training, int64_t layers) {
  WINDLASS_TRY(checkChunks(training));
  WINDLASS_TRY(checkCut(training, layers));
  return checkLags(training);
}

} // namespace

int64_t chunksOf(const TrainingOptions &training) {
  constexpr int64_t kAuto = 2; // chunks of a stage where the number is left open
  return training.pipelineSchedule == PipelineSchedule::Interleaved ? training.pipelineChunks.value_or(kAuto)
                                                                    : 1;
}

Status checkStages(const TrainingOptions &training, int64_t layers) {
  WINDLASS_TRY(checkCount(training, layers));
  return checkPipeline(training, layers);
}

Status checkStages(const TrainingOptions &training, int64_t layers, const std::string &trainingFile,
                   const std::string &decisions) {
  if (training.stages == 1)
    return Status::ok();
  WINDLASS_TRY(checkCount(training, layers).in(trainingFile));
  return checkPipeline(training, layers).in(decisions);
}

std::vector<int64_t> slotsOfParts(const TrainingOptions &training) {
  std::vector<int64_t> slots;
  if (training.pipelineSchedule != PipelineSchedule::Interleaved) {
    for (const StageLag &lag : stageLags(training))
      slots.push_back(lag.slots());
    return slots;
  }
  const planning::ChunkedPipeline pipeline{training.stages, chunksOf(training), training.microBatches};
  slots.resize(static_cast<size_t>(pipeline.stages * pipeline.chunks));
  for (int64_t stage = 0; stage < pipeline.stages; ++stage)
    for (size_t part = static_cast<size_t>(stage); int64_t held : planning::inFlight(pipeline, stage)) {
      slots[part] = held;
      part += static_cast<size_t>(pipeline.stages);
    }
  return slots;
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
