// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated driver does what the documentation of the real driver says, at the worst moment that it
// allows.
#include "test/support/cuda/driver/SimDriver.h"
#include "test/support/cuda/driver/SimRig.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>
#include <unistd.h>

using namespace windlass;
using namespace windlass::test;
using namespace windlass::cuda;

namespace {

/// Kernels with the names "0", "1", ..., and the order in which they ran.
struct Order {
  std::vector<int> ran;

  SimOptions options(SimPolicy policy, uint64_t seed) {
    SimHostCode::Functions functions;
    for (int i = 0; i < 10; ++i)
      functions[std::to_string(i)] = {0, [this, i](SimOperands &) { ran.push_back(i); }};
    SimOptions made;
    made.policy = policy;
    made.seed = seed;
    made.loader = SimHostCode::loader(std::move(functions));
    return made;
  }
};

/// A program whose kernels record that they ran.
class Program {
public:
  explicit Program(SimPolicy policy, uint64_t seed = 1)
      : sim(order.options(policy, seed)), driver(SimDriver::table()) {
    CuContext context = nullptr;
    CuModule module = nullptr;
    SimRig::expect(driver.init(0));
    SimRig::expect(driver.retainContext(&context, 0));
    SimRig::expect(driver.setContext(context));
    std::string image;
    for (int i = 0; i < 10; ++i)
      image += ".entry " + std::to_string(i) + "(";
    SimRig::expect(driver.loadModule(&module, image.c_str(), 0, nullptr, nullptr));
    for (int i = 0; i < 10; ++i)
      SimRig::expect(driver.function(&kernels[i], module, std::to_string(i).c_str()));
    for (CuStream &stream : streams)
      SimRig::expect(driver.createStream(&stream, kNonBlockingStream));
    for (CuEvent &event : events)
      SimRig::expect(driver.createEvent(&event, kUntimedEvent));
  }
  void run(int kernel, int stream) {
    SimRig::expect(driver.launch(kernels[kernel], 1, 1, 1, 1, 1, 1, 0, streams[stream], nullptr, nullptr));
  }
  void record(int event, int stream) { SimRig::expect(driver.record(events[event], streams[stream])); }
  void wait(int stream, int event) { SimRig::expect(driver.waitForEvent(streams[stream], events[event], 0)); }
  void finish(int stream) { SimRig::expect(driver.synchronize(streams[stream])); }

  Order order;
  SimDriver sim;
  Driver driver;
  std::array<CuFunction, 10> kernels{};
  std::array<CuStream, 3> streams{};
  std::array<CuEvent, 3> events{};
};

bool isReadable(const void *at) {
  int ends[2];
  if (pipe(ends) != 0)
    return true;
  const bool wrote = write(ends[1], at, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return wrote;
}

TEST(SimDriver, deviceMemoryIsOutOfReach) {
  SimRig rig(rigOptions(SimPolicy::Eager, 1));
  const CuAddress address = rig.allocate();
  EXPECT_EQ(address % 256, 0u);
  EXPECT_NE(address % 512, 0u);
  for (CuAddress at : {address - 1, address, address + SimRig::kBytes})
    EXPECT_FALSE(isReadable(reinterpret_cast<const void *>(at)));
}

TEST(SimDriver, nothingRunsBeforeTheLazyDeviceIsWaitedFor) {
  Program program(SimPolicy::Lazy);
  program.run(0, 0);
  program.run(1, 1);
  program.finish(1);
  EXPECT_EQ(program.order.ran, std::vector<int>{1});
  program.finish(0);
  EXPECT_EQ(program.order.ran, (std::vector<int>{1, 0}));
}

TEST(SimDriver, theLazyDeviceRunsWhatAWaitNeedsAndNoMore) {
  Program program(SimPolicy::Lazy);
  program.run(0, 0);
  program.record(0, 0);
  program.run(1, 0);
  program.wait(1, 0);
  program.run(2, 1);
  program.run(3, 1);
  program.record(1, 1);
  program.run(4, 1);
  while (program.driver.queryEvent(program.events[1]) == CuResult::NotReady)
    std::this_thread::yield();
  EXPECT_EQ(program.order.ran, (std::vector<int>{0, 2, 3}));
  program.finish(0);
  program.finish(1);
  EXPECT_TRUE(program.sim.violations().empty());
}

// A wait is for the last record before the call, not for a later record.
TEST(SimDriver, aWaitIsForTheRecordOfItsMoment) {
  Program program(SimPolicy::Lazy);
  program.run(0, 0);
  program.record(0, 0);
  program.wait(1, 0);
  program.run(1, 0);
  program.record(0, 0);
  program.run(2, 1);
  program.finish(1);
  EXPECT_EQ(program.order.ran, (std::vector<int>{0, 2}));
  program.finish(0);
}

// An event that was never recorded delays nobody. No program of ours may rely on that.
TEST(SimDriver, anEventThatWasNeverRecordedPassesAtOnce) {
  Program program(SimPolicy::Lazy);
  program.run(0, 0);
  program.wait(1, 0);
  program.run(1, 1);
  program.finish(1);
  EXPECT_EQ(program.order.ran, std::vector<int>{1});
  EXPECT_TRUE(program.sim.brokeOnly(SimRule::NeverRecorded));
  program.finish(0);
}

TEST(SimDriver, aStreamRunsInItsOrderUnderEveryPolicy) {
  for (SimPolicy policy : kSimPolicies)
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      Program program(policy, seed);
      for (int i = 0; i < 9; ++i)
        program.run(i, i % 3);
      for (int stream = 0; stream < 3; ++stream)
        program.finish(stream);
      ASSERT_EQ(program.order.ran.size(), 9u);
      for (int stream = 0; stream < 3; ++stream) {
        std::vector<int> mine;
        std::ranges::copy_if(program.order.ran, std::back_inserter(mine),
                             [&](int each) { return each % 3 == stream; });
        EXPECT_EQ(mine, (std::vector<int>{stream, stream + 3, stream + 6}));
      }
    }
}

TEST(SimDriver, aSeedReplaysItsRunAndAnotherRunsAnotherWay) {
  auto orderOf = [](uint64_t seed) {
    Program program(SimPolicy::OneStreamAhead, seed);
    for (int i = 0; i < 9; ++i)
      program.run(i, i % 3);
    for (int stream = 0; stream < 3; ++stream)
      program.finish(stream);
    return program.order.ran;
  };
  std::set<std::vector<int>> orders;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const std::vector<int> order = orderOf(seed);
    EXPECT_EQ(orderOf(seed), order);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 1u);
}

// Each thread must enter the context by itself.
TEST(SimDriver, aThreadThatEnteredNoContextIsRefused) {
  SimRig rig(rigOptions(SimPolicy::Eager, 1));
  std::jthread([&] {
    CuAddress address = 0;
    EXPECT_EQ(rig.driver.allocate(&address, 64), CuResult::InvalidContext);
    EXPECT_TRUE(rig.sim.brokeOnly(SimRule::NoContext));
    SimRig::expect(rig.driver.setContext(rig.context));
    SimRig::expect(rig.driver.allocate(&address, 64));
  });
}

TEST(SimDriver, aCopyOfPageableMemoryReturnsBeforeItHasLanded) {
  for (bool synchronizes : {false, true})
    for (SimPolicy policy : kSimPolicies) {
      SimRig rig(rigOptions(policy, 1));
      std::vector<float> in(SimRig::kNumbers, 1.5f), out(SimRig::kNumbers);
      const CuAddress from = rig.allocate(), to = rig.allocate();
      const CuStream stream = rig.stream();
      SimRig::expect(rig.driver.copyToDevice(from, in.data(), SimRig::kBytes));
      std::ranges::fill(in, 0.0f); // the driver has copied them
      if (synchronizes)
        SimRig::expect(rig.driver.synchronize(nullptr));
      SimRig::expect(rig.launch(from, to, stream));
      rig.driver.synchronize(stream);
      EXPECT_EQ(rig.sim.violations().empty(), synchronizes);
      if (!synchronizes)
        continue;
      SimRig::expect(rig.driver.copyToHost(out.data(), to, SimRig::kBytes));
      EXPECT_EQ(out, std::vector<float>(SimRig::kNumbers, 3.0f));
    }
}

TEST(SimDriver, aCopyOfPinnedMemoryIsDoneWhenItReturns) {
  SimRig rig(rigOptions(SimPolicy::Lazy, 1));
  std::vector<float> in(SimRig::kNumbers, 1.5f);
  rig.pin(in.data(), SimRig::kBytes);
  const CuAddress from = rig.allocate(), to = rig.allocate();
  SimRig::expect(rig.driver.copyToDevice(from, in.data(), SimRig::kBytes));
  SimRig::expect(rig.launch(from, to, rig.stream()));
  EXPECT_TRUE(rig.sim.violations().empty());
}

/// Uploads numbers on one stream, and doubles them on another, which waits for the first if `waits`.
std::vector<float> relay(SimRig &rig, bool waits) {
  static std::array<float, SimRig::kNumbers> in, out;
  std::iota(in.begin(), in.end(), 1.0f);
  rig.pin(in.data(), SimRig::kBytes);
  rig.pin(out.data(), SimRig::kBytes);
  const CuAddress from = rig.allocate(), to = rig.allocate();
  const CuStream up = rig.stream(), compute = rig.stream();
  const CuEvent event = rig.event();
  SimRig::expect(rig.driver.enqueueUpload(from, in.data(), SimRig::kBytes, up));
  SimRig::expect(rig.driver.record(event, up));
  if (waits)
    SimRig::expect(rig.driver.waitForEvent(compute, event, 0));
  rig.launch(from, to, compute);
  rig.driver.enqueueOffload(out.data(), to, SimRig::kBytes, compute);
  rig.driver.synchronize(compute);
  rig.driver.synchronize(up);
  return {out.begin(), out.end()};
}

TEST(SimDriver, accessesInNoOrderAreFoundThoughTheBytesAreRight) {
  SimRig eager(rigOptions(SimPolicy::Eager, 1));
  EXPECT_EQ(relay(eager, false)[3], 8.0f); // the bytes are right by chance
  ASSERT_TRUE(eager.sim.brokeOnly(SimRule::Unordered));
  EXPECT_EQ(eager.sim.violations()[0].what, "kernel twice (2) of stream 3 reads bytes that upload (1) of "
                                            "stream 2 wrote, and nothing orders the two");
}

TEST(SimDriver, aMissingWaitIsFoundUnderEveryPolicy) {
  for (SimPolicy policy : kSimPolicies)
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      {
        SimRig rig(rigOptions(policy, seed));
        relay(rig, false);
        EXPECT_FALSE(rig.sim.violations().empty());
      }
      SimRig rig(rigOptions(policy, seed));
      EXPECT_EQ(relay(rig, true)[3], 8.0f);
      EXPECT_TRUE(rig.sim.violations().empty()) << rig.sim.violations()[0].what;
    }
}

TEST(SimDriver, whatTheHostSawCompleteComesBeforeWhatItDoesNext) {
  SimRig rig(rigOptions(SimPolicy::Random, 1));
  std::array<float, SimRig::kNumbers> in{}, out{};
  rig.pin(in.data(), SimRig::kBytes);
  rig.pin(out.data(), SimRig::kBytes);
  const CuAddress device = rig.allocate();
  const CuStream up = rig.stream(), down = rig.stream();
  rig.sim.hostWrites(std::as_bytes(std::span(in)), "feed");
  SimRig::expect(rig.driver.enqueueUpload(device, in.data(), SimRig::kBytes, up));
  SimRig::expect(rig.driver.synchronize(up));
  SimRig::expect(rig.driver.enqueueOffload(out.data(), device, SimRig::kBytes, down));
  SimRig::expect(rig.driver.synchronize(down));
  rig.sim.hostReads(std::as_bytes(std::span(out)), "report");
  EXPECT_TRUE(rig.sim.violations().empty());
  SimRig::expect(rig.driver.enqueueOffload(out.data(), device, SimRig::kBytes, down));
  rig.sim.hostReads(std::as_bytes(std::span(out)), "report");
  SimRig::expect(rig.driver.synchronize(down));
  EXPECT_TRUE(rig.sim.brokeOnly(SimRule::Unordered));
}

} // namespace
