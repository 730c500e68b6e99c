// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Implements the functions of the driver that NVIDIA's simulated libraries call.
#include "test/support/cuda/driver/SimDriver.h"

namespace windlass::test {

using cuda::CuResult;

CuResult SimDriver::checkLibraryCall(const char *call, bool makesSomething) {
  Lock lock = timeline.lock();
  const CuResult refused = checkInContext(call);
  if (refused == CuResult::Success && makesSomething)
    checkEarly(call);
  return refused;
}

CuResult SimDriver::enqueueLibrary(CuStream stream, const std::string &name, LibraryWork work,
                                   bool reachesAll) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext(name.c_str()); refused != CuResult::Success)
    return refused;
  hasLaunched |= stream != nullptr;
  done.launches += stream != nullptr;
  return enqueue(stream,
                 {numbered(name), [this, work = std::move(work), device = reachesAll ? -1 : enteredDevice()] {
                    SimOutcome outcome = work(regionsOf(device));
                    if (outcome.result == CuResult::Success)
                      outcome.result = strikeOnDevice(true);
                    return outcome;
                  }});
}

void SimDriver::keep(CuStream stream, const SimMarkPointer &mark) {
  Lock lock = timeline.lock();
  if (const SimStream *at = streamOf(stream, "a library"))
    timeline.keep(at->number, mark);
}

void SimDriver::waitFor(CuStream stream, const SimMarkPointer &mark) {
  Lock lock = timeline.lock();
  if (const SimStream *at = streamOf(stream, "a library"))
    timeline.waitFor(at->number, mark);
}

void SimDriver::fulfil(const SimMarkPointer &mark) {
  Lock lock = timeline.lock();
  timeline.fulfil(mark);
}

void SimDriver::beginAlone(CuStream stream) {
  Lock lock = timeline.lock();
  if (const SimStream *at = streamOf(stream, "a library"))
    timeline.hold(at->number, at->device);
}

void SimDriver::endAlone(CuStream stream) {
  Lock lock = timeline.lock();
  if (const SimStream *at = streamOf(stream, "a library"))
    timeline.letGo(at->number, at->device);
}

bool SimDriver::strikes(SimFaultKind kind) {
  Lock lock = timeline.lock();
  return faults.strikes(kind);
}

void SimDriver::report(SimRule rule, const std::string &what) {
  Lock lock = timeline.lock();
  broke(rule, what, CuResult::Success);
}

void SimDriver::countAbort() {
  {
    Lock lock = timeline.lock();
    ++done.aborts;
  }
  if (options.whenAborted)
    options.whenAborted();
}

} // namespace windlass::test
