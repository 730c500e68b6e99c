// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StageCutProblem.h - the problem of cutting layers into stages =========//
//
// Duty: the problem (a chain of layers, and the micro-batches in flight in each stage), the solution (the
// layers of each stage) and the text form of the problem. The costs of operations before the first layer are
// part of that layer's, and the costs of operations behind the last layer part of that one's. Units: seconds
// of a micro-batch, bytes of a rank and micro-batch. Threads: values; no sharing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::planning {

struct CutLayer {
  double seconds = 0; ///< of its forward and backward pass
  int64_t kept = 0;   ///< bytes that its forward pass leaves to its backward pass
  /// No cut may lie between this layer and the next: both are repeated together, or the gradients of this
  /// layer read a value that the next layer, or a later one, makes.
  bool joined = false;
};

struct StageCutProblem {
  std::vector<CutLayer> layers;
  std::vector<int64_t> slots; ///< of each stage: micro-batches whose kept bytes are there at a time
  int64_t capacity = 0;       ///< bytes of a rank for what is kept
};

struct StageCutSolution {
  std::vector<int64_t> layers; ///< of each stage, one or more
  double seconds = 0;          ///< of the slowest stage
};

std::string printStageCut(const StageCutProblem &problem);
Result<StageCutProblem> parseStageCut(std::string_view text);

} // namespace windlass::planning
