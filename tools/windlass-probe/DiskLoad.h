// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DiskLoad.h - rates of a disk with full queues =========================//
//
// Duty: measures the bytes per second through one queue of a file, or through both at once.
// Units: bytes, seconds. Errors: those of the queues.
// Threads: one. Ownership: refers to queues and memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/tiers/NvmeQueue.h"
#include <initializer_list>
#include <span>

namespace windlass {

class DiskLoad {
public:
  /// `memory`: of `inFlight` blocks for each of two queues. `seconds`: for each measurement.
  DiskLoad(int64_t fileBytes, std::span<std::byte> memory, int64_t inFlight, double seconds)
      : fileBytes(fileBytes), memory(memory), inFlight(inFlight), seconds(seconds) {}

  /// The rate of these queues together. They are kept full and do equal work: the whole file at least once,
  /// then until the time is up.
  Result<double> rate(std::initializer_list<NvmeQueue *> queues, int64_t blockBytes);
  /// The requests of all measurements.
  int64_t requests() const { return done; }

private:
  int64_t fileBytes;
  std::span<std::byte> memory;
  int64_t inFlight, done = 0;
  double seconds;
};

} // namespace windlass
