// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Implements streams, events, copies and kernels.
#include "test/support/cuda/driver/SimDriver.h"
#include "test/support/cuda/driver/SimHandles.h"
#include <algorithm>
#include <cstring>

namespace windlass::test {

using cuda::CuResult;

namespace {

constexpr uint64_t kMostBlocks = 0x7FFFFFFF, kMostBlocksAcross = 65535, kMostThreads = 1024;
constexpr uint64_t kMostSharedBytes = 48 << 10, kMostParameterBytes = 4096;

SimAccess accessTo(const void *host, size_t bytes, bool writes) {
  const auto begin = reinterpret_cast<uint64_t>(host);
  return {begin, begin + bytes, writes};
}
SimAccess accessTo(cuda::CuAddress begin, size_t bytes, bool writes) {
  return {begin, begin + bytes, writes};
}

/// Adds a violation if a copy reads bytes that were never written.
void checkWritten(const SimRegion &from, cuda::CuAddress address, size_t bytes, SimOutcome &outcome) {
  if (!from.isWritten(address, bytes))
    outcome.violations.push_back({SimRule::UnwrittenRead, "a copy reads bytes that nobody wrote"});
}

} // namespace

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

const SimDriver::SimStream *SimDriver::streamOf(CuStream stream, const char *call) {
  if (!stream)
    return &nullStreams[static_cast<size_t>(enteredDevice())];
  const SimStream *found = find(streams, stream, call);
  if (found && found->device != enteredDevice())
    broke(SimRule::OtherDevice, std::string(call) + ": a stream", CuResult::InvalidContext);
  return found;
}

CuResult SimDriver::createStream(CuStream *stream, unsigned flags) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuStreamCreate"); refused != CuResult::Success)
    return refused;
  checkEarly("cuStreamCreate");
  if (flags != cuda::kNonBlockingStream)
    broke(SimRule::BlockingStream, "cuStreamCreate", CuResult::Success);
  *stream = static_cast<CuStream>(
      add(streams, SimStream{timeline.addStream(faults.strikes(SimFaultKind::SlowStream)), enteredDevice()}));
  return CuResult::Success;
}

CuResult SimDriver::destroyStream(CuStream stream) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuStreamDestroy"); refused != CuResult::Success)
    return refused;
  const SimStream *ended = find(streams, stream, "cuStreamDestroy");
  if (ended && !timeline.isIdle(ended->number))
    broke(SimRule::EndedBusy, "cuStreamDestroy", CuResult::Success);
  return end(streams, stream, "cuStreamDestroy");
}

CuResult SimDriver::queryStream(CuStream stream) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuStreamQuery"); refused != CuResult::Success)
    return refused;
  const SimStream *asked = streamOf(stream, "cuStreamQuery");
  if (!asked)
    return CuResult::InvalidHandle;
  return timeline.lookAtAll(asked->number) ? CuResult::Success : CuResult::NotReady;
}

CuResult SimDriver::synchronize(CuStream stream) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuStreamSynchronize"); refused != CuResult::Success)
    return refused;
  const SimStream *asked = streamOf(stream, "cuStreamSynchronize");
  if (!asked)
    return CuResult::InvalidHandle;
  timeline.wait(lock, timeline.mark(asked->number));
  return timeline.failure();
}

CuResult SimDriver::createEvent(CuEvent *event, unsigned) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuEventCreate"); refused != CuResult::Success)
    return refused;
  checkEarly("cuEventCreate");
  *event = static_cast<CuEvent>(add(events, SimEvent{}));
  return CuResult::Success;
}

CuResult SimDriver::destroyEvent(CuEvent event) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuEventDestroy"); refused != CuResult::Success)
    return refused;
  return end(events, event, "cuEventDestroy");
}

CuResult SimDriver::record(CuEvent event, CuStream stream) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuEventRecord"); refused != CuResult::Success)
    return refused;
  SimEvent *recorded = find(events, event, "cuEventRecord");
  const SimStream *at = streamOf(stream, "cuEventRecord");
  if (!recorded || !at)
    return CuResult::InvalidHandle;
  if (recorded->mark && !recorded->mark->isUsed)
    broke(SimRule::MarkLost, "cuEventRecord: nobody used the last record", CuResult::Success);
  recorded->mark = timeline.mark(at->number);
  ++done.records;
  return CuResult::Success;
}

CuResult SimDriver::waitForEvent(CuStream stream, CuEvent event, unsigned) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuStreamWaitEvent"); refused != CuResult::Success)
    return refused;
  const SimEvent *awaited = find(events, event, "cuStreamWaitEvent");
  const SimStream *waiting = streamOf(stream, "cuStreamWaitEvent");
  if (!awaited || !waiting)
    return CuResult::InvalidHandle;
  ++done.waits;
  if (!awaited->mark)
    return broke(SimRule::NeverRecorded, "cuStreamWaitEvent: it passes at once", CuResult::Success);
  timeline.waitFor(waiting->number, awaited->mark);
  return CuResult::Success;
}

CuResult SimDriver::queryEvent(CuEvent event) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuEventQuery"); refused != CuResult::Success)
    return refused;
  const SimEvent *asked = find(events, event, "cuEventQuery");
  if (!asked)
    return CuResult::InvalidHandle;
  if (!asked->mark)
    return broke(SimRule::NeverRecorded, "cuEventQuery: it is complete at once", CuResult::Success);
  return timeline.look(asked->mark) ? CuResult::Success : CuResult::NotReady;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

CuResult SimDriver::checkCopy(const char *call, size_t bytes) {
  const CuResult refused = checkInContext(call);
  return refused == CuResult::Success && bytes == 0 ? broke(SimRule::NoBytes, call, CuResult::InvalidValue)
                                                    : refused;
}

const SimRegion *SimDriver::deviceBytes(CuAddress address, size_t bytes, const char *call) {
  const SimRegion *region = memory.find(address, bytes);
  if (!region)
    broke(memory.isDevice(address) ? SimRule::OutOfBounds : SimRule::WrongSide,
          std::string(call) + ": " + std::to_string(bytes) + " bytes of the device", CuResult::InvalidValue);
  if (region && region->device != enteredDevice())
    broke(SimRule::OtherDevice, std::string(call) + ": an address", CuResult::InvalidValue);
  return region;
}

CuResult SimDriver::checkHost(const void *host, size_t bytes, bool mustBePinned, const char *call) {
  const auto begin = reinterpret_cast<uint64_t>(host);
  if (memory.isDevice(begin))
    return broke(SimRule::WrongSide, call, CuResult::InvalidValue);
  if (mustBePinned && !memory.isPinned(begin, bytes))
    return broke(SimRule::NotPinned, call, CuResult::InvalidValue);
  return CuResult::Success;
}

/// The error of a fault that strikes while an operation runs; Success if none does.
CuResult SimDriver::strikeOnDevice(bool isKernel) {
  Lock lock = timeline.lock();
  if (faults.strikes(SimFaultKind::DeviceLost))
    return CuResult::Unknown;
  if (!isKernel)
    return CuResult::Success;
  if (faults.strikes(SimFaultKind::LaunchFailed))
    return CuResult::LaunchFailed;
  if (faults.strikes(SimFaultKind::IllegalAddress))
    return CuResult::IllegalAddress;
  if (faults.strikes(SimFaultKind::Misaligned))
    return CuResult::MisalignedAddress;
  return faults.strikes(SimFaultKind::MemoryError) ? CuResult::EccUncorrectable : CuResult::Success;
}

/// Enqueues a fill, or a copy between host and device.
CuResult SimDriver::enqueueBytes(CuStream stream, SimWork work) {
  work.neverEnds = !stream && faults.strikes(SimFaultKind::HungCopy);
  return enqueue(stream, std::move(work));
}

CuResult SimDriver::enqueue(CuStream stream, SimWork work) {
  const SimStream *to = streamOf(stream, work.name.c_str());
  if (!to)
    return CuResult::InvalidHandle;
  timeline.enqueue(to->number, std::move(work));
  return CuResult::Success;
}

CuResult SimDriver::enqueueUpload(CuAddress to, const void *from, size_t bytes, CuStream stream) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkCopy("cuMemcpyHtoDAsync", bytes); refused != CuResult::Success)
    return refused;
  if (CuResult refused = checkHost(from, bytes, true, "cuMemcpyHtoDAsync"); refused != CuResult::Success)
    return refused;
  const SimRegion *found = deviceBytes(to, bytes, "cuMemcpyHtoDAsync");
  if (!found)
    return CuResult::InvalidValue;
  ++done.copies;
  return enqueueBytes(stream, {numbered("upload"), [this, region = *found, to, from, bytes] {
                                 SimOutcome outcome{{accessTo(from, bytes, false), accessTo(to, bytes, true)},
                                                    {}};
                                 std::memcpy(region.at(to), from, bytes);
                                 region.markWritten(to, bytes);
                                 outcome.result = strikeOnDevice(false);
                                 return outcome;
                               }});
}

CuResult SimDriver::enqueueOffload(void *to, CuAddress from, size_t bytes, CuStream stream) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkCopy("cuMemcpyDtoHAsync", bytes); refused != CuResult::Success)
    return refused;
  if (CuResult refused = checkHost(to, bytes, true, "cuMemcpyDtoHAsync"); refused != CuResult::Success)
    return refused;
  const SimRegion *found = deviceBytes(from, bytes, "cuMemcpyDtoHAsync");
  if (!found)
    return CuResult::InvalidValue;
  ++done.copies;
  return enqueueBytes(stream, {numbered("offload"), [this, region = *found, to, from, bytes, stream] {
                                 SimOutcome outcome{{accessTo(from, bytes, false), accessTo(to, bytes, true)},
                                                    {}};
                                 if (stream) // without a stream, the host may look at any bytes
                                   checkWritten(region, from, bytes, outcome);
                                 std::memcpy(to, region.at(from), bytes);
                                 outcome.result = strikeOnDevice(false);
                                 return outcome;
                               }});
}

CuResult SimDriver::enqueueCopy(CuAddress to, CuAddress from, size_t bytes, CuStream stream) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkCopy("cuMemcpyDtoDAsync", bytes); refused != CuResult::Success)
    return refused;
  const SimRegion *target = deviceBytes(to, bytes, "cuMemcpyDtoDAsync"),
                  *source = deviceBytes(from, bytes, "cuMemcpyDtoDAsync");
  if (!target || !source)
    return CuResult::InvalidValue;
  ++done.copies;
  return enqueue(stream, {numbered("copy"), [this, target = *target, source = *source, to, from, bytes] {
                            SimOutcome outcome{{accessTo(from, bytes, false), accessTo(to, bytes, true)}, {}};
                            checkWritten(source, from, bytes, outcome);
                            std::memmove(target.at(to), source.at(from), bytes);
                            target.markWritten(to, bytes);
                            outcome.result = strikeOnDevice(false);
                            return outcome;
                          }});
}

/// Enqueues a fill. A fill of a whole allocation sets its first content, which counts as unwritten.
CuResult SimDriver::enqueueFill(CuAddress to, unsigned char value, size_t bytes, CuStream stream) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkCopy("cuMemsetD8Async", bytes); refused != CuResult::Success)
    return refused;
  const SimRegion *found = deviceBytes(to, bytes, "cuMemsetD8Async");
  if (!found)
    return CuResult::InvalidValue;
  ++done.fills;
  return enqueueBytes(stream, {numbered("fill"), [this, region = *found, to, value, bytes] {
                                 SimOutcome outcome{{accessTo(to, bytes, true)}, {}};
                                 std::memset(region.at(to), value, bytes);
                                 region.markWritten(to, bytes, bytes != region.bytes);
                                 outcome.result = strikeOnDevice(false);
                                 return outcome;
                               }});
}

/// Takes pageable bytes before the call returns. They land when the null stream comes to the copy.
CuResult SimDriver::copyToDevice(CuAddress to, const void *from, size_t bytes) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkCopy("cuMemcpyHtoD", bytes); refused != CuResult::Success)
    return refused;
  if (CuResult refused = checkHost(from, bytes, false, "cuMemcpyHtoD"); refused != CuResult::Success)
    return refused;
  const SimRegion *found = deviceBytes(to, bytes, "cuMemcpyHtoD");
  if (!found)
    return CuResult::InvalidValue;
  const auto *begin = static_cast<const std::byte *>(from);
  timeline.enqueue(nullStreams[static_cast<size_t>(enteredDevice())].number,
                   {numbered("copy to the device"),
                    [this, region = *found, to, staged = std::vector<std::byte>(begin, begin + bytes)] {
                      SimOutcome outcome{{accessTo(to, staged.size(), true)}, {}};
                      std::memcpy(region.at(to), staged.data(), staged.size());
                      region.markWritten(to, staged.size());
                      outcome.result = strikeOnDevice(false);
                      return outcome;
                    }});
  if (memory.isPinned(reinterpret_cast<uint64_t>(from), bytes))
    timeline.wait(lock, timeline.mark(nullStreams[static_cast<size_t>(enteredDevice())].number));
  return timeline.failure();
}

CuResult SimDriver::copyToHost(void *to, CuAddress from, size_t bytes) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkCopy("cuMemcpyDtoH", bytes); refused != CuResult::Success)
    return refused;
  if (CuResult refused = checkHost(to, bytes, false, "cuMemcpyDtoH"); refused != CuResult::Success)
    return refused;
  const SimRegion *found = deviceBytes(from, bytes, "cuMemcpyDtoH");
  if (!found)
    return CuResult::InvalidValue;
  timeline.enqueue(nullStreams[static_cast<size_t>(enteredDevice())].number,
                   {numbered("copy to the host"), [this, region = *found, to, from, bytes] {
                      SimOutcome outcome{{accessTo(from, bytes, false)}, {}};
                      std::memcpy(to, region.at(from), bytes);
                      outcome.result = strikeOnDevice(false);
                      return outcome;
                    }});
  timeline.wait(lock, timeline.mark(nullStreams[static_cast<size_t>(enteredDevice())].number));
  return timeline.failure();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

CuResult SimDriver::loadModule(CuModule *module, const void *image, unsigned count, JitOption *jitOptions,
                               void **values) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuModuleLoadDataEx"); refused != CuResult::Success)
    return refused;
  checkEarly("cuModuleLoadDataEx");
  Result<std::unique_ptr<SimCode>> code = faults.strikes(SimFaultKind::NoJit)
                                              ? Status::badInput("the compiler of the driver is not there")
                                              : options.loader(static_cast<const char *>(image));
  if (code) {
    *module = static_cast<CuModule>(add(modules, SimModule{code.take(), enteredDevice()}));
    return CuResult::Success;
  }
  char *log = nullptr;
  size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i)
    if (jitOptions[i] == cuda::kErrorLog)
      log = static_cast<char *>(values[i]);
    else if (jitOptions[i] == cuda::kErrorLogBytes)
      bytes = reinterpret_cast<size_t>(values[i]);
  if (log && bytes > 0) {
    std::strncpy(log, code.status().message().c_str(), bytes);
    log[bytes - 1] = 0;
  }
  return CuResult::InvalidPtx;
}

CuResult SimDriver::unloadModule(CuModule module) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuModuleUnload"); refused != CuResult::Success)
    return refused;
  if (std::ranges::any_of(streams.live,
                          [&](const auto &each) { return !timeline.isIdle(each.second.number); }))
    broke(SimRule::EndedBusy, "cuModuleUnload", CuResult::Success);
  return end(modules, module, "cuModuleUnload");
}

CuResult SimDriver::function(CuFunction *function, CuModule module, const char *name) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuModuleGetFunction"); refused != CuResult::Success)
    return refused;
  const SimModule *loaded = find(modules, module, "cuModuleGetFunction");
  if (!loaded)
    return CuResult::InvalidHandle;
  const SimEntry *entry = loaded->code->find(name);
  if (!entry)
    return CuResult::NotFound;
  *function = static_cast<CuFunction>(add(functions, SimFunction{reinterpret_cast<uint64_t>(module), entry}));
  return CuResult::Success;
}

/// Reports 32 registers, and no local memory unless a fault makes the code spill.
CuResult SimDriver::functionAttribute(int *value, FunctionAttribute attribute, CuFunction function) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuFuncGetAttribute"); refused != CuResult::Success)
    return refused;
  if (!find(functions, function, "cuFuncGetAttribute"))
    return CuResult::InvalidHandle;
  if (attribute == cuda::kRegisters)
    *value = 32;
  else if (attribute == cuda::kLocalBytes)
    *value = faults.strikes(SimFaultKind::Spilled) ? 64 : 0;
  else
    return CuResult::InvalidValue;
  return CuResult::Success;
}

CuResult SimDriver::checkLaunch(const SimEntry &entry, const SimLaunch &launch, unsigned gridY,
                                unsigned gridZ) {
  const bool fits =
      launch.blocks >= 1 && launch.blocks <= kMostBlocks && gridY >= 1 && gridY <= kMostBlocksAcross &&
      gridZ >= 1 && gridZ <= kMostBlocksAcross && launch.threads >= 1 && launch.threads <= kMostThreads &&
      launch.sharedBytes <= kMostSharedBytes && launch.parameters.size() <= kMostParameterBytes &&
      (entry.threads == 0 || entry.threads == launch.threads);
  return fits ? CuResult::Success
              : broke(SimRule::BadLaunch,
                      entry.name + ": " + std::to_string(launch.blocks) + " blocks of " +
                          std::to_string(launch.threads) + " threads, " + std::to_string(launch.sharedBytes) +
                          " bytes shared",
                      CuResult::InvalidValue);
}

/// The allocations of a device, or of all devices if `device` is negative.
std::vector<SimRegion> SimDriver::regionsOf(int device) const {
  Lock lock = timeline.lock();
  std::vector<SimRegion> regions = memory.regions();
  std::erase_if(regions, [&](const SimRegion &each) { return device >= 0 && each.device != device; });
  return regions;
}

SimOutcome SimDriver::runKernel(const SimCode &code, const SimEntry &entry, const SimLaunch &launch,
                                int device, bool isOfRun) {
  const std::vector<SimRegion> regions = regionsOf(device);
  SimOutcome outcome;
  Result<std::vector<SimAccess>> accesses = code.run(entry, launch, regions);
  if (accesses) {
    outcome.accesses = accesses.take();
    outcome.result = strikeOnDevice(isOfRun);
    return outcome;
  }
  const std::string &what = accesses.status().message();
  outcome.neverEnds = what.starts_with("endless");
  if (outcome.neverEnds)
    return outcome;
  const SimRule rule = what.starts_with("out of bounds")      ? SimRule::OutOfBounds
                       : what.starts_with("unwritten memory") ? SimRule::UnwrittenRead
                                                              : SimRule::KernelFault;
  outcome.violations.push_back({rule, entry.name + ": " + what});
  if (rule != SimRule::UnwrittenRead) // a device does not notice an unwritten read
    outcome.result = rule == SimRule::OutOfBounds ? CuResult::IllegalAddress : CuResult::LaunchFailed;
  return outcome;
}

CuResult SimDriver::launch(CuFunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                           unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                           CuStream stream, void **parameters, void **) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuLaunchKernel"); refused != CuResult::Success)
    return refused;
  const SimFunction *launched = find(functions, function, "cuLaunchKernel");
  const SimModule *module =
      launched ? find(modules, reinterpret_cast<void *>(launched->module), "cuLaunchKernel") : nullptr;
  if (!module)
    return CuResult::InvalidHandle;
  if (module->device != enteredDevice())
    broke(SimRule::OtherDevice, launched->entry->name, CuResult::InvalidHandle);
  const SimEntry &entry = *launched->entry;
  std::vector<std::byte> bytes(entry.parameterBytes());
  for (size_t i = 0; i < entry.parameters.size(); ++i)
    std::memcpy(bytes.data() + entry.parameters[i].offset, parameters[i], entry.parameters[i].bytes);
  const SimLaunch shape{gridX, blockX * blockY * blockZ, sharedBytes, bytes};
  if (CuResult refused = checkLaunch(entry, shape, gridY, gridZ); refused != CuResult::Success)
    return refused;
  const bool isOfRun = stream != nullptr; // a start and the reference executor use no stream
  hasLaunched |= isOfRun;
  done.launches += isOfRun;
  return enqueue(stream, {numbered("kernel " + entry.name),
                          [this, code = module->code, &entry, shape, bytes = std::move(bytes),
                           device = enteredDevice(), isOfRun] {
                            SimLaunch mine = shape;
                            mine.parameters = bytes;
                            return runKernel(*code, entry, mine, device, isOfRun);
                          },
                          faults.strikes(isOfRun ? SimFaultKind::HungStream : SimFaultKind::HungLaunch)});
}

} // namespace windlass::test
