// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Player.h - the clock: when the tasks of a step start and end ========//
//
// Duty: plays a step. A step is a program, or several side by side; a program is a schedule of sections, and
// a section a list of timed tasks; the player knows neither plans nor IR. The planner plays layouts on this
// clock (passes/Flow/layout/SimulateLayout.h) and the simulator plays plans on it (Simulator.h), so that a
// plan takes what it was chosen for. The rules: a lane runs its tasks in order, one at a time, but requests
// to the disk several at once; a task starts when what it waits for is complete; a run of a section may start
// while the run before it goes on, but not before the run two places back is complete; a collective starts
// when all ranks of its program are there, or those of its place along the axes of data, and a meeting of
// several programs when the ranks of all of these are. Lanes that share cores slow each other down, and so do
// both ways to the disk and two collectives on one link. Units: seconds since the step began. Deterministic.
// Threads: pure functions. Errors: BadInput for a step whose waits never come true.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/InstructionTime.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Plan.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace windlass::model {

inline constexpr size_t kLanes = plan::kLanes;

/// A task of this owner runs on every rank.
inline constexpr int64_t kAllRanks = plan::kEveryRank;
/// Of a task: its program's ranks need no other program for it.
inline constexpr int64_t kNoMeeting = -1;
/// Of a collective: it runs over ranks at one place along the axes of data, which are as one here.
inline constexpr int64_t kAtOnePlace = -2;
/// Of a wait: it is for tasks of the same run.
inline constexpr int64_t kSameRun = -1;

/// A task starts after `ordinal` tasks of a lane are complete, counted from 1 in the task's own run; or in
/// the run just before, where that is a run of section `before`, and else the task does not wait.
struct TimedWait {
  plan::Lane lane = plan::Lane::Compute;
  uint32_t ordinal = 0;
  int64_t before = kSameRun;
};

struct TimedTask {
  plan::Lane lane = plan::Lane::Compute;
  double seconds = 0;       ///< alone, on a rank that runs it
  double requestWork = 0;   ///< to or from the disk: seconds of the rank's shared cores, beside those
  RateId link = RateId::Gg; ///< collectives: which binds them
  int64_t owner =
      kAllRanks; ///< the one rank that runs it, of those of its program; on others it takes no time
  int64_t channel = kNoMeeting; ///< index into TimedStep::channels: it starts with a task of each of its ends
  std::vector<TimedWait> waits = {};
};

/// Tasks in one order; each lane runs its own in this order.
struct TimedSection {
  std::string name; ///< for messages
  std::vector<TimedTask> tasks;
};

struct TimedProgram {
  std::vector<TimedSection> sections;
  std::vector<plan::SectionRuns> schedule; ///< what runs, in this order
  int64_t ranks = 1; ///< those of data; 1 where no task has an owner: one rank then stands for all
};

/// What programs exchange on one lane each: the first task of the channel in each of them meets the first in
/// the others, the second the second, and so on.
struct TimedChannel {
  struct End {
    size_t program = 0;
    plan::Lane lane = plan::Lane::Gg;
  };
  std::vector<End> ends;
};

struct TimedStep {
  std::vector<TimedProgram> programs = std::vector<TimedProgram>(1);
  std::vector<TimedChannel> channels;
  /// Of each lane: seconds of its rank's shared cores per second; 0: it has hardware of its own.
  std::array<double, kLanes> sharedWeight{};
  int64_t nvmeDepth = 1; ///< requests under way in each direction
  double nvmeLatency = 0;
  double nvmeDuplex = 2; ///< see Machine::nvmeDuplex
};

/// A step without sections on the links and cores of a machine.
TimedStep stepOn(const Machine &machine);
/// A task that waits for nothing.
TimedTask taskOf(const Machine &machine, const InstructionWork &work);

struct TimeSpan {
  double start = 0, end = 0;
};

struct PlayedTasks {
  double seconds = 0; ///< until all is complete
  /// By rank, those of the first program first: the tasks of every run, one run after the other. Empty where
  /// they are not asked for.
  std::vector<std::vector<TimeSpan>> spans;
};

enum class Spans : uint8_t { Forgotten, Kept };

Result<PlayedTasks> play(const TimedStep &step, Spans spans);

} // namespace windlass::model
