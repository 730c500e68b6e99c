// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimDevice.h - the interface of a simulated device for libraries ====//
//
// Duty: the seam between the simulated driver and NVIDIA's simulated libraries, which may live in shared
// objects of their own: they reach the driver's object through this interface alone. Threads: any. Ownership:
// a library never outlives the driver.
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

  /// What a library runs on the device, over the allocations that are there then: those of the stream's
  /// device, or of all.
  using LibraryWork = std::function<SimOutcome(std::span<const SimRegion>)>;

  /// Holds a call of a library against the rules of the driver's own: the thread has entered the context, and
  /// nothing is made after the first launch on a stream.
  virtual cuda::CuResult checkLibraryCall(const char *call, bool makesSomething) = 0;
  virtual cuda::CuResult enqueueLibrary(cuda::CuStream stream, const std::string &name, LibraryWork work,
                                        bool reachesAll = false) = 0;
  /// The device that the calling thread has entered.
  virtual int enteredDevice() = 0;
  /// Marks, as in SimTimeline.h, of work in which several devices take part.
  virtual void keep(cuda::CuStream stream, const SimMarkPointer &mark) = 0;
  virtual void waitFor(cuda::CuStream stream, const SimMarkPointer &mark) = 0;
  virtual void fulfil(const SimMarkPointer &mark) = 0;
  /// What fills the stream's device, so that no other such work begins there before its end.
  virtual void beginAlone(cuda::CuStream stream) = 0;
  virtual void endAlone(cuda::CuStream stream) = 0;
  virtual bool strikes(SimFaultKind kind) = 0;
  virtual void report(SimRule rule, const std::string &what) = 0;
  /// Tells that a group of NCCL's was aborted.
  virtual void countAbort() = 0;
};

/// The device of this process; null: there is none.
SimDevice *simDevice();

/// Of the allocations the one that has all these bytes; null: none has.
const SimRegion *regionOf(std::span<const SimRegion> regions, uint64_t address, uint64_t bytes);

/// The bytes of an operand of a library's call, which is read, written or both. Null, and a violation in the
/// outcome, where they are no part of one allocation, or read and never written.
std::byte *touchOperand(std::span<const SimRegion> regions, uint64_t address, uint64_t bytes, bool reads,
                        bool writes, const std::string &what, SimOutcome &outcome);

} // namespace windlass::test
