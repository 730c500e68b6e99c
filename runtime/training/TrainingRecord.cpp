#include "runtime/training/TrainingRecord.h"

#include <nlohmann/json.hpp>

namespace windlass {

std::string trainingRecord(const plan::Training &training) {
  return nlohmann::json{{"global_batch", training.globalBatch},
                        {"sequence", training.sequence},
                        {"steps", training.steps},
                        {"optimizer.learning_rate", training.learningRate},
                        {"optimizer.betas", {training.beta1, training.beta2}},
                        {"clip", training.clip},
                        {"schedule.type", training.schedule},
                        {"schedule.warmup", training.warmup},
                        {"schedule.min_ratio", training.minLearningRateRatio},
                        {"validation.fraction", training.validationFraction}}
      .dump();
}

} // namespace windlass
