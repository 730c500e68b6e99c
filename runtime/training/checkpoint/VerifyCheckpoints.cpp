// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/checkpoint/VerifyCheckpoints.h"

#include "runtime/base/Units.h"
#include "runtime/training/checkpoint/Checkpoint.h"
#include "runtime/training/checkpoint/CheckpointFolder.h"
#include <filesystem>

namespace windlass {
namespace {

bool exists(const std::string &path) {
  std::error_code unreachable;
  return std::filesystem::exists(path, unreachable);
}

std::vector<std::string> checkpointsBelow(const std::string &folder) {
  if (exists(folder + "/trainer_state.json"))
    return {folder};
  std::vector<std::string> paths;
  for (const std::string &root : {folder, folder + "/checkpoints"}) {
    const CheckpointFolder checkpoints(root);
    for (int64_t step : checkpoints.steps())
      paths.push_back(checkpoints.pathOf(step));
  }
  return paths;
}

std::string describe(const TrainerState &trainer) {
  const std::string step = "of step " + formatCount(trainer.step);
  return trainer.files.empty()
             ? step + ": whole, but of an older version, without hashes"
             : step + ": as it was written, " + formatCount(std::ssize(trainer.files) + 1) + " files";
}

} // namespace

Status verifyCheckpoints(const std::string &folder, const std::function<void(const std::string &)> &print) {
  const std::vector<std::string> paths = checkpointsBelow(folder);
  if (paths.empty())
    return Status::badInput(folder + ": holds no checkpoint; give the --out of a run, or a checkpoint");
  int64_t damaged = 0;
  for (const std::string &path : paths) {
    const Result<TrainerState> trainer = checkCheckpoint(path);
    if (!trainer && !exists(path)) // a run that goes on has retired it
      continue;
    damaged += trainer ? 0 : 1;
    print(trainer ? path + ": " + describe(*trainer) : "damaged: " + trainer.status().message());
  }
  return damaged == 0 ? Status::ok()
                      : Status::badInput(folder + ": " + formatCount(damaged) + " of " +
                                         formatCount(std::ssize(paths)) + " checkpoints are damaged");
}

} // namespace windlass
