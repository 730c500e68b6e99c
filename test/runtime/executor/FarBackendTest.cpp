// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executors know a device only through its backend. On a device whose memory the host cannot read, and
// whose work is done later, the same plans give the same bytes as on the cpu.
#include "test/runtime/backend/FarBackend.h"
#include "runtime/plan/Layout.h"
#include "test/runtime/executor/Agreement.h"
#include "test/runtime/executor/TestHost.h"
#include "test/support/Folders.h"
#include "test/support/SyntheticPlan.h"
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

using namespace windlass;
using namespace windlass::test;

namespace {

ExecutorOptions inScratch(bool reference) {
  ExecutorOptions options;
  options.scratchFolder = WINDLASS_BINARY_DIR;
  options.reference = reference;
  options.canary = 0x5A;
  return options;
}

Contestant far(FarDevice &device, bool reference) {
  return {inScratch(reference), [&device] { return makeFarBackend(device); }};
}

/// Whether the system can read a byte at this address for the process.
bool isReadable(const std::byte *at) {
  int ends[2];
  if (pipe(ends) != 0)
    return true;
  const bool wrote = write(ends[1], at, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return wrote;
}

plan::Plan planOf(uint64_t seed) {
  return makeSyntheticPlan({.seed = seed,
                            .ranks = 1 + static_cast<int64_t>(seed % 3),
                            .microBatches = 1 + static_cast<int64_t>(seed % 4),
                            .layers = 2 + static_cast<int64_t>(seed % 3)});
}

TEST(FarBackend, itsMemoryIsOutOfReach) {
  FarDevice device;
  auto backend = makeFarBackend(device);
  auto memory = backend->makeMemory(0, 8192, -1);
  ASSERT_TRUE(memory) << memory.status().message();
  EXPECT_FALSE(isReadable((*memory)->data()));
  EXPECT_FALSE(isReadable((*memory)->data() + 8191));
  EXPECT_TRUE((*memory)->hostView().empty());
  std::byte in{3}, out{4};
  EXPECT_TRUE(isReadable(&in));
  ASSERT_TRUE((*memory)->upload((*memory)->data() + 5, &in, 1, nullptr));
  ASSERT_TRUE((*memory)->offload(&out, (*memory)->data() + 5, 1, nullptr));
  EXPECT_EQ(out, in);
}

/// The work of a kernel's helper threads counts for its launch, and for no other instruction.
TEST(FarBackend, aLaunchTakesWhatItsHelpersWork) {
  constexpr double kOfHelpers = 1000;
  const plan::Plan plan = makeSyntheticPlan({.seed = 3, .ranks = 1, .microBatches = 2, .layers = 2});
  for (bool reference : {true, false}) {
    FarDevice device;
    device.hasStreams = false;
    device.helperSeconds = kOfHelpers;
    ExecutorOptions options = inScratch(reference);
    options.recordTrace = options.recordWork = true;
    auto executor = open(plan, {options, [&device] { return makeFarBackend(device); }});
    ASSERT_TRUE(executor);
    TestHost host(1);
    ASSERT_TRUE(executor->run(plan::Purpose::Train, host));
    int64_t launches = 0;
    for (const TraceEvent &event : executor->trace()) {
      const plan::Instruction &ran = plan.programs[0].sections[event.section].instructions[event.instruction];
      if (ran.op != plan::Opcode::Launch)
        EXPECT_LT(event.work, kOfHelpers);
      else if (ran.lane == plan::Lane::Compute) {
        EXPECT_GE(event.work, kOfHelpers);
        ++launches;
      }
    }
    EXPECT_GT(launches, 4);
  }
}

TEST(FarBackend, theConcurrentExecutorLeavesTheBytesOfTheCpu) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const plan::Plan plan = planOf(seed);
    FarDevice device;
    device.seed = 100 * seed;
    expectAgreement(plan, {inScratch(true), {}}, far(device, false));
    if (HasFatalFailure())
      return;
    EXPECT_GT(device.launches, 0);
    EXPECT_GT(device.copies, 0);
    EXPECT_GT(device.collectives, 0);
    EXPECT_EQ(device.pinnedArenas, plan.ranks());
  }
}

// The first launch waits for copies and gathers that the device holds until a stream waits for them. A host
// that waited for their end before it enqueued the launch would wait forever.
TEST(FarBackend, itsLanesWaitForEachOtherThere) {
  FarDevice device;
  device.holdsUntilAWait = true;
  expectAgreement(planOf(4), {inScratch(true), {}}, far(device, false));
  EXPECT_GT(device.waitsOnDevice, 0);
}

// Each group has its own transport, between its members' memories and over their streams.
TEST(FarBackend, groupsOfAMeshLeaveTheBytesOfTheCpu) {
  for (bool reference : {false, true}) {
    const plan::Plan plan =
        makeSyntheticPlan({.seed = 9, .ranks = 6, .microBatches = 3, .layers = 3, .replicas = 3});
    FarDevice device;
    expectAgreement(plan, {inScratch(true), {}}, far(device, reference));
  }
}

TEST(FarBackend, aDeviceWithoutStreamsLeavesTheBytesOfTheCpu) {
  for (uint64_t seed : {3, 5, 8}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FarDevice device;
    device.hasStreams = false;
    expectAgreement(planOf(seed), {inScratch(true), {}}, far(device, false));
    EXPECT_GT(device.launches, 0);
    EXPECT_EQ(device.waitsOnDevice, 0);
  }
}

TEST(FarBackend, theReferenceExecutorLeavesTheBytesOfTheCpu) {
  for (uint64_t seed : {2, 4, 6, 7}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FarDevice device;
    expectAgreement(planOf(seed), {inScratch(true), {}}, far(device, true));
    EXPECT_GT(device.launches, 0);
  }
}

TEST(FarBackend, workThatFailsLaterStopsEveryRankAndNamesItsInstruction) {
  for (int64_t failing : {1, 5, 17}) {
    FarDevice device;
    device.failingLaunch = failing;
    const plan::Plan plan = makeSyntheticPlan({.seed = 2, .ranks = 3, .microBatches = 2, .layers = 3});
    auto executor = open(plan, far(device, false));
    ASSERT_TRUE(executor);
    initialise(plan, *executor);
    TestHost host(3);
    Status status = executor->run(plan::Purpose::Train, host);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.code(), ExitCode::RunFailed);
    EXPECT_NE(status.message().find("the device fell off the bus"), std::string::npos) << status.message();
    EXPECT_EQ(status.message().find("rank "), 0u) << status.message();
    EXPECT_NE(status.message().find(", compute "), std::string::npos) << status.message();
    EXPECT_EQ(executor->run(plan::Purpose::Train, host).message(), status.message());
  }
}

TEST(FarBackend, itsInstructionsStandInTheTraceOneAfterAnother) {
  const plan::Plan plan = planOf(5);
  FarDevice device;
  Contestant contestant = far(device, false);
  contestant.options.recordTrace = true;
  auto executor = open(plan, contestant);
  ASSERT_TRUE(executor);
  initialise(plan, *executor);
  TestHost host(plan.ranks());
  ASSERT_TRUE(executor->run(plan::Purpose::Train, host));
  ASSERT_FALSE(executor->trace().empty());
  std::map<int64_t, double> computeEnds;
  int64_t launches = 0;
  for (const TraceEvent &event : executor->trace()) {
    EXPECT_LE(event.start, event.end);
    const plan::Section &section = plan.programs[0].sections[event.section];
    if (section.instructions[event.instruction].lane != plan::Lane::Compute)
      continue;
    ++launches;
    EXPECT_GE(event.start, computeEnds[event.rank]);
    computeEnds[event.rank] = event.end;
  }
  EXPECT_GT(launches, 0);
}

TEST(FarBackend, aBackendThatNobodyKnowsIsRefused) {
  plan::Plan plan = planOf(1);
  plan.backend = "abacus";
  auto executor = Executor::create(plan, inScratch(false));
  ASSERT_FALSE(executor);
  EXPECT_EQ(executor.status().code(), ExitCode::BadInput);
  EXPECT_NE(executor.status().message().find("the backend must be 'cpu' or 'cuda', is 'abacus'"),
            std::string::npos)
      << executor.status().message();
}

} // namespace
