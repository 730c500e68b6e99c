// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimTimeline.h - a device's streams, run by an adversary ============//
//
// Duty: streams as queues of operations, and the one thread that runs them. Which of the operations that may
// run does is drawn from a seed, under a policy. Marks are what events record: they are made when a program
// asks for them and complete when the stream has come by. Every operation carries a vector clock of what it
// is known to come after: its stream, marks it waited for, and what the host had seen complete when it
// enqueued it.
// With one thread that enqueues, a run is replayed by its seed.
// Threads: any; every function but the constructor and the destructor is called under the timeline's lock.
// Nothing is locked while work runs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Driver.h"
#include "test/support/cuda/SimClocks.h"
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace windlass::test {

enum class SimPolicy : uint8_t {
  Eager,          ///< operations run as soon as they may, in the order in which they were enqueued
  Lazy,           ///< only operations run that the host waits for, and those that these need
  OneStreamAhead, ///< once the host waits, some streams run as far as they can before others
  Random,
};
inline constexpr SimPolicy kSimPolicies[] = {SimPolicy::Eager, SimPolicy::Lazy, SimPolicy::OneStreamAhead,
                                             SimPolicy::Random};

/// A place in a stream.
struct SimMark {
  size_t stream = 0;
  bool isComplete = false;
  bool isUsed = false;     ///< waited for, or seen complete
  bool isDemanded = false; ///< the host has asked for it
  SimClock clock;          ///< of what it comes after
};
using SimMarkPointer = std::shared_ptr<SimMark>;

/// The outcome of an operation.
struct SimOutcome {
  std::vector<SimAccess> accesses;
  std::vector<SimViolation> violations;
  cuda::CuResult result = cuda::CuResult::Success; ///< else the context is dead
  bool neverEnds = false;
};

struct SimWork {
  std::string name;
  std::function<SimOutcome()> run;
  bool neverEnds = false;
};

class SimTimeline {
public:
  using Lock = std::unique_lock<std::mutex>;

  SimTimeline(SimPolicy policy, uint64_t seed, SimReport report);
  ~SimTimeline();

  Lock lock() { return Lock(mutex); }
  SimClocks &clocks() { return accesses; }

  /// A slow one runs only when no other can.
  size_t addStream(bool isSlow);
  void enqueue(size_t stream, SimWork work);
  SimMarkPointer mark(size_t stream);
  /// Assigns a mark that was promised before its stream was known to a stream. Before, no stream can complete
  /// it.
  void keep(size_t stream, const SimMarkPointer &mark);
  /// Completes a promised mark that no stream will make: whoever waits for it goes on.
  void fulfil(const SimMarkPointer &mark);
  void waitFor(size_t stream, const SimMarkPointer &mark);
  /// From `hold` to `letGo` a stream has a resource (`room`) that only one stream has at a time; others wait
  /// at their `hold`.
  void hold(size_t stream, int room);
  void letGo(size_t stream, int room);

  /// Whether all work of the stream has been done.
  bool isIdle(size_t stream) const { return streams[stream].queue.empty() && !streams[stream].isRunning; }
  /// The host asks whether a mark is complete. If it is, it precedes all later work of the host; if not, it
  /// is demanded.
  bool look(const SimMarkPointer &mark);
  /// The same for all that a stream has.
  bool lookAtAll(size_t stream);
  /// Until the mark is complete, or the context dead.
  void wait(Lock &lock, const SimMarkPointer &mark);
  /// The host reads or writes pinned memory.
  void touchFromHost(const SimAccess &access, const std::string &name);

  /// What killed the context; Success while it lives.
  cuda::CuResult failure() const { return dead; }

private:
  struct Operation {
    uint64_t serial = 0; ///< of all operations
    SimWork work;        ///< without a function: a mark is made, or waited for
    SimMarkPointer marks, awaits;
    std::optional<int> holds = {}, letsGo = {}; ///< rooms
    SimClock host = {};                         ///< of the host, as it was enqueued
  };
  struct Stream {
    std::deque<Operation> queue;
    SimClock clock;
    bool isRunning = false, isSlow = false;
    uint64_t favour = 0; ///< drawn: the highest runs ahead
  };

  void push(size_t stream, Operation operation);
  void serve();
  bool mayRun(const Stream &stream) const;
  /// The stream whose first operation runs next; none while nothing may.
  std::optional<size_t> choose();
  std::optional<size_t> firstNeeded();
  bool isHeld(const Operation &operation) const;
  std::optional<size_t> awaitedBy(size_t stream) const;
  std::optional<size_t> neededBy(const SimMarkPointer &mark) const;
  void noticeDeadlock();
  template <typename Rank> std::optional<size_t> best(Rank rank) const;
  void runFirst(Lock &lock, size_t stream);
  void finish(size_t stream, const Operation &operation, const SimOutcome &outcome);
  void forgetMet();

  SimPolicy policy;
  std::mt19937_64 random;
  SimReport report;
  std::mutex mutex;
  std::condition_variable changed; ///< queues, demands, marks
  SimClocks accesses;
  std::vector<Stream> streams; ///< [kSimHost] has no operations
  std::vector<SimMarkPointer> demands;
  std::map<int, size_t> rooms; ///< that are held, and by whom
  SimClock host;
  uint64_t operations = 0;
  cuda::CuResult dead = cuda::CuResult::Success;
  bool closing = false;
  std::thread thread; ///< last: uses all of the above
};

} // namespace windlass::test
