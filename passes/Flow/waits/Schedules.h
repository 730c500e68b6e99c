// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Schedules.h - which sections of a module run when =====================//
//
// Duty: reads `flow.schedule`, the one place that says how a step is put together: how often a section runs,
// and what may run just before it.
// Threads, ownership: as MLIR's; looks symbols up in the section's module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"
#include <utility>

namespace windlass::flow {

/// A section, and how often it runs in a row.
using SectionRuns = std::pair<SectionOp, int64_t>;

/// The sections of a training step, in order; empty where the module trains nothing.
llvm::SmallVector<SectionRuns> trainingSchedule(mlir::ModuleOp module);

/// How often a training step runs a section.
int64_t runsOf(SectionOp section);

/// The sections that may run just before a section, each once; none where the section begins a schedule.
llvm::SmallVector<SectionOp> predecessorsOf(SectionOp section);

} // namespace windlass::flow
