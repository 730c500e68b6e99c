// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimFaults.h - what goes wrong on a simulated device, when told ======//
//
// Duty: counts the occasions on which a fault of some kind may strike, and says when it does.
// Threads: the caller locks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace windlass::test {

enum class SimFaultKind : uint8_t {
  OutOfMemory,    ///< occasions: allocations
  PinningRefused, ///< registrations of host memory
  LaunchFailed,   ///< kernels that run; the context is dead from then on, as of the next three
  IllegalAddress, ///< kernels that run
  MemoryError,    ///< kernels that run: an error that the memory's code cannot correct
  DeviceLost,     ///< operations of any kind that run
  NoJit,          ///< modules
  OldDriver,      ///< questions for its version
  NoDevice,       ///< counts of devices
  SlowStream,     ///< streams that are made: it runs only when nothing else can
  HungStream,     ///< kernels: this one never ends
  NcclFailed,     ///< groups of NCCL's calls: this one never ends, and NCCL says so when asked
};
inline constexpr size_t kSimFaultKinds = static_cast<size_t>(SimFaultKind::NcclFailed) + 1;

struct SimFault {
  SimFaultKind kind;
  int64_t at = 1; ///< on which occasion, counted from 1

  /// One of the first so many occasions.
  static SimFault bySeed(SimFaultKind kind, uint64_t seed, int64_t occasions);
};

class SimFaults {
public:
  explicit SimFaults(std::vector<SimFault> faults = {}) : faults(std::move(faults)) {}
  /// Counts an occasion.
  bool strikes(SimFaultKind kind);

private:
  std::vector<SimFault> faults;
  std::array<int64_t, kSimFaultKinds> occasions{};
};

} // namespace windlass::test
