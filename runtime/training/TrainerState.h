//===- TrainerState.h - where a run stands =================================//
//
// Duty: what a checkpoint says beside its tensors: the step, the data position,
// the seed, the loss scale, and the effective numerics record it was trained under.
// Errors: a file that breaks the schema is BadInput naming file and key.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/training/LossScaler.h"
#include <cstdint>
#include <string>

namespace windlass {

struct TrainerState {
  int64_t step = 0;         ///< steps done
  int64_t dataPosition = 0; ///< samples consumed
  uint64_t seed = 1;
  bool shuffle = true;
  LossScaleState lossScale;
  int64_t trainingExamples = 0; ///< of the data; the position means nothing under another number
  std::string numerics = "{}";  ///< effective record, a JSON object as text
  std::string version;          ///< of windlass
};

std::string printTrainerState(const TrainerState &state);
Result<TrainerState> readTrainerState(const std::string &path);

/// The keys in which two records differ, as "key: old -> new", joined by "; "; empty if equal.
std::string differenceOfRecords(const std::string &before, const std::string &now);

} // namespace windlass
