// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RunState.h - how far every lane of every rank is ======================//
//
// Duty: the progress of every lane of every rank, as a counter of complete instructions, and the first
// failure of a run, which stops all lanes. A lane whose device has streams also counts the instructions that
// it has enqueued. Another such lane of the rank waits only for the enqueueing; its stream then waits on the
// device. If the backend asks for it, a rank exchanges one by one, in the plan's total order; in this order
// all ranks that meet reach their meetings (CheckMeetings.h).
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
  /// The runs of sections of a rank in this run of the plan.
  const Sequence &sequence(int64_t rank) const { return planned.programOf(rank).sequence(purpose); }
  StepHost &host() const { return *stepHost; }
  const BoundPlan &plan() const { return planned; }
  MeshTransport &transport() const { return ranks; }

  /// Complete instructions of a lane.
  LaneCounter &counter(int64_t rank, plan::Lane lane) { return progress(rank, lane).complete; }
  /// Enqueued instructions of a lane that has a stream.
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

  /// The earliest instruction that is enqueued on a device and not complete; null: there is none. Any thread.
  const BoundInstruction *oldestOnDevices() const;
  /// The number of instructions that were enqueued on devices, and of those that completed there, in all. Any
  /// thread.
  uint64_t movesOnDevices() const;

  /// The error of a device, with the earliest instruction that the device is not known to have completed. A
  /// device reports an error to whichever instruction is waited for first, and an earlier one may have caused
  /// it.
  Status explained(const BoundInstruction &bound, const Status &status) const;
  /// The first failure is kept; all lanes of all ranks are released.
  void fail(const BoundInstruction &bound, const Status &status);
  /// The same for a failure of no instruction.
  void fail(const Status &status);
  Status failure();

private:
  struct Progress {
    LaneCounter complete, enqueued;
    Stream *stream = nullptr; ///< null: instructions run on the host thread
  };
  using RankProgress = std::array<Progress, plan::kLanes>;

  bool waitForLane(int64_t rank, const BoundInstruction &bound, plan::Lane lane, uint32_t target);
  bool waitForTurn(int64_t rank, size_t run, const BoundInstruction &bound);
  /// A place in the plan's total order.
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
