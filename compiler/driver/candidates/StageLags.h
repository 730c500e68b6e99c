// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StageLags.h - how far stages run ahead of their backward passes =====//
//
// Duty: the lag of each stage under a schedule: its backward pass of a micro-batch runs so many runs behind
// its forward pass. Refuses what the stages of a model cannot be.
// Units: runs of a section, which are micro-batches. Errors: BadInput, by key. Threads: pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include <vector>

namespace windlass {

/// By stage: under `gpipe` behind the forward passes of all micro-batches, under `1f1b` as soon as its
/// gradient can be there. `layers`: of the model.
Result<std::vector<int64_t>> stageLags(const TrainingOptions &training, int64_t layers);

} // namespace windlass
