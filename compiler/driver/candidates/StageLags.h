// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StageLags.h - how far stages run ahead of their backward passes =======//
//
// Duty: the lags of each stage under a pipeline schedule: by how many runs the backward pass of a micro-batch
// follows its forward pass, and by how many the gradients of weights do, if the schedule delays them. Refuses
// stages that a model cannot have, and lags under which stages would wait for each other forever.
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

/// Refuses more stages than a model of `layers` layers can have, a cut that does not suit it, and lags that
/// no schedule allows.
Status checkStages(const TrainingOptions &training, int64_t layers);
/// The same, where there are stages, with the names of the training file and of where decisions are from.
Status checkStages(const TrainingOptions &training, int64_t layers, const std::string &trainingFile,
                   const std::string &decisions);
/// For each part of the model: the micro-batches whose values it keeps at the same time.
std::vector<int64_t> slotsOfParts(const TrainingOptions &training);

/// The lags, by stage. Under `gpipe` a backward pass follows the forward passes of all micro-batches; under
/// `1f1b` it runs as soon as its gradient can be there, or as `pipeline.lag` says. `zb-h1` is as `1f1b`, but
/// gradients of weights lag on every stage as much as on the first. The training must pass checkStages(); not
/// for interleaved schedules (planning/Pipeline/ChunkOrder.h).
std::vector<StageLag> stageLags(const TrainingOptions &training);

} // namespace windlass
