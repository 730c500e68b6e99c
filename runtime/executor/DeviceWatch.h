// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceWatch.h - ends a run whose device hangs =========================//
//
// Duty: ends a run whose device hangs. A device hangs if instructions are enqueued on it, and for longer than
// any one instruction may take none is enqueued and none completes. The run then fails with the earliest of
// the incomplete instructions. A slow host is no hang: then the device has completed all that was enqueued.
// Units: seconds. Threads: one, while lanes run.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/RunState.h"
#include <chrono>

namespace windlass {

class DeviceWatch {
public:
  DeviceWatch(RunState &state, double mostSeconds) : state(state), mostSeconds(mostSeconds) {}

  /// Called before lanes run.
  void begin();
  /// Called repeatedly while lanes run; fails the run if the device hangs.
  void look();

private:
  using Clock = std::chrono::steady_clock;

  RunState &state;
  const double mostSeconds;
  uint64_t seen = 0; ///< of RunState::movesOnDevices
  Clock::time_point since;
};

} // namespace windlass
