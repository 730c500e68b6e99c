// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PipelinePlan.h - a pipeline's plan, written by hand ===================//
//
// Duty: a chain of four products, cut into stages of as many programs, that trains by
// one-forward-one-backward (1F1B). Stage s of p runs p - 1 - s forward passes ahead of its backward passes.
// The values that the backward passes read wait in slots, so that arenas differ from stage to stage. Values
// go from stage to stage as messages; gradients are summed over the data ranks of a stage, once a step. The
// loss of a micro-batch is the beginning of its last product; the gradient of the last product is the product
// itself. The numbers are the same to the bit for every cut. Kernels are matmuls only, so that an executor
// can run them. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <cstdint>

namespace windlass::test {

struct PipelineOptions {
  int64_t stages = 2;       ///< 1, 2 or 4
  int64_t microBatches = 4; ///< at least two, and as many as stages
  int64_t dataRanks = 2;    ///< of each stage: 1, 2 or 4
};

/// A plan that the checker must find sound. Feed items: "features", "learning_rate"; report item: "loss".
plan::Plan makePipelinePlan(const PipelineOptions &options);

} // namespace windlass::test
