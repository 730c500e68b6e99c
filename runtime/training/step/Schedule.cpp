// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/step/Schedule.h"

#include "runtime/base/PortableMath.h"
#include <cmath>

namespace windlass {
namespace {

/// cos(pi * halfTurns), halfTurns in [0, 1].
double cosineOfHalfTurns(double halfTurns) {
  return sineCosineOfTurn(static_cast<uint32_t>(std::llround(halfTurns * 0x1p31))).cosine;
}

} // namespace

Status checkSchedule(const plan::Training &training) {
  if (training.schedule != "constant" && training.schedule != "linear" && training.schedule != "cosine")
    return Status::badInput("plan: schedule \"" + training.schedule +
                            "\" is not one of \"constant\", \"linear\", \"cosine\"");
  if (!std::isfinite(training.learningRate) || training.learningRate < 0)
    return Status::badInput("plan: learning rate " + std::to_string(training.learningRate) +
                            " is not a finite number of at least 0");
  if (training.warmup < 0)
    return Status::badInput("plan: warm-up of " + std::to_string(training.warmup) + " steps is negative");
  for (double beta : {training.beta1, training.beta2})
    if (!(beta >= 0 && beta < 1))
      return Status::badInput("plan: beta " + std::to_string(beta) + " is not in [0, 1)");
  return Status::ok();
}

double learningRate(const plan::Training &training, int64_t step) {
  const double peak = training.learningRate;
  if (step <= training.warmup)
    return peak * static_cast<double>(step) / static_cast<double>(training.warmup);
  if (training.schedule == "constant")
    return peak;
  // Towards nothing the fall begins and ends a step later, as in transformers: at zero the last step would
  // learn nothing.
  const int64_t later = training.minLearningRateRatio == 0 ? 1 : 0;
  const int64_t first = training.warmup + later, last = training.steps + later;
  if (step >= last)
    return peak * training.minLearningRateRatio;
  const double progress = static_cast<double>(step - first) / static_cast<double>(last - first);
  const double remaining =
      training.schedule == "linear" ? 1 - progress : 0.5 * (1 + cosineOfHalfTurns(progress));
  return peak * (training.minLearningRateRatio + (1 - training.minLearningRateRatio) * remaining);
}

bool isScheduleOver(const plan::Training &training, int64_t step) {
  return training.learningRate > 0 && step > training.steps && learningRate(training, step) == 0;
}

double biasCorrection(double beta, int64_t step) {
  double power = 1, square = beta;
  for (; step > 0; step /= 2, square *= square)
    if (step % 2 == 1)
      power *= square;
  return 1 - power;
}

} // namespace windlass
