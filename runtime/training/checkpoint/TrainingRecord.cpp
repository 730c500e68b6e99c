// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/checkpoint/TrainingRecord.h"

#include <nlohmann/json.hpp>

namespace windlass {

std::string trainingRecord(const plan::Training &training) {
  nlohmann::json record = {{"global_batch", training.globalBatch},
                           {"sequence", training.sequence},
                           {"steps", training.steps},
                           {"optimizer.learning_rate", training.learningRate},
                           {"optimizer.betas", {training.beta1, training.beta2}},
                           {"clip", training.clip},
                           {"schedule.type", training.schedule},
                           {"schedule.warmup", training.warmup},
                           {"schedule.min_ratio", training.minLearningRateRatio},
                           {"validation.fraction", training.validationFraction}};
  const nlohmann::json optimizer =
      nlohmann::json::parse(training.optimizer, nullptr, /*allow_exceptions=*/false);
  if (optimizer.is_object())
    for (const auto &[key, value] : optimizer.items())
      record["optimizer." + key] = value;
  return record.dump();
}

} // namespace windlass
