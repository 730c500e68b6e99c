// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FarStream.h - a stream with a thread of its own =======================//
//
// Duty: the Stream of the far device. A thread runs the enqueued work in order, some time later. Marks lie in
// a ring of `depth` slots, like events in a ring: a wait for a mark whose slot has been marked again is a
// wait for the newer mark.
// Threads, errors: as Stream.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/tiers/Stream.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace windlass::test {

class FarStream final : public Stream {
public:
  using Work = std::function<Status()>;

  /// `idle` runs before each piece of work, so that tests can delay the work. `waits` counts the calls of
  /// startAfter().
  FarStream(int64_t depth, std::function<void()> idle, std::atomic<int64_t> &waits);
  ~FarStream() override;

  void enqueue(Work work);
  Status mark(uint32_t count) override;
  Status startAfter(Stream &other, uint32_t count) override;
  Status finish(uint32_t count) override;
  void stop() override;

private:
  /// The number of marks that the work has passed. It outlives the stream, since other streams wait for it.
  struct Reached {
    std::mutex mutex;
    std::condition_variable grown;
    uint64_t marks = 0;
    Status failure;
    bool isStopped = false; ///< the host waits no longer
    void waitFor(uint64_t target);
    /// Blocks the host until the work has passed the mark, and returns the error of the work.
    Status finish(uint64_t target);
  };
  void serve();
  uint64_t marked(uint32_t count);

  std::mutex mutex;
  std::condition_variable posted;
  std::deque<Work> queue;
  bool closing = false;
  std::vector<uint64_t> ring; ///< per slot, the number of its newest mark
  uint64_t marks = 0;
  std::shared_ptr<Reached> reached = std::make_shared<Reached>();
  std::function<void()> idle;
  std::atomic<int64_t> &waits;
  std::thread thread;
};

} // namespace windlass::test
