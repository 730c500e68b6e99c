// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/StageLags.h"

#include "runtime/base/Counted.h"
#include <algorithm>
#include <numeric>

namespace windlass {

Result<std::vector<int64_t>> stageLags(const TrainingOptions &training, int64_t layers) {
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
  std::vector<int64_t> lags;
  for (int64_t stage = 0; stage < stages; ++stage) {
    const int64_t ahead =
        training.pipelineSchedule == PipelineSchedule::Gpipe ? training.microBatches : stages - 1 - stage;
    lags.push_back(std::min(ahead, training.microBatches - 1));
  }
  return lags;
}

} // namespace windlass
