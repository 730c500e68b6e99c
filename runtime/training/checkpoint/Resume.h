// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Resume.h - where a run begins =========================================//
//
// Duty: chooses the checkpoint `--resume` means and settles what it holds
// against what was asked: seed, shuffle, data, numerics record. Seed and shuffle
// stay those of the checkpoint.
// Errors: BadInput for a folder that is no checkpoint, or a seed that is not its own.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/training/checkpoint/CheckpointFolder.h"
#include "runtime/training/checkpoint/TrainerState.h"
#include <optional>
#include <vector>

namespace windlass {

struct ResumeRequest {
  std::string resume = "auto";  ///< auto | off | a checkpoint folder
  std::optional<uint64_t> seed; ///< null: the checkpoint's, else the plan's
  std::optional<bool> shuffle;
  TrainerState fresh; ///< a run that begins at step 0: the plan's seed and order, the data, the record
};

struct Start {
  std::string checkpoint; ///< folder to load; empty: initial values
  TrainerState state;
  std::vector<std::string> notes; ///< what a person should know, one line each
};

Result<Start> chooseStart(const ResumeRequest &request, const CheckpointFolder &checkpoints);

} // namespace windlass
