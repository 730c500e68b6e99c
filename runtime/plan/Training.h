// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Training.h - what a plan says of its training loop ====================//
//
// Duty: the facts of the training file that the loop needs between steps.
// Units: steps, sequences or examples.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace windlass::plan {

/// By what the gradient of an fp16 run's loss is multiplied, so that small gradients are no zeros.
struct LossScale {
  double initial = 0;         ///< 0: losses are not scaled
  int64_t growthInterval = 0; ///< finite steps in a row after which it doubles; 0: it never changes
  double minimum = 0;         ///< that it is halved down to
  bool operator==(const LossScale &) const = default;
};

struct Training {
  int64_t steps = 0, microBatches = 1, globalBatch = 1, sequence = 0;
  uint64_t seed = 1;
  std::string schedule = "cosine"; ///< constant | linear | cosine
  double learningRate = 0, minLearningRateRatio = 0;
  int64_t warmup = 0;
  double beta1 = 0, beta2 = 0;
  std::string optimizer =
      "{}";        ///< what only its kernels hold: keys of the training file, a JSON object as text
  double clip = 0; ///< 0: none
  double validationFraction = 0;
  int64_t validationEvery = 0;
  int64_t checkpointEvery = 0, checkpointKeep = 2;
  int64_t threadsPerRank = 1;
  bool shuffle = true;
  LossScale lossScale;
};

} // namespace windlass::plan
