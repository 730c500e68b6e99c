// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- JoinStages.h - the stages of a pipeline, planned one by one ===========//
//
// Duty: joins the memory plans of the stages of a pipeline, which were planned one by one: simulates the step
// in which stages wait for each other's messages, and collects homes, credits, slack and reasons.
// Units: seconds of a step. Errors: those of simulateStages(). Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/PlanMemory.h"

namespace windlass::flow {

/// The name of an item of a stage in the joined plan, if an earlier stage has an item of the same name with
/// another home. Example: stage 0 holds a table that stage 1 also reads. Both have gradients of the table, in
/// the bucket "decay.1"; those of stage 1 are then the item "decay.1@1".
std::string itemOfStage(const std::string &item, size_t stage);

/// The plan of all stages. `stages`: their laid-out modules; `plans`: their plans, in the same order. The
/// reasons of the stage that computes longest come first. No step is simulated, and the seconds are those of
/// the slowest stage alone, if a plan is slow or if `fitsAlone` says that only a fit is asked for.
Result<MemoryPlan> joinStages(llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> stages,
                              std::vector<MemoryPlan> plans, const model::Machine &machine, bool fitsAlone);

} // namespace windlass::flow
