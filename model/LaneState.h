// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LaneState.h - where the lanes of a step stand at a moment =============//
//
// Duty: the state of each rank and lane while the player (Player.h) plays, and whether two moments are alike.
// If the states after two runs of a section are alike, the runs that follow are alike, too, and the player
// skips most of them. Units: seconds since the step began; left: seconds of work. Ownership: values; tasks
// are the step's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Player.h"

namespace windlass::model {

/// A count of tasks of each lane.
using TaskCounts = std::array<uint64_t, kLanes>;

/// A task under way. A request to the disk has a fixed end; any other task has work left.
struct Flight {
  uint64_t run = 0;
  uint32_t number = 0; ///< of the task in its section
  const TimedTask *task = nullptr;
  double left = 0;   ///< seconds, if the task runs alone from now on
  double end = 0;    ///< of a request
  double weight = 0; ///< of a request: load on the shared cores after the end of the request before it
};

struct LaneState {
  uint64_t run = 0;            ///< of the next task to start
  size_t place = 0;            ///< of that task, among the tasks of the lane in its run
  size_t reached = 0;          ///< waits of that task known to be over, counted from the first
  size_t awaited = 0;          ///< the lane of the first wait that is not over
  uint64_t awaitedTasks = 0;   ///< tasks of that lane that end this wait; 0: not determined yet
  uint64_t completed = 0;      ///< tasks, since the step began
  std::vector<Flight> flights; ///< the oldest first
  double linkFree = 0;         ///< disk: when the last byte of the last request has passed
};

struct RankState {
  size_t program = 0; ///< the program it runs: index into TimedStep::programs
  std::array<LaneState, kLanes> lanes;
  std::array<double, kLanes> slowdown{}; ///< of the tasks under way, by lane, since `settled`
  uint64_t completeRuns = 0;             ///< all runs before this one are complete
  std::array<uint32_t, 2> open{}; ///< incomplete tasks of that run and of the next, by the parity of the run
  double diskFree = 0;            ///< when the disk has finished the requests of both directions
  double settled = 0;             ///< the time that Flight::left refers to
  bool isTouched = false;         ///< a task starts or ends now
  bool mayEnd = false;            ///< a task started, or `left` changed, since due tasks were completed
  bool mayBegin = true;           ///< a task ended since the lanes were last asked for tasks to start
};

/// Some runs of one section, one after the other.
struct RunRange {
  uint64_t begin = 0, end = 0;
};

/// The state of all ranks when the last run before `run` ends, with runs, tasks and times counted from there.
/// Every rank is settled.
class Moment {
public:
  /// `run` is one of `repeated`; `before`: tasks in the runs before it.
  Moment(const std::vector<RankState> &ranks, uint64_t run, const RunRange &repeated,
         const TaskCounts &before, double now);

  /// Equal but for rounding errors.
  bool isAlike(const Moment &other) const;
  uint64_t atRun() const { return run; }
  double time() const { return now; }

private:
  uint64_t run;
  double now;
  std::vector<uint64_t> counts;
  std::vector<double> times;
};

/// Moves the ranks ahead by `runs` runs of a section, each of which takes `period` seconds and ends in the
/// same state. `repeated`: all runs of the section; `tasks`: of one run.
void passRuns(std::vector<RankState> &ranks, uint64_t runs, double period, const RunRange &repeated,
              const TaskCounts &tasks);

} // namespace windlass::model
