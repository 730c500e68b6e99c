//===- RunState.h - how far every lane of every rank is ===================//
//
// Duty: one counter per rank and lane, which is all that lanes know of each
// other, and the first failure, which stops them all.
// Threads: any; `begin` while no lane runs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Program.h"
#include <atomic>
#include <mutex>

namespace windlass {

/// Instructions of one lane that are complete since the run began.
class LaneCounter {
public:
  void reset() { value.store(0); }
  void publish() {
    value.fetch_add(1);
    value.notify_all();
  }
  /// Sleeps until `target` instructions are complete; false if the run was stopped.
  bool waitFor(uint32_t target) const {
    for (uint32_t seen = value.load();; seen = value.load()) {
      if (seen & kStopped)
        return false;
      if (seen >= target)
        return true;
      value.wait(seen);
    }
  }
  void stop() {
    value.fetch_or(kStopped);
    value.notify_all();
  }

private:
  static constexpr uint32_t kStopped = uint32_t{1} << 31;
  std::atomic<uint32_t> value = 0;
};

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
