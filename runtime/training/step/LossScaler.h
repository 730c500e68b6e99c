// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LossScaler.h - the loss scale from step to step =======================//
//
// Duty: the scale that an fp16 run multiplies its loss by, and what an overflow does
// to it, as torch.amp.GradScaler does: doubled after so many finite steps in a row,
// halved by an overflow. As in DeepSpeed's DynamicLossScaler it has a minimum, at
// which an overflow ends the run. It is a state of the run: checkpoints keep it.
// Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <cstdint>

namespace windlass {

/// What a checkpoint keeps of it.
struct LossScaleState {
  double scale = 0;         ///< of the next step; 0: no step was scaled yet
  int64_t finiteSteps = 0;  ///< in a row, since it last changed
  int64_t skippedSteps = 0; ///< of all steps done, those that updated nothing
  bool operator==(const LossScaleState &) const = default;
};

class LossScaler {
public:
  /// Goes on from `state` as `rule` says; a scale that is fixed is the plan's.
  LossScaler(const plan::LossScale &rule, const LossScaleState &state);

  bool isOn() const { return rule.initial > 0; }
  /// By what the next step's loss is multiplied; 1 where losses are not scaled.
  double scale() const { return isOn() ? current.scale : 1; }
  /// Whether an overflow at this scale cannot be answered by a smaller one.
  bool isLeast(double scale) const { return isFixed() || scale <= rule.minimum; }
  bool isFixed() const { return rule.growthInterval == 0; }
  /// After a step whose gradients overflowed, or did not.
  void update(bool overflowed);
  const LossScaleState &state() const { return current; }

private:
  plan::LossScale rule;
  LossScaleState current;
};

} // namespace windlass
