// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimDevice.h - the interface of a simulated device for libraries =======//
//
// Duty: the interface between the simulated driver and NVIDIA's simulated libraries. The libraries may live
// in shared objects of their own, and reach the driver's object through this interface alone. Threads: any.
// Ownership: a library never outlives the driver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/cuda/SimFaults.h"
#include "test/support/cuda/SimMemory.h"
#include "test/support/cuda/SimTimeline.h"
#include <span>
#include <string>

namespace windlass::test {

class SimDevice {
public:
  virtual ~SimDevice() = default;

  /// The work of a library on the device. The regions are the allocations at that time: those of the stream's
  /// device, or of all devices.
  using LibraryWork = std::function<SimOutcome(std::span<const SimRegion>)>;

  /// Checks a call of a library by the rules of the driver's own calls: the thread has entered the context,
  /// and nothing is made after the first launch on a stream.
  virtual cuda::CuResult checkLibraryCall(const char *call, bool makesSomething) = 0;
  virtual cuda::CuResult enqueueLibrary(cuda::CuStream stream, const std::string &name, LibraryWork work,
                                        bool reachesAll = false) = 0;
  /// The device that the calling thread has entered.
  virtual int enteredDevice() = 0;
  /// Marks, as in SimTimeline.h, for work in which several devices take part.
  virtual void keep(cuda::CuStream stream, const SimMarkPointer &mark) = 0;
  virtual void waitFor(cuda::CuStream stream, const SimMarkPointer &mark) = 0;
  virtual void fulfil(const SimMarkPointer &mark) = 0;
  /// Begins or ends work that fills the stream's device: no other such work begins there before its end.
  virtual void beginAlone(cuda::CuStream stream) = 0;
  virtual void endAlone(cuda::CuStream stream) = 0;
  virtual bool strikes(SimFaultKind kind) = 0;
  virtual void report(SimRule rule, const std::string &what) = 0;
  /// Records that a group of NCCL was aborted.
  virtual void countAbort() = 0;
};

/// The device of this process; null if there is none.
SimDevice *simDevice();

/// The allocation that contains all these bytes; null if there is none.
const SimRegion *regionOf(std::span<const SimRegion> regions, uint64_t address, uint64_t bytes);

/// The bytes of an operand of a library's call, which is read, written or both. Returns null, with a
/// violation in the outcome, if they are no part of one allocation. A read of unwritten bytes is a violation,
/// too.
std::byte *touchOperand(std::span<const SimRegion> regions, uint64_t address, uint64_t bytes, bool reads,
                        bool writes, const std::string &what, SimOutcome &outcome);

} // namespace windlass::test
