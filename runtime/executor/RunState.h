//===- RunState.h - how far every lane of every rank is ===================//
//
// Duty: one counter per rank and lane, which is all that lanes know of each
// other, and the first failure, which stops them all.
// Threads: any; `begin` while no lane runs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/LaneCounter.h"
#include "runtime/executor/Program.h"
#include <mutex>

namespace windlass {

class RunState {
public:
  RunState(const Program &program, Transport &transport, Storage &storage);

  void begin(const Sequence &next, StepHost &host);
  const Sequence &sequence() const { return *current; }
  StepHost &host() const { return *stepHost; }
  const Program &program() const { return planned; }
  Transport &transport() const { return ranks; }

  LaneCounter &counter(int64_t rank, plan::Lane lane) { return counters[rank][static_cast<size_t>(lane)]; }
  /// Sleeps until everything the instruction waits for is complete; false if the run was stopped.
  bool waitForInputs(int64_t rank, size_t run, const plan::Instruction &instruction);
  /// Sleeps until every section before `run` - 1 is complete on the rank.
  bool waitForSection(int64_t rank, size_t run);

  /// The first failure is kept; all lanes of all ranks are released.
  void fail(int64_t rank, const BoundInstruction &bound, const Status &status);
  Status failure();

private:
  const Program &planned;
  Transport &ranks;
  Storage &storage;
  const Sequence *current = nullptr;
  StepHost *stepHost = nullptr;
  std::vector<std::array<LaneCounter, plan::kLanes>> counters;
  std::mutex mutex;
  Status first;
};

} // namespace windlass
