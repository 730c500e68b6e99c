// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX on the simulated driver: its values, its accesses and its faults.
#include "test/support/cuda/SimPtxCode.h"
#include "test/support/cuda/driver/SimDriver.h"
#include "test/support/ptx/PtxText.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace windlass;
using namespace windlass::test;
using namespace windlass::cuda;

namespace {

constexpr unsigned kThreads = 32, kBlocks = 3;
constexpr size_t kNumbers = kThreads * kBlocks, kBytes = kNumbers * sizeof(float);

/// b = a + a, element by element. The stores are moved by `moved` bytes.
std::string doubling(int moved = 0) {
  return ptx::textOf("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
                     "mad.lo.s32 %r4, %r2, %r3, %r1;\nmul.wide.u32 %d1, %r4, 4;\n"
                     "ld.param.b64 %d2, [a];\nld.param.b64 %d3, [b];\n"
                     "add.s64 %d4, %d2, %d1;\nadd.s64 %d5, %d3, %d1;\n"
                     "ld.global.b32 %r5, [%d4];\nadd.rn.f32 %r6, %r5, %r5;\n"
                     "st.global.b32 [%d5+" +
                         std::to_string(moved) + "], %r6;\n",
                     2, kThreads);
}

SimOptions running(SimPolicy policy, uint64_t seed) {
  SimOptions options;
  options.policy = policy;
  options.seed = seed;
  options.loader = ptxLoader(seed);
  return options;
}

/// Uploads numbers on one stream, and doubles and offloads them on another.
struct Doubled {
  explicit Doubled(SimPolicy policy, uint64_t seed = 1) : sim(running(policy, seed)) {
    CuContext context = nullptr;
    driver.init(0);
    driver.retainContext(&context, 0);
    driver.setContext(context);
    driver.registerHost(in.data(), kBytes, kPortableHost);
    driver.registerHost(out.data(), kBytes, kPortableHost);
    driver.allocate(&a, kBytes);
    driver.allocate(&b, kBytes);
    driver.createStream(&up, kNonBlockingStream);
    driver.createStream(&compute, kNonBlockingStream);
    driver.createEvent(&uploaded, kUntimedEvent);
    std::iota(in.begin(), in.end(), 1.0f);
  }

  CuResult run(const std::string &text, bool uploads, bool waits, unsigned threads = kThreads) {
    CuModule module = nullptr;
    CuFunction kernel = nullptr;
    if (CuResult refused = driver.loadModule(&module, text.c_str(), 0, nullptr, nullptr);
        refused != CuResult::Success)
      return refused;
    driver.function(&kernel, module, "k");
    if (uploads)
      driver.enqueueUpload(a, in.data(), kBytes, up);
    driver.record(uploaded, up);
    if (waits)
      driver.waitForEvent(compute, uploaded, 0);
    void *parameters[] = {&a, &b};
    if (CuResult refused =
            driver.launch(kernel, kBlocks, 1, 1, threads, 1, 1, 0, compute, parameters, nullptr);
        refused != CuResult::Success)
      return refused;
    driver.enqueueOffload(out.data(), b, kBytes, compute);
    const CuResult ended = driver.synchronize(compute);
    driver.synchronize(up);
    return ended;
  }

  std::vector<float> in = std::vector<float>(kNumbers), out = in;
  SimDriver sim;
  Driver driver = SimDriver::table();
  CuAddress a = 0, b = 0;
  CuStream up = nullptr, compute = nullptr;
  CuEvent uploaded = nullptr;
};

TEST(SimPtxCode, runsTheTextUnderEveryPolicy) {
  for (SimPolicy policy : kSimPolicies)
    for (uint64_t seed = 0; seed < 4; ++seed) {
      Doubled run(policy, seed);
      ASSERT_EQ(run.run(doubling(), true, true), CuResult::Success);
      EXPECT_TRUE(run.sim.violations().empty()) << run.sim.violations()[0].what;
      for (size_t i = 0; i < kNumbers; ++i)
        ASSERT_EQ(run.out[i], 2 * run.in[i]);
    }
}

TEST(SimPtxCode, whatItTouchesIsHeldAgainstWhatOthersTouch) {
  Doubled run(SimPolicy::Eager);
  run.run(doubling(), true, false);
  EXPECT_TRUE(run.sim.brokeOnly(SimRule::Unordered));
}

TEST(SimPtxCode, whatItDoesWrongKillsTheContext) {
  Doubled unwritten(SimPolicy::Eager);
  EXPECT_EQ(unwritten.run(doubling(), false, true), CuResult::Success); // as on a device
  EXPECT_TRUE(unwritten.sim.brokeOnly(SimRule::UnwrittenRead));
}

TEST(SimPtxCode, anAddressBehindAnAllocationIsIllegal) {
  Doubled beyond(SimPolicy::Eager);
  EXPECT_EQ(beyond.run(doubling(4), true, true), CuResult::IllegalAddress);
  EXPECT_TRUE(beyond.sim.brokeOnly(SimRule::OutOfBounds));
}

TEST(SimPtxCode, anAddressThatIsNoMultipleOfItsSizeIsFound) {
  Doubled misaligned(SimPolicy::Eager);
  EXPECT_NE(misaligned.run(doubling(2), true, true), CuResult::Success);
  ASSERT_TRUE(misaligned.sim.brokeOnly(SimRule::KernelFault));
  EXPECT_EQ(misaligned.sim.violations()[0].what.find("k: misaligned"), 0u)
      << misaligned.sim.violations()[0].what;
}

TEST(SimPtxCode, aBlockHasTheThreadsThatTheTextAsksFor) {
  Doubled narrow(SimPolicy::Eager);
  EXPECT_EQ(narrow.run(doubling(), true, true, kThreads / 2), CuResult::InvalidValue);
  EXPECT_TRUE(narrow.sim.brokeOnly(SimRule::BadLaunch));
}

TEST(SimPtxCode, aTextThatIsNotUnderstoodIsRefused) {
  Doubled other(SimPolicy::Eager);
  EXPECT_EQ(other.run(ptx::textOf("frobnicate.f32 %r1, %r2;\n", 2), true, true), CuResult::InvalidPtx);
}

} // namespace
