// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/checkpoint/Resume.h"

#include "runtime/training/checkpoint/Checkpoint.h"
#include <filesystem>

namespace windlass {
namespace {

Result<Start> startFrom(const std::string &folder) {
  Result<TrainerState> state = checkCheckpoint(folder);
  if (!state)
    return state.status();
  Start start = {folder, state.take(), {}};
  if (start.state.files.empty())
    start.notes.push_back(folder +
                          ": an older version wrote it, without hashes: whether its files are as they "
                          "were written cannot be seen");
  return start;
}

/// The newest checkpoint that is whole; a damaged one is passed over, with a note. If all are damaged, a
/// person decides: a fresh start would drop the metrics of the run so far. If another run removes checkpoints
/// meanwhile, it has written newer ones, and the search begins again.
Result<Start> newestStart(const CheckpointFolder &checkpoints, const TrainerState &fresh) {
  std::vector<std::string> notes;
  bool isRetired = false;
  const std::vector<int64_t> steps = checkpoints.steps();
  for (size_t i = steps.size(); i-- > 0;) {
    const std::string path = checkpoints.pathOf(steps[i]);
    Result<Start> start = startFrom(path);
    if (start) {
      start->notes.insert(start->notes.begin(), notes.begin(), notes.end());
      return start;
    }
    if (std::error_code unreachable; std::filesystem::exists(path, unreachable))
      notes.push_back("passing over a damaged checkpoint: " + start.status().message());
    else
      isRetired = true;
  }
  if (!notes.empty())
    return Status::badInput(notes.front() + "; no other is left: start afresh with --resume off");
  return isRetired ? newestStart(checkpoints, fresh) : Start{"", fresh, {}};
}

std::string noteOf(const RecordDifference &difference) {
  const auto shown = [](const std::string &value) { return value == "null" ? "none" : value; };
  return "resuming with another " + difference.key + ": was " + shown(difference.before) + ", is " +
         shown(difference.now);
}

/// Whether a key of the numerics record changes what is trained, and not last bits alone.
bool isOfTraining(const std::string &key) {
  return key == "dropout" || key == "freeze" || key == "trainable";
}

/// What a person should know of training that goes on under other conditions; of what an older checkpoint
/// does not say, nothing.
/// A model without sequences has the length 0; plans of older versions kept the one that a training file had.
bool isIdleSequence(const RecordDifference &difference) {
  return difference.key == "sequence" && difference.now == "0";
}

void noteOtherTraining(const TrainerState &before, const TrainerState &now, std::vector<std::string> &notes) {
  if (now.trainingExamples != before.trainingExamples)
    notes.push_back("the data hold " + std::to_string(now.trainingExamples) +
                    " training examples, the checkpoint saw " + std::to_string(before.trainingExamples) +
                    ": examples may come again or be missed");
  auto described = [](const TrainerState &state) {
    return state.data + " (" + state.fingerprint.substr(0, 8) + ")";
  };
  if (!before.fingerprint.empty() && before.fingerprint != now.fingerprint)
    notes.push_back("resuming with other data: was " + described(before) + ", is " + described(now));
  for (const RecordDifference &difference : differencesOfRecords(before.training, now.training))
    if (difference.before != "null" && !isIdleSequence(difference))
      notes.push_back(noteOf(difference));
  for (const RecordDifference &difference : differencesOfRecords(before.numerics, now.numerics))
    if (isOfTraining(difference.key))
      notes.push_back(noteOf(difference));
}

/// The training file may ask for another seed or order than those of the checkpoint, which stay.
void noteWhatStays(const TrainerState &before, const ResumeRequest &request,
                   std::vector<std::string> &notes) {
  const TrainerState &asked = request.fresh;
  if (!request.seed && asked.seed != before.seed)
    notes.push_back("resuming with the checkpoint's seed: stays " + std::to_string(before.seed) +
                    ", the training file says " + std::to_string(asked.seed));
  if (!request.shuffle && asked.shuffle != before.shuffle)
    notes.push_back(std::string("resuming with the checkpoint's shuffle: stays ") +
                    (before.shuffle ? "on" : "off") + ", the training file says " +
                    (asked.shuffle ? "on" : "off"));
}

void noteOtherNumerics(const TrainerState &before, const TrainerState &now, std::vector<std::string> &notes) {
  std::string numerics;
  for (const RecordDifference &difference : differencesOfRecords(before.numerics, now.numerics))
    if (!isOfTraining(difference.key))
      numerics += (numerics.empty() ? "" : "; ") + difference.key + ": " + difference.before + " -> " +
                  difference.now;
  if (!numerics.empty())
    notes.push_back("the numerics record differs from the checkpoint's (" + numerics +
                    "): the states continue bit for bit, later losses agree to a tolerance only");
}

/// Applies what the command line asks for to what the checkpoint holds.
Status settle(Start &start, const ResumeRequest &request) {
  TrainerState &state = start.state;
  const TrainerState &fresh = request.fresh;
  if (start.checkpoint.empty()) {
    state.seed = request.seed.value_or(state.seed);
    state.shuffle = request.shuffle.value_or(state.shuffle);
    return Status::ok();
  }
  if (request.seed && *request.seed != state.seed)
    return Status::badInput(start.checkpoint + ": was trained with seed " + std::to_string(state.seed) +
                            ", but --seed asks for " + std::to_string(*request.seed) +
                            "; leave --seed out, or start afresh with --resume off");
  if (request.shuffle && *request.shuffle != state.shuffle)
    return Status::badInput(start.checkpoint + ": was trained with --shuffle " +
                            (state.shuffle ? "on" : "off") +
                            "; leave --shuffle out, or start afresh with --resume off");
  if (fresh.trainingExamples > 0) {
    noteOtherTraining(state, fresh, start.notes);
    noteWhatStays(state, request, start.notes);
    state.trainingExamples = fresh.trainingExamples;
    state.data = fresh.data;
    state.fingerprint = fresh.fingerprint;
    state.training = fresh.training;
  }
  noteOtherNumerics(state, fresh, start.notes);
  state.numerics = fresh.numerics;
  state.version = fresh.version;
  return Status::ok();
}

} // namespace

Result<Start> chooseStart(const ResumeRequest &request, const CheckpointFolder &checkpoints) {
  Result<Start> start = request.resume == "off"    ? Start{"", request.fresh, {}}
                        : request.resume == "auto" ? newestStart(checkpoints, request.fresh)
                                                   : startFrom(request.resume);
  if (!start)
    return start.status().in("--resume");
  WINDLASS_TRY(settle(*start, request));
  return start;
}

} // namespace windlass
