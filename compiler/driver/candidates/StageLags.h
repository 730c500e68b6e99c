// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StageLags.h - how far stages run ahead of their backward passes =====//
//
// Duty: the lags of each stage under a schedule: its backward pass of a micro-batch runs so many runs behind
// its forward pass, and the gradients of its weights, where a schedule has them wait, so many. Refuses what
// the stages of a model cannot be, and lags under which stages would wait for each other forever.
// Units: runs of a section, which are micro-batches. Errors: BadInput, by key. Threads: pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include <vector>

namespace windlass {

struct StageLag {
  int64_t backward = 0;
  int64_t weights = 0; ///< more than `backward` where gradients of weights are split off

  int64_t slots() const { return weights + 1; } ///< micro-batches whose values are there at a time
};

/// Parts of the model that each stage has: one, but for an interleaved schedule.
int64_t chunksOf(const TrainingOptions &training);

/// Refuses more stages than a model of so many layers can have, a cut that it cannot, and lags that cannot
/// be.
Status checkStages(const TrainingOptions &training, int64_t layers);
/// The same, where there are stages, with the names of the training file and of where decisions are from.
Status checkStages(const TrainingOptions &training, int64_t layers, const std::string &trainingFile,
                   const std::string &decisions);
/// What waits of each part of the model that layers are cut into: of so many micro-batches at a time.
std::vector<int64_t> slotsOfParts(const TrainingOptions &training);

/// By stage: under `gpipe` behind the forward passes of all micro-batches, under `1f1b` as soon as its
/// gradient can be there, or as `pipeline.lag` says; under `zb-h1` so, but gradients of weights as late as on
/// the first stage. Asks for stages that checkStages() accepts. An interleaved schedule has none
/// (planning/Pipeline/ChunkOrder.h).
std::vector<StageLag> stageLags(const TrainingOptions &training);

} // namespace windlass
