// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProgramRuns.h - the runs of a timed program, and its tasks by lane ====//
//
// Duty: a program's schedule unrolled for the player (Player.h): which section each run has, which tasks a
// lane has in it, and how many tasks came before it.
// Ownership: the step outlives it. Threads: const after construction.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/LaneState.h"

namespace windlass::model {

class ProgramRuns {
public:
  /// `firstRank`: of the ranks that are played, the first that runs the program.
  ProgramRuns(const TimedProgram &program, size_t firstRank);

  size_t runs() const { return sections.size(); }
  uint32_t sectionOf(uint64_t run) const { return sections[run]; }
  const TimedSection &section(uint64_t run) const { return program->sections[sections[run]]; }
  /// Of a lane in a run: numbers of its tasks in the section.
  const std::vector<uint32_t> &tasksOf(uint64_t run, size_t lane) const {
    return lists[sections[run]].byLane[lane];
  }
  uint32_t taskCount(uint64_t run) const { return lists[sections[run]].tasks; }
  /// Tasks in the runs before one.
  const TaskCounts &before(uint64_t run) const { return counts[run]; }
  /// Of all runs.
  size_t allTasks() const { return tasks; }
  /// Where the spans of a run's tasks begin.
  size_t spanBase(uint64_t run) const { return spans[run]; }
  /// The runs of the schedule's entry that a run is one of.
  const RunRange &rangeOf(uint64_t run) const { return ranges[run]; }

  const size_t firstRank, behindRank; ///< of the ranks that are played

private:
  /// A section by lane.
  struct LaneLists {
    std::array<std::vector<uint32_t>, kLanes> byLane; ///< task numbers
    uint32_t tasks = 0;
  };

  const TimedProgram *program;
  std::vector<LaneLists> lists;   ///< by section
  std::vector<uint32_t> sections; ///< of each run
  std::vector<TaskCounts> counts; ///< of each run
  std::vector<size_t> spans;      ///< of each run
  std::vector<RunRange> ranges;   ///< of each run
  size_t tasks = 0;
};

} // namespace windlass::model
