// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/StageShape.h"

#include "runtime/base/Counted.h"
#include <algorithm>

namespace windlass {

Result<StageShape> stageShape(const TrainingOptions &training, int64_t layers) {
  const int64_t stages = training.stages;
  if (stages > std::max<int64_t>(1, layers))
    return Status::badInput("parallel.pipeline: " + counted(stages, "stage") +
                            " need a layer each, the model has " + std::to_string(layers));
  StageShape shape;
  for (int64_t stage = 0; stage < stages; ++stage) {
    shape.layers.push_back((stage + 1) * layers / stages - stage * layers / stages);
    const int64_t ahead =
        training.pipelineSchedule == PipelineSchedule::Gpipe ? training.microBatches : stages - 1 - stage;
    shape.lags.push_back(std::min(ahead, training.microBatches - 1));
  }
  if (stages == 1)
    shape.lags = {0};
  return shape;
}

} // namespace windlass
