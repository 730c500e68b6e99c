// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RunState.h - how far every lane of every rank is ===================//
//
// Duty: one counter per rank and lane, which is all that lanes know of each
// other, and the first failure, which stops them all. A lane whose device has
// streams also counts what it has enqueued: another such lane of the rank need
// not wait for the end of that, its stream can.
// Threads: any; `begin` while no lane runs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/LaneCounter.h"
#include "runtime/executor/LaneStreams.h"
#include "runtime/executor/Program.h"
#include "runtime/transport/MeshTransport.h"
#include <mutex>

namespace windlass {

class RunState {
public:
  RunState(const Program &program, MeshTransport &transport, Storage &storage, const LaneStreams &streams);

  void begin(const Sequence &next, StepHost &host);
  const Sequence &sequence() const { return *current; }
  StepHost &host() const { return *stepHost; }
  const Program &program() const { return planned; }
  MeshTransport &transport() const { return ranks; }

  /// Complete instructions of a lane.
  LaneCounter &counter(int64_t rank, plan::Lane lane) { return progress(rank, lane).complete; }
  /// Those a lane has enqueued, where it has a stream.
  LaneCounter &enqueued(int64_t rank, plan::Lane lane) { return progress(rank, lane).enqueued; }
  Stream *stream(int64_t rank, plan::Lane lane) { return progress(rank, lane).stream; }

  /// Sleeps until everything the instruction waits for is complete, or, where both lanes have streams, until
  /// its stream waits for that. False if the run was stopped.
  bool waitForInputs(int64_t rank, size_t run, const BoundInstruction &bound);
  /// Sleeps until every section before `run` - 1 is complete on the rank.
  bool waitForSection(int64_t rank, size_t run);

  /// The first failure is kept; all lanes of all ranks are released.
  void fail(int64_t rank, const BoundInstruction &bound, const Status &status);
  Status failure();

private:
  struct Progress {
    LaneCounter complete, enqueued;
    Stream *stream = nullptr; ///< null: nothing is enqueued, an instruction is run
  };
  using RankProgress = std::array<Progress, plan::kLanes>;

  Progress &progress(int64_t rank, plan::Lane lane) { return lanes[rank][static_cast<size_t>(lane)]; }

  const Program &planned;
  MeshTransport &ranks;
  Storage &storage;
  const Sequence *current = nullptr;
  StepHost *stepHost = nullptr;
  std::vector<RankProgress> lanes;
  std::mutex mutex;
  Status first;
};

} // namespace windlass
