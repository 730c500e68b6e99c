// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Implements devices, their contexts and memory, and the rules of every call.
#include "test/support/cuda/driver/SimDriver.h"
#include "test/support/cuda/driver/SimHandles.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace windlass::test {

using cuda::CuResult;

namespace {

SimDriver *current = nullptr;
std::atomic<uint64_t> driversMade = 0;
/// The simulated driver whose context this thread has entered; 0: none.
thread_local uint64_t entered = 0;
thread_local int here = 0; ///< the device that the thread has entered

/// The memory that a context takes, and that a module takes.
constexpr uint64_t kContextBytes = 400 << 20, kModuleBytes = 8 << 20;
constexpr int kMultiprocessors = 132;
constexpr size_t kMostViolations = 32;

const std::string &wordsFor(CuResult result, bool asName) {
  static const std::map<CuResult, std::array<std::string, 2>> words = [] {
    std::map<CuResult, std::array<std::string, 2>> made;
    auto add = [&](CuResult each, std::string name) {
      std::string text = name.substr(name.find('_', name.starts_with("CUDA_ERROR_") ? 5 : 0) + 1);
      std::ranges::transform(text, text.begin(), [](char c) {
        return c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      });
      made[each] = {std::move(name), std::move(text)};
    };
#define WINDLASS_DRIVER_RESULT(Case, Name, Value) add(CuResult::Case, #Name);
#include "runtime/cuda/Driver.def"
    return made;
  }();
  return words.at(result)[asName ? 0 : 1];
}

} // namespace

template <typename... Parameters, CuResult (SimDriver::*Method)(Parameters...)>
struct SimDriver::Call<Method> {
  static CuResult run(Parameters... parameters) { return (current->*Method)(parameters...); }
};

cuda::Driver SimDriver::table() {
  cuda::Driver functions;
#define WINDLASS_DRIVER_CALL(Member, Base, Suffix, Since, Parameters)                                        \
  functions.Member = &Call<&SimDriver::Member>::run;
#include "runtime/cuda/Driver.def"
  return functions;
}

cuda::SharedLibrary SimDriver::library(std::string missing) {
  return {"NVIDIA's driver", "libcuda.so.1",
          [missing = std::move(missing)](std::string_view symbol) -> void * {
            if (symbol == missing)
              return nullptr;
#define WINDLASS_DRIVER_CALL(Member, Base, Suffix, Since, Parameters)                                        \
  if (symbol == #Base #Suffix)                                                                               \
    return reinterpret_cast<void *>(&Call<&SimDriver::Member>::run);
#include "runtime/cuda/Driver.def"
            return nullptr;
          }};
}

SimDriver::SimDriver(SimOptions given)
    : options(std::move(given)), serial(++driversMade), faults(options.faults),
      timeline(options.policy, options.seed, [this](SimRule rule, std::string what) {
        if (broken.size() < kMostViolations)
          broken.push_back({rule, std::move(what)});
      }) {
  Lock lock = timeline.lock();
  for (int each = 0; each < options.devices; ++each)
    nullStreams.push_back({timeline.addStream(false), each});
  current = this;
}

SimDriver::~SimDriver() { current = nullptr; }

SimDevice *simDevice() { return current; }

//===----------------------------------------------------------------------===//
// Questions of tests
//===----------------------------------------------------------------------===//

std::vector<SimViolation> SimDriver::violations() const {
  Lock lock = timeline.lock();
  return broken;
}

bool SimDriver::brokeOnly(SimRule rule) const {
  const std::vector<SimViolation> all = violations();
  return !all.empty() &&
         std::ranges::all_of(all, [&](const SimViolation &each) { return each.rule == rule; });
}

SimCounts SimDriver::counts() const {
  Lock lock = timeline.lock();
  return done;
}

std::string SimDriver::leftovers() const {
  Lock lock = timeline.lock();
  std::string text;
  auto add = [&](size_t count, const char *what) {
    if (count > 0)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what + (count > 1 ? "s" : "");
  };
  add(streams.live.size(), "stream");
  add(events.live.size(), "event");
  add(modules.live.size(), "module");
  add(memory.allocations(), "allocation");
  add(memory.pins(), "pinned range");
  add(static_cast<size_t>(retained), "context");
  return text;
}

void SimDriver::hostTouches(std::span<const std::byte> bytes, const std::string &who, bool writes) {
  Lock lock = timeline.lock();
  const auto begin = reinterpret_cast<uint64_t>(bytes.data());
  if (memory.isPinned(begin, bytes.size()))
    timeline.touchFromHost({begin, begin + bytes.size(), writes}, who);
}

//===----------------------------------------------------------------------===//
// Rules of every call
//===----------------------------------------------------------------------===//

CuResult SimDriver::broke(SimRule rule, const std::string &what, CuResult answer) {
  if (broken.size() < kMostViolations)
    broken.push_back({rule, what});
  return answer;
}

CuResult SimDriver::checkReady(const char *call) {
  return isInitialized ? timeline.failure() : broke(SimRule::NotInitialized, call, CuResult::NotInitialized);
}

/// The fault that may refuse a call. Queries have a kind of fault of their own, since their number depends on
/// time. Calls that give something back are not refused, since a run goes on without them.
static std::optional<SimFaultKind> refusalOf(std::string_view call) {
  if (call == "cuStreamQuery" || call == "cuEventQuery")
    return SimFaultKind::QueryRefused;
  if (call == "cuMemFree" || call == "cuMemHostUnregister" || call == "cuModuleUnload" ||
      call == "cuStreamDestroy" || call == "cuEventDestroy")
    return std::nullopt;
  return SimFaultKind::CallRefused;
}

CuResult SimDriver::checkInContext(const char *call) {
  if (CuResult refused = checkReady(call); refused != CuResult::Success)
    return refused;
  if (entered != serial || retained == 0)
    return broke(SimRule::NoContext, call, CuResult::InvalidContext);
  const std::optional<SimFaultKind> refusal = refusalOf(call);
  return refusal && faults.strikes(*refusal) ? CuResult::OutOfMemory : CuResult::Success;
}

/// Reports that something is made after the first launch, since the call could wait for device work that
/// waits for the host.
void SimDriver::checkEarly(const char *call) {
  if (hasLaunched)
    broke(SimRule::LateAllocation, call, CuResult::Success);
}

//===----------------------------------------------------------------------===//
// Driver, device, context
//===----------------------------------------------------------------------===//

CuResult SimDriver::init(unsigned) {
  Lock lock = timeline.lock();
  isInitialized = true;
  return CuResult::Success;
}

CuResult SimDriver::driverVersion(int *version) {
  Lock lock = timeline.lock();
  *version = faults.strikes(SimFaultKind::OldDriver) ? 11040 : options.driverRelease;
  return CuResult::Success;
}

CuResult SimDriver::errorName(CuResult result, const char **text) {
  *text = wordsFor(result, true).c_str();
  return CuResult::Success;
}

CuResult SimDriver::errorText(CuResult result, const char **text) {
  *text = wordsFor(result, false).c_str();
  return CuResult::Success;
}

CuResult SimDriver::device(CuDevice *device, int ordinal) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkReady("cuDeviceGet"); refused != CuResult::Success)
    return refused;
  *device = ordinal;
  return ordinal >= 0 && ordinal < options.devices ? CuResult::Success : CuResult::InvalidDevice;
}

CuResult SimDriver::deviceCount(int *count) {
  Lock lock = timeline.lock();
  *count = faults.strikes(SimFaultKind::NoDevice) ? 0 : options.devices;
  return checkReady("cuDeviceGetCount");
}

CuResult SimDriver::deviceName(char *name, int length, CuDevice) {
  std::strncpy(name, "Simulated GPU", static_cast<size_t>(length));
  return CuResult::Success;
}

CuResult SimDriver::deviceAttribute(int *value, DeviceAttribute attribute, CuDevice) {
  Lock lock = timeline.lock();
  if (attribute == cuda::kCapabilityMajor)
    *value = options.capability / 10;
  else if (attribute == cuda::kCapabilityMinor)
    *value = options.capability % 10;
  else if (attribute == cuda::kMultiprocessors)
    *value = kMultiprocessors;
  else
    return CuResult::InvalidValue;
  return checkReady("cuDeviceGetAttribute");
}

CuResult SimDriver::retainContext(CuContext *context, CuDevice of) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkReady("cuDevicePrimaryCtxRetain"); refused != CuResult::Success)
    return refused;
  ++retained;
  *context = reinterpret_cast<CuContext>(&nullStreams[static_cast<size_t>(of)]);
  return CuResult::Success;
}

CuResult SimDriver::releaseContext(CuDevice) {
  Lock lock = timeline.lock();
  --retained;
  return CuResult::Success;
}

CuResult SimDriver::setContext(CuContext context) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkReady("cuCtxSetCurrent"); refused != CuResult::Success)
    return refused;
  const auto found = std::ranges::find_if(nullStreams, [&](const SimStream &each) {
    return context == reinterpret_cast<CuContext>(const_cast<SimStream *>(&each));
  });
  if (found == nullStreams.end() || retained == 0)
    return broke(SimRule::UnknownHandle, "cuCtxSetCurrent", CuResult::InvalidContext);
  entered = serial;
  here = found->device;
  return CuResult::Success;
}

int SimDriver::enteredDevice() { return here; }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

uint64_t SimDriver::freeBytes() const {
  const uint64_t taken = memory.bytesInUse(here) + kContextBytes + modules.live.size() * kModuleBytes;
  return options.memoryBytes > taken ? options.memoryBytes - taken : 0;
}

CuResult SimDriver::memoryInfo(size_t *free, size_t *total) {
  Lock lock = timeline.lock();
  *free = freeBytes();
  *total = options.memoryBytes;
  return checkInContext("cuMemGetInfo");
}

CuResult SimDriver::allocate(CuAddress *address, size_t bytes) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuMemAlloc"); refused != CuResult::Success)
    return refused;
  checkEarly("cuMemAlloc");
  if (bytes == 0)
    return CuResult::InvalidValue;
  if (faults.strikes(SimFaultKind::OutOfMemory) || bytes > freeBytes())
    return CuResult::OutOfMemory;
  *address = memory.allocate(bytes, here);
  timeline.clocks().add(*address, *address + bytes);
  return *address ? CuResult::Success : CuResult::OutOfMemory;
}

CuResult SimDriver::free(CuAddress address) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuMemFree"); refused != CuResult::Success)
    return refused;
  const SimRegion *region = memory.at(address);
  if (!region)
    return broke(memory.isDevice(address) ? SimRule::UsedAfterEnd : SimRule::UnknownHandle, "cuMemFree",
                 CuResult::InvalidValue);
  if (std::ranges::any_of(streams.live,
                          [&](const auto &each) { return !timeline.isIdle(each.second.number); }))
    return broke(SimRule::EndedBusy, "cuMemFree", CuResult::InvalidValue);
  timeline.clocks().remove(address, address + region->bytes);
  memory.release(address);
  return CuResult::Success;
}

CuResult SimDriver::registerHost(void *host, size_t bytes, unsigned flags) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuMemHostRegister"); refused != CuResult::Success)
    return refused;
  checkEarly("cuMemHostRegister");
  const auto begin = reinterpret_cast<uint64_t>(host);
  if (!host || bytes == 0 || memory.isDevice(begin))
    return broke(SimRule::WrongSide, "cuMemHostRegister", CuResult::InvalidValue);
  if (faults.strikes(SimFaultKind::PinningRefused))
    return CuResult::OutOfMemory;
  if (!memory.pin(begin, bytes))
    return broke(SimRule::PinnedTwice, "cuMemHostRegister", CuResult::AlreadyRegistered);
  timeline.clocks().add(begin, begin + bytes);
  return CuResult::Success;
}

CuResult SimDriver::unregisterHost(void *host) {
  Lock lock = timeline.lock();
  if (CuResult refused = checkInContext("cuMemHostUnregister"); refused != CuResult::Success)
    return refused;
  const auto begin = reinterpret_cast<uint64_t>(host);
  const uint64_t end = memory.unpin(begin);
  if (end == 0)
    return broke(SimRule::UnknownHandle, "cuMemHostUnregister", CuResult::NotRegistered);
  if (std::ranges::any_of(streams.live,
                          [&](const auto &each) { return !timeline.isIdle(each.second.number); }))
    return broke(SimRule::EndedBusy, "cuMemHostUnregister", CuResult::InvalidValue);
  timeline.clocks().remove(begin, end);
  return CuResult::Success;
}

} // namespace windlass::test
