// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Schedule.h - the scalars of a step ====================================//
//
// Duty: learning rate and bias corrections of step t. The horizon is the plan's
// own number of steps, so a run that is cut short or resumed sees the same rates.
// Units: steps count from 1.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

namespace windlass {

/// Refuses a schedule nobody knows, and numbers no optimizer can use.
Status checkSchedule(const plan::Training &training);

/// Linear warm-up over `warmup` steps, then constant, or falling (straight, or
/// as half a cosine) to minLearningRateRatio at the last step, or to a ratio of 0 a step after the last.
/// There the rate stays.
double learningRate(const plan::Training &training, int64_t step);

/// Whether the rate has fallen to 0 by this step, so that it and all later ones change no parameter.
bool isScheduleOver(const plan::Training &training, int64_t step);

/// 1 - beta^step, computed by repeated squaring: the same bits on every machine.
double biasCorrection(double beta, int64_t step);

} // namespace windlass
