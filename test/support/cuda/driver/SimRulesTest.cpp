// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Breaks rules of the simulated driver, injects faults, and makes every mistake of SimMutants.h in a program.
#include "test/support/cuda/driver/SimMutants.h"
#include "test/support/cuda/driver/SimRig.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <thread>

using namespace windlass;
using namespace windlass::test;
using namespace windlass::cuda;

namespace {

/// Host memory that outlives every rig, whether it is pinned or not.
std::array<float, SimRig::kNumbers> numbers{1, 2, 3};

struct Case {
  SimRule rule;
  std::function<void(SimRig &)> breaks;
};

const Case kCases[] = {
    {SimRule::UnknownHandle,
     [](SimRig &rig) {
       EXPECT_EQ(rig.driver.synchronize(reinterpret_cast<CuStream>(999)), CuResult::InvalidHandle);
     }},
    {SimRule::UsedAfterEnd,
     [](SimRig &rig) {
       const CuStream stream = rig.stream();
       SimRig::expect(rig.driver.destroyStream(stream));
       EXPECT_EQ(rig.driver.queryStream(stream), CuResult::InvalidHandle);
     }},
    {SimRule::UsedAfterEnd,
     [](SimRig &rig) {
       const CuAddress address = rig.allocate();
       SimRig::expect(rig.driver.free(address));
       EXPECT_EQ(rig.driver.free(address), CuResult::InvalidValue);
     }},
    {SimRule::EndedBusy,
     [](SimRig &rig) {
       const CuStream stream = rig.stream();
       SimRig::expect(rig.driver.enqueueFill(rig.allocate(), 0, 8, stream));
       rig.driver.destroyStream(stream);
     }},
    {SimRule::EndedBusy,
     [](SimRig &rig) {
       const CuStream stream = rig.stream();
       const CuAddress address = rig.allocate();
       SimRig::expect(rig.driver.enqueueFill(address, 0, 8, stream));
       EXPECT_EQ(rig.driver.free(address), CuResult::InvalidValue);
     }},
    {SimRule::BlockingStream,
     [](SimRig &rig) {
       CuStream stream = nullptr;
       rig.driver.createStream(&stream, 0);
     }},
    {SimRule::NeverRecorded, [](SimRig &rig) { SimRig::expect(rig.driver.queryEvent(rig.event())); }},
    {SimRule::MarkLost,
     [](SimRig &rig) {
       const CuStream stream = rig.stream();
       const CuEvent event = rig.event();
       SimRig::expect(rig.driver.record(event, stream));
       SimRig::expect(rig.driver.record(event, stream));
     }},
    {SimRule::NotPinned,
     [](SimRig &rig) {
       EXPECT_EQ(rig.driver.enqueueUpload(rig.allocate(), numbers.data(), 8, rig.stream()),
                 CuResult::InvalidValue);
     }},
    {SimRule::NotPinned, // only a part is pinned
     [](SimRig &rig) {
       rig.pin(numbers.data(), 8);
       rig.driver.enqueueUpload(rig.allocate(), numbers.data(), 12, rig.stream());
     }},
    {SimRule::PinnedTwice,
     [](SimRig &rig) {
       rig.pin(numbers.data(), 16);
       EXPECT_EQ(rig.driver.registerHost(&numbers[3], 16, kPortableHost), CuResult::AlreadyRegistered);
     }},
    {SimRule::OutOfBounds,
     [](SimRig &rig) {
       EXPECT_EQ(rig.driver.enqueueFill(rig.allocate(), 0, SimRig::kBytes + 1, rig.stream()),
                 CuResult::InvalidValue);
     }},
    {SimRule::OutOfBounds, // the access of a kernel
     [](SimRig &rig) {
       const CuStream stream = rig.stream();
       rig.launch(rig.allocate(), rig.allocate() + 8, stream);
       EXPECT_NE(rig.driver.synchronize(stream), CuResult::Success);
     }},
    {SimRule::NoBytes,
     [](SimRig &rig) {
       EXPECT_EQ(rig.driver.enqueueFill(rig.allocate(), 0, 0, rig.stream()), CuResult::InvalidValue);
     }},
    {SimRule::WrongSide,
     [](SimRig &rig) {
       const CuAddress address = rig.allocate();
       rig.driver.enqueueUpload(address, reinterpret_cast<void *>(address), 8, rig.stream());
     }},
    {SimRule::WrongSide,
     [](SimRig &rig) {
       rig.driver.enqueueFill(reinterpret_cast<CuAddress>(numbers.data()), 0, 8, rig.stream());
     }},
    {SimRule::BadLaunch, // no blocks
     [](SimRig &rig) {
       CuAddress at = rig.allocate();
       void *parameters[] = {&at, &at};
       EXPECT_EQ(rig.driver.launch(rig.twice, 0, 1, 1, 1, 1, 1, 0, rig.stream(), parameters, nullptr),
                 CuResult::InvalidValue);
     }},
    {SimRule::BadLaunch, // more shared memory than a block may have
     [](SimRig &rig) {
       CuAddress at = rig.allocate();
       void *parameters[] = {&at, &at};
       EXPECT_EQ(rig.driver.launch(rig.twice, 1, 1, 1, 1, 1, 1, 49153, rig.stream(), parameters, nullptr),
                 CuResult::InvalidValue);
     }},
    {SimRule::LateAllocation,
     [](SimRig &rig) {
       const CuAddress from = rig.allocate(), to = rig.allocate();
       const CuStream stream = rig.stream();
       SimRig::expect(rig.driver.copyToDevice(from, numbers.data(), SimRig::kBytes));
       SimRig::expect(rig.driver.synchronize(nullptr));
       SimRig::expect(rig.launch(from, to, stream));
       rig.allocate();
       rig.driver.synchronize(stream);
     }},
    {SimRule::UnwrittenRead,
     [](SimRig &rig) {
       rig.pin(numbers.data(), SimRig::kBytes);
       const CuStream stream = rig.stream();
       SimRig::expect(rig.driver.enqueueOffload(numbers.data(), rig.allocate(), 4, stream));
       SimRig::expect(rig.driver.synchronize(stream));
     }},
    {SimRule::UnwrittenRead, // the first fill of an allocation writes no value
     [](SimRig &rig) {
       const CuStream stream = rig.stream();
       const CuAddress from = rig.allocate(), to = rig.allocate();
       SimRig::expect(rig.driver.enqueueFill(from, 0, SimRig::kBytes, stream));
       rig.launch(from, to, stream);
       EXPECT_EQ(rig.driver.synchronize(stream), CuResult::Success); // as on a device
     }},
};

TEST(SimRules, eachIsFoundWhereItIsBroken) {
  for (const Case &each : kCases) {
    SCOPED_TRACE(nameOf(each.rule));
    SimRig rig(rigOptions(SimPolicy::Lazy, 1));
    each.breaks(rig);
    EXPECT_TRUE(rig.sim.brokeOnly(each.rule)) << rig.sim.leftovers();
  }
}

TEST(SimRules, aCallBeforeTheDriverIsInitialisedIsFound) {
  SimDriver sim(rigOptions(SimPolicy::Eager, 1));
  CuContext context = nullptr;
  EXPECT_EQ(SimDriver::table().retainContext(&context, 0), CuResult::NotInitialized);
  EXPECT_TRUE(sim.brokeOnly(SimRule::NotInitialized));
}

TEST(SimRules, aThreadWithoutAContextIsFound) {
  SimRig rig(rigOptions(SimPolicy::Eager, 1));
  std::jthread([&] { EXPECT_EQ(rig.driver.synchronize(nullptr), CuResult::InvalidContext); }).join();
  EXPECT_TRUE(rig.sim.brokeOnly(SimRule::NoContext));
}

TEST(SimRules, whatCodeDoesWrongIsTold) {
  SimOptions options = rigOptions(SimPolicy::Eager, 1);
  options.loader = SimHostCode::loader(
      {{"twice", {2, [](SimOperands &operands) { operands.fail("race in block: line 7"); }}}});
  SimRig rig(std::move(options));
  const CuStream stream = rig.stream();
  rig.launch(rig.allocate(), rig.allocate(), stream);
  EXPECT_EQ(rig.driver.synchronize(stream), CuResult::LaunchFailed);
  ASSERT_TRUE(rig.sim.brokeOnly(SimRule::KernelFault));
  EXPECT_EQ(rig.sim.violations()[0].what, "twice: race in block: line 7");
}

TEST(SimRules, whatBelongsToAnotherDeviceIsFound) {
  using Use = void (*)(SimRig &, CuStream, CuAddress);
  for (const Use use :
       {Use([](SimRig &rig, CuStream stream, CuAddress) { rig.driver.queryStream(stream); }),
        Use([](SimRig &rig, CuStream, CuAddress address) {
          rig.driver.copyToDevice(address, numbers.data(), 8);
        }),
        Use([](SimRig &rig, CuStream, CuAddress address) { rig.launch(address, address, nullptr); })}) {
    SimOptions options = rigOptions(SimPolicy::Eager, 1);
    options.devices = 2;
    SimRig rig(std::move(options));
    const CuStream stream = rig.stream();
    const CuAddress address = rig.allocate();
    CuContext second = nullptr;
    SimRig::expect(rig.driver.retainContext(&second, 1));
    SimRig::expect(rig.driver.setContext(second));
    use(rig, stream, address);
    ASSERT_FALSE(rig.sim.violations().empty());
    EXPECT_EQ(rig.sim.violations()[0].rule, SimRule::OtherDevice);
  }
}

TEST(SimRules, noneIsWithoutItsCase) {
  std::set<SimRule> broken = {SimRule::NotInitialized, SimRule::NoContext,     SimRule::KernelFault,
                              SimRule::Unordered,      SimRule::LibraryMisuse, SimRule::OtherDevice,
                              SimRule::CallsDisagree,  SimRule::Deadlock}; // each has a test of its own
  for (const Case &each : kCases)
    broken.insert(each.rule);
#define WINDLASS_SIM_RULE(Case, Name) EXPECT_TRUE(broken.contains(SimRule::Case)) << Name;
#include "test/support/cuda/SimRules.def"
}

TEST(SimRules, whatIsLeftIsNamed) {
  SimRig rig(rigOptions(SimPolicy::Eager, 1));
  const CuStream stream = rig.stream();
  rig.stream();
  rig.allocate();
  rig.pin(numbers.data(), 8);
  EXPECT_EQ(rig.sim.leftovers(), "2 streams, 1 module, 1 allocation, 1 pinned range, 1 context");
  SimRig::expect(rig.driver.destroyStream(stream));
  EXPECT_EQ(rig.sim.leftovers(), "1 stream, 1 module, 1 allocation, 1 pinned range, 1 context");
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// The result of a program that launches two kernels under a fault.
CuResult resultUnder(SimFault fault) {
  SimOptions options = rigOptions(SimPolicy::Random, 3);
  options.faults = {fault};
  SimRig rig(std::move(options));
  const CuAddress from = rig.allocate(), to = rig.allocate();
  const CuStream stream = rig.stream();
  SimRig::expect(rig.driver.copyToDevice(from, numbers.data(), SimRig::kBytes));
  SimRig::expect(rig.driver.synchronize(nullptr));
  rig.launch(from, to, stream);
  rig.launch(from, to, stream);
  const CuResult result = rig.driver.synchronize(stream);
  EXPECT_EQ(rig.driver.synchronize(stream), result); // the context stays dead
  EXPECT_TRUE(rig.sim.violations().empty());
  return result;
}

TEST(SimFaults, thoseOfTheDeviceKillTheContext) {
  EXPECT_EQ(resultUnder({SimFaultKind::LaunchFailed, 2}), CuResult::LaunchFailed);
  EXPECT_EQ(resultUnder({SimFaultKind::LaunchFailed, 3}), CuResult::Success);
  EXPECT_EQ(resultUnder({SimFaultKind::IllegalAddress, 1}), CuResult::IllegalAddress);
  EXPECT_EQ(resultUnder({SimFaultKind::MemoryError, 2}), CuResult::EccUncorrectable);
  EXPECT_EQ(resultUnder({SimFaultKind::DeviceLost, 3}), CuResult::Unknown);
}

TEST(SimFaults, thoseOfACallAreItsAnswer) {
  SimOptions options = rigOptions(SimPolicy::Eager, 1);
  options.faults = {
      {SimFaultKind::OutOfMemory, 2}, {SimFaultKind::PinningRefused, 1}, {SimFaultKind::NoJit, 2}};
  SimRig rig(std::move(options));
  CuAddress address = 0;
  SimRig::expect(rig.driver.allocate(&address, 8));
  EXPECT_EQ(rig.driver.allocate(&address, 8), CuResult::OutOfMemory);
  EXPECT_EQ(rig.driver.registerHost(numbers.data(), 8, kPortableHost), CuResult::OutOfMemory);
  std::array<char, 64> log{};
  JitOption asked[] = {kErrorLog, kErrorLogBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  CuModule module = nullptr;
  EXPECT_EQ(rig.driver.loadModule(&module, ".entry twice(", 2, asked, values), CuResult::InvalidPtx);
  EXPECT_STREQ(log.data(), "the compiler of the driver is not there");
}

TEST(SimFaults, aKernelThatNeverEndsHoldsUpNoOtherStream) {
  for (SimPolicy policy : kSimPolicies) {
    SimOptions options = rigOptions(policy, 1);
    options.faults = {{SimFaultKind::HungStream, 1}};
    SimRig rig(std::move(options));
    const CuAddress from = rig.allocate(), to = rig.allocate(), other = rig.allocate();
    const CuStream hung = rig.stream(), well = rig.stream();
    SimRig::expect(rig.driver.copyToDevice(from, numbers.data(), SimRig::kBytes));
    SimRig::expect(rig.driver.synchronize(nullptr));
    SimRig::expect(rig.launch(from, to, hung));
    SimRig::expect(rig.launch(from, other, well));
    EXPECT_EQ(rig.driver.queryStream(hung), CuResult::NotReady);
    SimRig::expect(rig.driver.synchronize(well));
    EXPECT_EQ(rig.driver.queryStream(hung), CuResult::NotReady);
  }
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

/// Uploads, doubles and offloads numbers on three streams, in rounds over two sets of buffers.
void pump(SimRig &rig) {
  constexpr int kRounds = 6, kSets = 2;
  static std::array<std::array<float, SimRig::kNumbers>, kSets> in, out;
  rig.pin(in.data(), sizeof(in));
  rig.pin(out.data(), sizeof(out));
  std::array<CuAddress, kSets> raw{}, doubled{};
  std::array<CuEvent, kSets> up{}, ready{}, down{};
  const CuStream uploads = rig.stream(), computes = rig.stream(), offloads = rig.stream();
  for (int set = 0; set < kSets; ++set) {
    raw[set] = rig.allocate();
    doubled[set] = rig.allocate();
    up[set] = rig.event();
    ready[set] = rig.event();
    down[set] = rig.event();
  }
  for (int round = 0; round < kRounds; ++round) {
    const int set = round % kSets;
    if (round >= kSets) {
      while (rig.driver.queryEvent(down[set]) == CuResult::NotReady)
        std::this_thread::yield();
      rig.driver.waitForEvent(uploads, ready[set], 0);
      rig.driver.waitForEvent(computes, down[set], 0);
    }
    rig.driver.enqueueUpload(raw[set], in[set].data(), SimRig::kBytes, uploads);
    rig.driver.record(up[set], uploads);
    rig.driver.waitForEvent(computes, up[set], 0);
    rig.launch(raw[set], doubled[set], computes);
    rig.driver.record(ready[set], computes);
    rig.driver.waitForEvent(offloads, ready[set], 0);
    rig.driver.enqueueOffload(out[set].data(), doubled[set], SimRig::kBytes, offloads);
    rig.driver.record(down[set], offloads);
  }
  for (CuStream stream : {uploads, computes, offloads})
    rig.driver.synchronize(stream);
}

TEST(SimMutants, theProgramWithoutAMistakeBreaksNoRule) {
  for (SimPolicy policy : kSimPolicies)
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      SimRig rig(rigOptions(policy, seed));
      pump(rig);
      const auto broken = rig.sim.violations();
      EXPECT_TRUE(broken.empty()) << nameOf(broken[0].rule) << ": " << broken[0].what;
    }
}

TEST(SimMutants, everyMistakeIsFoundByNameWithinEightSeeds) {
  for (SimMutant mutant : kSimMutants)
    for (SimPolicy policy : kSimPolicies) {
      bool isFound = false;
      for (uint64_t seed = 1; seed <= 8 && !isFound; ++seed) {
        SimRig rig(rigOptions(policy, seed), mutatedTable(mutant, static_cast<int64_t>(seed)));
        pump(rig);
        const std::vector<SimRule> expected = rulesBrokenBy(mutant);
        isFound = std::ranges::any_of(rig.sim.violations(), [&](const SimViolation &each) {
          return std::ranges::find(expected, each.rule) != expected.end();
        });
      }
      EXPECT_TRUE(isFound) << nameOf(mutant) << " under policy " << static_cast<int>(policy);
    }
}

} // namespace
