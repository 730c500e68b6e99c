// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/LaneCounter.h"
#include <algorithm>

namespace windlass {

void LaneCounter::reset() {
  value = 0;
  nextTarget = kNobody;
}

void LaneCounter::publish() {
  {
    std::lock_guard lock(mutex);
    value.store(value.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    if (value.load(std::memory_order_relaxed) < nextTarget)
      return;
    nextTarget = kNobody; // whoever goes on sleeping says so again
  }
  reached.notify_all();
}

bool LaneCounter::waitFor(uint32_t target) {
  uint32_t seen = value.load(std::memory_order_acquire);
  if (seen < target) {
    std::unique_lock lock(mutex);
    while ((seen = value.load(std::memory_order_relaxed)) < target) {
      nextTarget = std::min(nextTarget, target);
      reached.wait(lock);
    }
  }
  return !(seen & kStopped);
}

void LaneCounter::stop() {
  {
    std::lock_guard lock(mutex);
    value = value.load() | kStopped;
  }
  reached.notify_all();
}

} // namespace windlass
