// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LaneState.h - where the lanes of a step stand at a moment ===========//
//
// Duty: what the player (Player.h) knows of each rank and lane while it plays, and the question whether two
// moments are alike: then what follows is alike, too, and runs that are all the same need not all be played.
// Units: seconds since the step began; left: seconds of work. Ownership: values; tasks are the step's.
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
  double left = 0;   ///< seconds, if it were alone from now on
  double end = 0;    ///< of a request
  double weight = 0; ///< of a request: of the shared cores, from the end of the one before it to its own
};

struct LaneState {
  uint64_t run = 0;            ///< of the next task to start
  size_t place = 0;            ///< of that task among those of the lane in its run
  size_t reached = 0;          ///< of that task's waits, the first ones: they stay so
  size_t awaited = 0;          ///< the lane that the first wait behind those is for
  uint64_t awaitedTasks = 0;   ///< that must be complete on it; 0: nobody has asked since that task is next
  uint64_t completed = 0;      ///< tasks, since the step began
  std::vector<Flight> flights; ///< the oldest first
  double linkFree = 0;         ///< disk: when the last byte of the last request has passed
};

struct RankState {
  size_t program = 0; ///< what it runs: index into TimedStep::programs
  std::array<LaneState, kLanes> lanes;
  std::array<double, kLanes> slowdown{}; ///< of what is under way, since `settled`
  uint64_t completeRuns = 0;             ///< all runs before this one are complete
  std::array<uint32_t, 2> open{};        ///< tasks left of that run and of the next, by the run's parity
  double diskFree = 0;                   ///< when the disk has done all requests of both directions
  double settled = 0;                    ///< up to when `left` counts what has been done
  bool isTouched = false;                ///< something starts or ends now
  bool mayEnd = false;                   ///< something started or was settled since what is due was completed
  bool mayBegin = true;                  ///< something ended since its own lanes were last asked for tasks
};

/// Some runs of one section, one after the other.
struct RunRange {
  uint64_t begin = 0, end = 0;
};

/// Where all ranks stand when the last run before `run` ends, counted from there. Every rank is settled.
class Moment {
public:
  /// `run` is one of `repeated`; `before`: tasks in the runs before it.
  Moment(const std::vector<RankState> &ranks, uint64_t run, const RunRange &repeated,
         const TaskCounts &before, double now);

  /// But for what rounding leaves over.
  bool isAlike(const Moment &other) const;
  uint64_t atRun() const { return run; }
  double time() const { return now; }

private:
  uint64_t run;
  double now;
  std::vector<uint64_t> counts;
  std::vector<double> times;
};

/// As the ranks will stand `runs` runs of a section later, where every run takes `period` and ends alike.
/// `repeated`: the runs of that section; `tasks`: of one of them.
void passRuns(std::vector<RankState> &ranks, uint64_t runs, double period, const RunRange &repeated,
              const TaskCounts &tasks);

} // namespace windlass::model
