// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/step/LossScaler.h"

#include "runtime/base/TrainingLimits.h"
#include <algorithm>

namespace windlass {
namespace {

constexpr double kFactor = 2; // a power of two: scaling and unscaling change exponents alone

} // namespace

LossScaler::LossScaler(const plan::LossScale &rule, const LossScaleState &state)
    : rule(rule), current(state) {
  if (!isOn())
    return;
  if (current.scale == 0 || isFixed())
    current.scale = rule.initial;
  current.scale = std::max(current.scale, rule.minimum);
}

void LossScaler::update(bool overflowed) {
  if (!isOn())
    return;
  current.skippedSteps += overflowed ? 1 : 0;
  if (isFixed())
    return;
  if (overflowed) {
    current.scale = std::max(current.scale / kFactor, rule.minimum);
    current.finiteSteps = 0;
  } else if (++current.finiteSteps >= rule.growthInterval) {
    current.finiteSteps = 0;
    if (current.scale * kFactor <= kMostLossScale)
      current.scale *= kFactor;
  }
}

} // namespace windlass
