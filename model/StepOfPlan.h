// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StepOfPlan.h - a plan as the player takes it ========================//
//
// Duty: the training step of a plan as sections of timed tasks and the schedule in which these run; and what
// one instruction of it does.
// Errors: BadInput for a plan without a step. Units: seconds. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Player.h"
#include "runtime/plan/Plan.h"

namespace windlass::model {

/// Whose time links take: a paced run gives every link one clock for all ranks of a node, and leaves the
/// cores to kernels (`windlass-run --pace`).
enum class Links : uint8_t { Machine, Paced };

/// The step's sections are those of the plan, also those that it does not run.
Result<TimedStep> stepOf(const plan::Plan &plan, const Machine &machine, Links links);

/// What an instruction of a program does.
InstructionWork workOf(const plan::Plan &plan, const plan::Program &program,
                       const plan::Instruction &instruction, const Machine &machine);

/// The ranks that a collective of a plan runs over.
RankGroup groupOf(const plan::Plan &plan, const plan::Instruction &collective);

} // namespace windlass::model
