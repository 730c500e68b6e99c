// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TrainerState.h - where a run stands ===================================//
//
// Duty: what a checkpoint says beside its tensors: the step, the data position,
// the seed, the loss scale, what it was trained under (the data, the training
// file's hyperparameters and the effective numerics record), and the hashes of
// its other files.
// Format: windlass.trainer_state/2, which has the hash of the rest of it, and is
// read only byte for byte as it was written; /1, of older versions, has no hashes.
// Errors: a file that breaks the schema, or is not as it was written, is BadInput
// naming file and key.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/training/step/LossScaler.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace windlass {

struct TrainerState {
  int64_t step = 0;         ///< steps done
  int64_t dataPosition = 0; ///< samples consumed
  uint64_t seed = 1;
  bool shuffle = true;
  LossScaleState lossScale;
  int64_t trainingExamples = 0;  ///< of the data; the position means nothing under another number
  std::string data, fingerprint; ///< description and hash (DataSource.h); empty: not known
  std::string training = "{}";   ///< hyperparameters (TrainingRecord.h), a JSON object as text
  std::string numerics = "{}";   ///< effective record, a JSON object as text
  std::string version;           ///< of windlass
  std::map<std::string, std::string>
      files; ///< of the checkpoint: by name, the hash (Hash.h); empty: not known
};

std::string printTrainerState(const TrainerState &state);
Result<TrainerState> readTrainerState(const std::string &path);
/// The same of its text; `path`: for messages.
Result<TrainerState> parseTrainerState(const std::string &text, const std::string &path);

/// A key in which two records differ, with the values as JSON.
struct RecordDifference {
  std::string key, before, now;
};

std::vector<RecordDifference> differencesOfRecords(const std::string &before, const std::string &now);

} // namespace windlass
