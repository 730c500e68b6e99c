// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScheduleSection.h - the order of one section ==========================//
//
// Duty: builds the schedule problem of a section: a task per instruction, dependencies from the bytes that
// instructions touch, groups of fetches. Solves and checks the problem, and moves the instructions.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/layout/InstructionCost.h"
#include "planning/Schedule/ScheduleProblem.h"

namespace windlass::flow {

/// The start and end of an instruction in the schedule that ordered it, in nanoseconds; on the instruction.
inline constexpr llvm::StringLiteral kPlannedStart = "flow.start", kPlannedEnd = "flow.end";

struct ScheduleOptions {
  planning::Credits credits;
  bool overlap = true;
  std::array<int64_t, 3> capacity{}; ///< bytes by tier, without those of homes
  bool sparesPasses = false;         ///< planning::ScheduleProblem::sparesPasses
};

/// The instructions of a section in program order, and the problem whose tasks they are. ScheduleOptions are
/// not in the problem yet.
struct SectionTasks {
  SectionOp section;
  llvm::SmallVector<InstructionOpInterface> instructions;
  planning::ScheduleProblem problem;
};

SectionTasks tasksOf(SectionOp section, InstructionCost &cost);

Result<planning::ScheduleSolution> scheduleSection(SectionTasks &tasks, const ScheduleOptions &options);

} // namespace windlass::flow
