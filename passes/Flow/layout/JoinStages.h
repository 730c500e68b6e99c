// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- JoinStages.h - the stages of a pipeline, planned one by one =========//
//
// Duty: what stages whose memory is planned take together: the seconds of a step in which they wait for each
// other's messages, and the homes of all.
// Errors: those of the clock. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/PlanMemory.h"

namespace windlass::flow {

/// How an item is called that a stage has, where an earlier one has another of that name, with another home:
/// "decay.1@1", the gradient of a table that the stage reads and the earlier one holds.
std::string itemOfStage(const std::string &item, size_t stage);

/// `plans`: of each stage. Reasons are those of all stages, first of the one that computes longest.
/// `fitsAlone`: nobody asks for seconds.
Result<MemoryPlan> joinStages(llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> stages,
                              std::vector<MemoryPlan> plans, const model::Machine &machine, bool fitsAlone);

} // namespace windlass::flow
