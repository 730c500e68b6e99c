// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LaneCounter.h - how far one lane of one rank is =======================//
//
// Duty: counts instructions of a lane that got somewhere, and lets others sleep until
// a given number is reached. A sleeper is woken once, when its number is reached:
// std::atomic's own wait yields before it sleeps and wakes at every change, and
// on busy cores both cost more than the instructions waited for.
// Threads: one publishes, any wait or stop; `reset` while none does either.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace windlass {

class LaneCounter {
public:
  void reset();
  void publish();
  uint32_t count() const { return value.load(std::memory_order_acquire) & ~kStopped; }
  bool hasReached(uint32_t target) const { return value.load(std::memory_order_acquire) >= target; }
  /// Sleeps until `target` instructions are complete; false if the run was stopped.
  bool waitFor(uint32_t target);
  void stop();

private:
  static constexpr uint32_t kStopped = uint32_t{1} << 31;
  static constexpr uint32_t kNobody = UINT32_MAX;

  std::atomic<uint32_t> value = 0; ///< changes under the mutex; read without it
  uint32_t nextTarget = kNobody;   ///< the lowest number that someone sleeps for
  std::mutex mutex;
  std::condition_variable reached;
};

} // namespace windlass
