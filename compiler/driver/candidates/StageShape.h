// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StageShape.h - how a pipeline is cut and scheduled =================//
//
// Duty: the layers of each stage, and how many micro-batches each runs ahead of its backward passes.
// Units: layers; runs of a section, which are micro-batches. Errors: BadInput, by key. Threads: pure
// function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include <vector>

namespace windlass {

/// By stage.
struct StageShape {
  std::vector<int64_t> layers;
  /// A backward pass runs so many runs behind its forward pass: under `gpipe` behind those of all
  /// micro-batches, under `1f1b` as soon as its gradient can be there.
  std::vector<int64_t> lags;
};

/// `layers`: of the model.
Result<StageShape> stageShape(const TrainingOptions &training, int64_t layers);

} // namespace windlass
