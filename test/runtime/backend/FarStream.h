// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FarStream.h - a stream that is a thread ============================//
//
// Duty: the Stream of the far device: its own thread does what was enqueued, in order and some time later.
// Marks are kept in a ring of `depth`, as a ring of events would keep them: where a mark is made anew, who
// waits for the old one waits for the new one.
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

  /// `idle` runs before all work: tests delay it there. `waits` counts those for other streams.
  FarStream(int64_t depth, std::function<void()> idle, std::atomic<int64_t> &waits);
  ~FarStream() override;

  void enqueue(Work work);
  Status mark(uint32_t count) override;
  Status startAfter(Stream &other, uint32_t count) override;
  Status finish(uint32_t count) override;
  void stop() override;

private:
  /// How many marks the work has come by; outlives the stream, for others that wait for it.
  struct Reached {
    std::mutex mutex;
    std::condition_variable grown;
    uint64_t marks = 0;
    Status failure;
    bool isStopped = false; ///< nobody of the host waits any more
    void waitFor(uint64_t target);
    /// Of the host: how the work came out.
    Status finish(uint64_t target);
  };
  void serve();
  uint64_t marked(uint32_t count);

  std::mutex mutex;
  std::condition_variable posted;
  std::deque<Work> queue;
  bool closing = false;
  std::vector<uint64_t> ring; ///< per slot, which of all marks was made there last
  uint64_t marks = 0;
  std::shared_ptr<Reached> reached = std::make_shared<Reached>();
  std::function<void()> idle;
  std::atomic<int64_t> &waits;
  std::thread thread;
};

} // namespace windlass::test
