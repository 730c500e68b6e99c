// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FarBackend.h - a device that the host cannot reach into ============//
//
// Duty: a Backend as a device with memory of its own has it: the addresses of its arena lie in pages that
// nobody may touch, its bytes elsewhere; only its copies, kernels and collectives know where. All work runs
// on streams, later than it was enqueued. Kernels are those of the CPU, so that the same plan gives the same
// bytes.
// Threads, errors: as Backend.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/backend/Backend.h"
#include <atomic>
#include <memory>

namespace windlass::test {

/// What its user wants of the far device, and sees of it. Outlives the backend.
struct FarDevice {
  bool hasStreams = true;
  bool holdsUntilAWait = false;         ///< no work is done before a stream has been told to wait for another
  uint64_t seed = 1;                    ///< of the delays before work
  int64_t failingLaunch = 0;            ///< which of all launches fails, counted from 1; 0: none
  double helperSeconds = 0;             ///< what its helpers say a launch takes of them
  std::atomic<int64_t> launches = 0;    ///< done or failed
  std::atomic<int64_t> copies = 0;      ///< both ways
  std::atomic<int64_t> collectives = 0; ///< per rank
  std::atomic<int64_t> waitsOnDevice = 0; ///< of a stream for another
  std::atomic<int64_t> pinnedArenas = 0;
};

std::unique_ptr<Backend> makeFarBackend(FarDevice &device);

} // namespace windlass::test
