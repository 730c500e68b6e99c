// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimTimeline.h - a device's streams, run by an adversary ===============//
//
// Duty: streams as queues of operations, and the one thread that runs them. A seed decides, under a policy,
// which of the operations that may run does. Events record marks. A call makes a mark, which is complete when
// its stream has come to it. Every operation carries a vector clock of what is known to come before it: the
// work of its stream, the marks that it waited for, and the operations that the host had seen complete when
// it enqueued it.
// If one thread enqueues, a seed replays a run.
// Threads: any; every function but the constructor and the destructor is called under the timeline's lock.
// The lock is free while work runs.
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
  bool isUsed = false;     ///< a stream waits for it, or the host has asked for it
  bool isDemanded = false; ///< the host has asked for it before it was complete
  SimClock clock;          ///< of the work before it
};
using SimMarkPointer = std::shared_ptr<SimMark>;

/// The outcome of an operation.
struct SimOutcome {
  std::vector<SimAccess> accesses;
  std::vector<SimViolation> violations;
  cuda::CuResult result = cuda::CuResult::Success; ///< other results end the context
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

  /// Adds a stream. A slow stream runs only when no other can.
  size_t addStream(bool isSlow);
  void enqueue(size_t stream, SimWork work);
  SimMarkPointer mark(size_t stream);
  /// Assigns a mark, which was promised before its stream was known, to a stream. Until then, no stream can
  /// complete the mark.
  void keep(size_t stream, const SimMarkPointer &mark);
  /// Completes a promised mark that was assigned to no stream. Whoever waits for it goes on.
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
  /// As look(), for all operations of a stream.
  bool lookAtAll(size_t stream);
  /// Waits until the mark is complete, or the context is dead.
  void wait(Lock &lock, const SimMarkPointer &mark);
  /// The host reads or writes pinned memory.
  void touchFromHost(const SimAccess &access, const std::string &name);

  /// The result that ended the context; Success while it lives.
  cuda::CuResult failure() const { return dead; }

private:
  struct Operation {
    uint64_t serial = 0; ///< its number among all operations
    SimWork work;        ///< without a function: a mark or a resource
    SimMarkPointer marks, awaits;
    std::optional<int> holds = {}, letsGo = {}; ///< rooms
    SimClock host = {};                         ///< the clock of the host when it enqueued the operation
  };
  struct Stream {
    std::deque<Operation> queue;
    SimClock clock;
    bool isRunning = false, isSlow = false;
    uint64_t favour = 0; ///< drawn; the stream with the highest runs ahead
  };

  void push(size_t stream, Operation operation);
  void serve();
  bool mayRun(const Stream &stream) const;
  /// The stream whose first operation runs next; nothing while none may.
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
  std::map<int, size_t> rooms; ///< the held rooms, and the streams that hold them
  SimClock host;
  uint64_t operations = 0;
  cuda::CuResult dead = cuda::CuResult::Success;
  bool closing = false;
  std::thread thread; ///< last: uses all of the above
};

} // namespace windlass::test
