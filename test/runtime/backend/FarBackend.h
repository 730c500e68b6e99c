// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FarBackend.h - a device whose memory the host cannot reach ============//
//
// Duty: a Backend that behaves like a device with memory of its own. The addresses of its arenas lie in pages
// without access; the bytes lie elsewhere, and only the copies, kernels and collectives of the backend find
// them. Work runs on streams, later than it was enqueued, unless the device has no streams. The kernels are
// those of the CPU, so that a plan gives the same bytes on both.
// Threads, errors: as Backend.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/backend/Backend.h"
#include <atomic>
#include <memory>

namespace windlass::test {

/// Settings and counters of the far device. They outlive the backend.
struct FarDevice {
  bool hasStreams = true;
  bool holdsUntilAWait = false;           ///< no work runs before a stream has been told to wait for another
  uint64_t seed = 1;                      ///< of the delays before work
  int64_t failingLaunch = 0;              ///< the number of the launch that fails, from 1; 0: none
  double helperSeconds = 0;               ///< of helper threads, which each launch reports
  std::atomic<int64_t> launches = 0;      ///< that ran or failed
  std::atomic<int64_t> copies = 0;        ///< in both directions
  std::atomic<int64_t> collectives = 0;   ///< counted once per rank
  std::atomic<int64_t> waitsOnDevice = 0; ///< of one stream for another
  std::atomic<int64_t> pinnedArenas = 0;
};

std::unique_ptr<Backend> makeFarBackend(FarDevice &device);

} // namespace windlass::test
