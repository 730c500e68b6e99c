// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceWatch.h - ends a run whose device hangs ======================//
//
// Duty: finds that a device comes to the end of nothing that it was given, for longer than any one
// instruction may take, and ends the run by the first of what it does not come to the end of. What is
// enqueued waits for what was enqueued before, so a host that is slow looks otherwise: then nothing is left
// that it was given. Units: seconds. Threads: one, while lanes run.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/RunState.h"
#include <chrono>

namespace windlass {

class DeviceWatch {
public:
  DeviceWatch(RunState &state, double mostSeconds) : state(state), mostSeconds(mostSeconds) {}

  /// Before lanes run.
  void begin();
  /// Now and then, while they do.
  void look();

private:
  using Clock = std::chrono::steady_clock;

  RunState &state;
  const double mostSeconds;
  uint64_t seen = 0; ///< of RunState::movesOnDevices
  Clock::time_point since;
};

} // namespace windlass
