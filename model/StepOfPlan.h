// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StepOfPlan.h - timed tasks of a plan, for the player ==================//
//
// Duty: converts the training step of a plan to sections of timed tasks and their schedule; and gives the
// work of single instructions. Errors: BadInput for a plan without a step. Units: seconds. Threads: pure
// functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Player.h"
#include "runtime/plan/Plan.h"

namespace windlass::model {

/// The machine as a plan uses it: with its backend, and its threads of each rank.
Machine usedBy(const plan::Plan &plan, const Machine &machine);

/// The timing of links: the machine's; or that of a paced run (`windlass-run --pace`), in which each link has
/// one clock for all ranks of a node, and transfers take no time of cores.
enum class Links : uint8_t { Machine, Paced };

/// The step's sections are those of the plan, also those that it does not run. `machine`: as the plan uses
/// it.
Result<TimedStep> stepOf(const plan::Plan &plan, const Machine &machine, Links links);

/// The work of an instruction of a program.
InstructionWork workOf(const plan::Plan &plan, const plan::Program &program,
                       const plan::Instruction &instruction, const Machine &machine);

/// The ranks that a collective of a plan runs over.
RankGroup groupOf(const plan::Plan &plan, const plan::Instruction &collective);

} // namespace windlass::model
