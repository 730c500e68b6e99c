// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RunState.h - how far every lane of every rank is ===================//
//
// Duty: one counter per rank and lane, which is all that lanes know of each
// other, and the first failure, which stops them all. A lane whose device has
// streams also counts what it has enqueued: another such lane of the rank need
// not wait for the end of that, its stream can. Where the device wants it, what a rank exchanges goes one by
// one, in the plan's total order, in which all ranks that meet are known to come to an end (CheckMeetings.h).
// Threads: any; `begin` while no lane runs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/BoundPlan.h"
#include "runtime/executor/LaneCounter.h"
#include "runtime/executor/LaneStreams.h"
#include "runtime/transport/MeshTransport.h"
#include <atomic>
#include <mutex>
#include <string>

namespace windlass {

class RunState {
public:
  RunState(const BoundPlan &bound, MeshTransport &transport, Storage &storage, const LaneStreams &streams,
           bool exchangesOneByOne);

  void begin(plan::Purpose next, StepHost &host);
  /// What a rank runs.
  const Sequence &sequence(int64_t rank) const { return planned.programOf(rank).sequence(purpose); }
  StepHost &host() const { return *stepHost; }
  const BoundPlan &plan() const { return planned; }
  MeshTransport &transport() const { return ranks; }

  /// Complete instructions of a lane.
  LaneCounter &counter(int64_t rank, plan::Lane lane) { return progress(rank, lane).complete; }
  /// Those a lane has enqueued, where it has a stream.
  LaneCounter &enqueued(int64_t rank, plan::Lane lane) { return progress(rank, lane).enqueued; }
  Stream *stream(int64_t rank, plan::Lane lane) { return progress(rank, lane).stream; }

  /// Sleeps until everything the instruction waits for is complete or, if both lanes have streams, until its
  /// stream waits for that. If a rank exchanges one by one, an exchange also waits for the earlier exchanges
  /// of the rank. False: the run was stopped.
  bool waitForInputs(int64_t rank, size_t run, const BoundInstruction &bound);
  /// Sleeps until every section before `run` - 1 is complete on the rank.
  bool waitForSection(int64_t rank, size_t run);

  /// The earliest instruction of the first rank that is not complete: "rank 2, gg 3 (...)"; or "the end of a
  /// step". Any thread.
  std::string whereabouts() const;

  /// The earliest instruction that a device was given and has not come to the end of; null: there is none.
  /// Any thread.
  const BoundInstruction *oldestOnDevices() const;
  /// How many instructions devices were given, and how many they came to the end of, in all. Any thread.
  uint64_t movesOnDevices() const;

  /// Of an error that a device had for whoever waits for the instruction: it says so to the first that asks,
  /// whatever it failed at.
  Status explained(const BoundInstruction &bound, const Status &status) const;
  /// The first failure is kept; all lanes of all ranks are released.
  void fail(const BoundInstruction &bound, const Status &status);
  /// The same for a failure of no instruction.
  void fail(const Status &status);
  Status failure();

private:
  struct Progress {
    LaneCounter complete, enqueued;
    Stream *stream = nullptr; ///< null: nothing is enqueued, an instruction is run
  };
  using RankProgress = std::array<Progress, plan::kLanes>;

  bool waitForLane(int64_t rank, const BoundInstruction &bound, plan::Lane lane, uint32_t target);
  bool waitForTurn(int64_t rank, size_t run, const BoundInstruction &bound);
  /// In the order of the plan.
  struct Place {
    size_t run = 0;
    const BoundInstruction *bound = nullptr; ///< null: the end
  };
  template <typename Counts> Place oldest(int64_t rank, Counts counts) const;
  RankProgress &lanesOf(int64_t rank) { return lanes[planned.ranks().placeOf(rank)]; }
  Progress &progress(int64_t rank, plan::Lane lane) { return lanesOf(rank)[static_cast<size_t>(lane)]; }

  const BoundPlan &planned;
  MeshTransport &ranks;
  Storage &storage;
  const bool exchangesOneByOne;
  std::atomic<plan::Purpose> purpose = plan::Purpose::Train;
  StepHost *stepHost = nullptr;
  std::vector<RankProgress> lanes; ///< by place of the rank
  std::mutex mutex;
  Status first;
};

} // namespace windlass
