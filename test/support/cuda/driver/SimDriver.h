// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimDriver.h - a CUDA driver without a GPU =============================//
//
// Duty: the functions of Driver.def on simulated devices. A device is a thread (SimTimeline), addresses
// without access (SimMemory) and code that runs on the host (SimCode). The driver does what the documentation
// of the real driver says, at the worst moment that it allows, and keeps a list of violations (SimRules.def).
// So a copy of pageable memory returns before its bytes have landed, a wait for an event that was never
// recorded passes at once, and work is done as late as the policy likes. Injected faults strike when told.
// Ownership: one of a process at a time, and no call of its table outside of its life.
// Threads: any, as with the driver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/cuda/SimCode.h"
#include "test/support/cuda/SimDevice.h"
#include "test/support/cuda/SimFaults.h"
#include "test/support/cuda/SimTimeline.h"
#include <set>

namespace windlass::test {

struct SimOptions {
  SimPolicy policy = SimPolicy::Eager;
  uint64_t seed = 1;
  SimLoader loader = SimHostCode::loader({});
  std::vector<SimFault> faults;
  int driverRelease = 12040;
  int capability = 90;
  int devices = 1;
  uint64_t memoryBytes = uint64_t{1} << 30; ///< of each device
  std::function<void()> whenAborted = {};   ///< called when a group of NCCL was aborted
};

/// What a program has done until now.
struct SimCounts {
  int64_t launches = 0; ///< on streams
  int64_t copies = 0, fills = 0, records = 0;
  int64_t waits = 0;  ///< of streams for events
  int64_t aborts = 0; ///< of groups of NCCL
};

class SimDriver final : public SimDevice {
public:
  explicit SimDriver(SimOptions options);
  ~SimDriver() override;

  static cuda::Driver table();
  /// The functions of table(), by symbol, without the symbol `missing`.
  static cuda::SharedLibrary library(std::string missing = {});

  std::vector<SimViolation> violations() const;
  /// Whether this rule was broken, and no other rule.
  bool brokeOnly(SimRule rule) const;
  /// Describes what was made and not given back, such as "2 streams"; empty if there is nothing.
  std::string leftovers() const;
  SimCounts counts() const;

  cuda::CuResult checkLibraryCall(const char *call, bool makesSomething) override;
  cuda::CuResult enqueueLibrary(cuda::CuStream stream, const std::string &name, LibraryWork work,
                                bool reachesAll) override;
  int enteredDevice() override;
  void keep(cuda::CuStream stream, const SimMarkPointer &mark) override;
  void waitFor(cuda::CuStream stream, const SimMarkPointer &mark) override;
  void fulfil(const SimMarkPointer &mark) override;
  void beginAlone(cuda::CuStream stream) override;
  void endAlone(cuda::CuStream stream) override;
  bool strikes(SimFaultKind kind) override;
  void report(SimRule rule, const std::string &what) override;
  void countAbort() override;

  /// Records that the host reads or writes pinned memory.
  void hostReads(std::span<const std::byte> bytes, const std::string &who) { hostTouches(bytes, who, false); }
  void hostWrites(std::span<const std::byte> bytes, const std::string &who) { hostTouches(bytes, who, true); }

private:
  using CuResult = cuda::CuResult;
  using Lock = SimTimeline::Lock;
  using CuDevice = cuda::CuDevice;
  using CuAddress = cuda::CuAddress;
  using CuContext = cuda::CuContext;
  using CuStream = cuda::CuStream;
  using CuEvent = cuda::CuEvent;
  using CuModule = cuda::CuModule;
  using CuFunction = cuda::CuFunction;
  using DeviceAttribute = cuda::DeviceAttribute;
  using FunctionAttribute = cuda::FunctionAttribute;
  using JitOption = cuda::JitOption;

#define WINDLASS_DRIVER_CALL(Member, Base, Suffix, Since, Parameters) CuResult Member Parameters;
#include "runtime/cuda/Driver.def"

  template <auto Method> struct Call;

  /// Objects of one kind. A handle is never used twice.
  template <typename Thing> struct Handles {
    const char *kind;
    std::map<uint64_t, Thing> live;
    std::set<uint64_t> gone;
  };
  struct SimStream {
    size_t number = 0;
    int device = 0;
  };
  struct SimEvent {
    SimMarkPointer mark; ///< null: never recorded
  };
  struct SimModule {
    std::shared_ptr<SimCode> code; ///< running work keeps it
    int device = 0;
  };
  struct SimFunction {
    uint64_t module = 0;
    const SimEntry *entry = nullptr;
  };

  CuResult broke(SimRule rule, const std::string &what, CuResult answer);
  CuResult checkReady(const char *call);
  CuResult checkInContext(const char *call);
  void checkEarly(const char *call);
  template <typename Thing> Thing *find(Handles<Thing> &handles, const void *handle, const char *call);
  template <typename Thing> void *add(Handles<Thing> &handles, Thing thing);
  template <typename Thing> CuResult end(Handles<Thing> &handles, const void *handle, const char *call);
  /// Returns null, and reports a violation, if there is no such stream.
  const SimStream *streamOf(CuStream stream, const char *call);

  CuResult checkCopy(const char *call, size_t bytes);
  const SimRegion *deviceBytes(CuAddress address, size_t bytes, const char *call);
  CuResult checkHost(const void *host, size_t bytes, bool mustBePinned, const char *call);
  CuResult enqueueBytes(CuStream stream, SimWork work);
  CuResult enqueue(CuStream stream, SimWork work);
  SimOutcome runKernel(const SimCode &code, const SimEntry &entry, const SimLaunch &launch, int device,
                       bool isOfRun);
  CuResult checkLaunch(const SimEntry &entry, const SimLaunch &launch, unsigned gridY, unsigned gridZ);
  std::string numbered(const std::string &what) { return what + " (" + std::to_string(++operations) + ")"; }
  CuResult strikeOnDevice(bool isKernel);
  void hostTouches(std::span<const std::byte> bytes, const std::string &who, bool writes);
  uint64_t freeBytes() const; ///< of the device that the thread has entered
  std::vector<SimRegion> regionsOf(int device) const;

  SimOptions options;
  uint64_t serial;
  SimFaults faults;
  SimMemory memory;
  Handles<SimStream> streams{"stream", {}, {}};
  Handles<SimEvent> events{"event", {}, {}};
  Handles<SimModule> modules{"module", {}, {}};
  Handles<SimFunction> functions{"function", {}, {}};
  uint64_t handlesMade = 0;
  bool isInitialized = false, hasLaunched = false;
  int64_t retained = 0; ///< of the primary context
  uint64_t operations = 0;
  SimCounts done;
  std::vector<SimViolation> broken;
  std::vector<SimStream> nullStreams; ///< per device
  mutable SimTimeline timeline;       ///< last: its thread uses all of the above
};

} // namespace windlass::test
