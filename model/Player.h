// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Player.h - the clock: when the tasks of a step start and end ==========//
//
// Duty: plays a step. A step is a program, or several side by side; a program is a schedule of sections, and
// a section a list of timed tasks; the player knows neither plans nor IR. The planner plays layouts on this
// clock (passes/Flow/layout/SimulateLayout.h) and the simulator plays plans on it (Simulator.h), so that a
// plan takes what it was chosen for. The rules: a lane runs its tasks in order, one at a time, but requests
// to the disk several at once; a task starts when what it waits for is complete; a run of a section may start
// while the run before it goes on, but not before the run two places back is complete; a collective starts
// when all ranks of its program are there or, in a tensor-parallel group, when that group is there; a meeting
// of several programs starts when the ranks of all of these programs are there. Lanes that share cores slow
// each other down, and so do both ways to the disk and two collectives on one link. Units: seconds since the
// step began. Deterministic. Threads: pure functions. Errors: BadInput for a step whose waits never come
// true.
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
/// TimedTask::channel: the task is no meeting of several programs.
inline constexpr int64_t kNoMeeting = -1;
/// TimedTask::channel: a collective of a tensor-parallel group. Its ranks lie at one data place and are one
/// rank of the player, so that it waits for no other rank.
inline constexpr int64_t kAtOnePlace = -2;
/// TimedWait::before: the wait is for tasks of the same run.
inline constexpr int64_t kSameRun = -1;

/// Requests to the disk take at most this share of shared cores, or of the host's memory, from other tasks: a
/// fair scheduler gives the threads of the disk no more.
inline constexpr double kMostForRequests = 0.5;

/// A task starts after `ordinal` tasks of a lane are complete, counted from 1 in the task's own run. With
/// `before`, tasks are counted in the previous run; if that is no run of section `before`, the task does not
/// wait.
struct TimedWait {
  plan::Lane lane = plan::Lane::Compute;
  uint32_t ordinal = 0;
  int64_t before = kSameRun;
};

struct TimedTask {
  plan::Lane lane = plan::Lane::Compute;
  double seconds = 0;       ///< if nothing else runs, on a rank that runs the task
  double requestWork = 0;   ///< disk requests: seconds of the rank's shared cores, besides `seconds`
  RateId link = RateId::Gg; ///< collectives: the link that limits their rate
  int64_t owner =
      kAllRanks; ///< the rank of the program that runs the task; on other ranks the task takes no time
  int64_t channel = kNoMeeting; ///< index into TimedStep::channels: the task starts with a task of every end
  std::vector<TimedWait> waits = {};
};

/// Tasks in program order. Each lane runs its tasks in this order.
struct TimedSection {
  std::string name; ///< for messages
  std::vector<TimedTask> tasks;
};

struct TimedProgram {
  std::vector<TimedSection> sections;
  std::vector<plan::SectionRuns> schedule; ///< what runs, in this order
  int64_t ranks = 1; ///< data ranks; 1 if no task has an owner: one rank then stands for all
};

/// A channel between programs, with one lane in each. The nth task of the channel in a program meets the nth
/// task in every other program.
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
  /// By rank, from the ranks of the first program on: the tasks of every run, one run after the other. Empty
  /// without Spans::Kept.
  std::vector<std::vector<TimeSpan>> spans;
};

enum class Spans : uint8_t { Forgotten, Kept };

Result<PlayedTasks> play(const TimedStep &step, Spans spans);

} // namespace windlass::model
