// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StepOfPlan.h - a plan as the player takes it ========================//
//
// Duty: the training step of a plan as sections of timed tasks and the schedule in which these run.
// Errors: BadInput for a plan that lacks a section of its step. Units: seconds. Threads: pure functions.
// Ownership: refers to the plan.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/model/Player.h"
#include "runtime/plan/Plan.h"
#include <vector>

namespace windlass::model {

struct StepOfPlan {
  TimedStep step;
  std::vector<const plan::Section *> sections; ///< which each of the step's is
};

/// Whose time links take: a paced run gives every link one clock for all ranks of a node, and leaves the
/// cores to kernels (`windlass-run --pace`).
enum class Links : uint8_t { Machine, Paced };

Result<StepOfPlan> stepOf(const plan::Plan &plan, const Machine &machine, Links links);

/// The ranks that a collective of a plan runs over.
RankGroup groupOf(const plan::Plan &plan, const plan::Instruction &collective);

} // namespace windlass::model
