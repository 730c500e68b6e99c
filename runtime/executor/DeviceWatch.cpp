// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/DeviceWatch.h"
#include "runtime/base/DeviceTimeout.h"

namespace windlass {

void DeviceWatch::begin() {
  seen = 0;
  since = Clock::now();
}

void DeviceWatch::look() {
  const Clock::time_point now = Clock::now();
  const BoundInstruction *waiting = state.oldestOnDevices();
  if (const uint64_t moves = state.movesOnDevices(); moves != seen || !waiting) {
    seen = moves;
    since = now;
  } else if (std::chrono::duration<double>(now - since).count() > mostSeconds)
    state.fail(*waiting, deviceHangs(mostSeconds));
}

} // namespace windlass
