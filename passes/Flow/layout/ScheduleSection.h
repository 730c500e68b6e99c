// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScheduleSection.h - the order of one section ========================//
//
// Duty: builds the schedule problem of a section (tasks, derived dependencies,
// prefetch groups); solves and checks it, and moves the instructions.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/layout/InstructionCost.h"
#include "planning/Schedule/ScheduleProblem.h"

namespace windlass::flow {

/// On an instruction: when it starts and ends in the schedule that ordered it, in nanoseconds.
inline constexpr llvm::StringLiteral kPlannedStart = "flow.start", kPlannedEnd = "flow.end";

struct ScheduleOptions {
  planning::Credits credits;
  bool overlap = true;
  std::array<int64_t, 3> capacity{}; ///< for what is not a home
};

/// The instructions of a section, and as the tasks of a problem whose options are open, in program order.
struct SectionTasks {
  SectionOp section;
  llvm::SmallVector<InstructionOpInterface> instructions;
  planning::ScheduleProblem problem;
};

SectionTasks tasksOf(SectionOp section, InstructionCost &cost);

Result<planning::ScheduleSolution> scheduleSection(SectionTasks &tasks, const ScheduleOptions &options);

} // namespace windlass::flow
