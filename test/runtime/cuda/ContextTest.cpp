// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Context.h"
#include "test/support/cuda/driver/SimDriver.h"
#include <gtest/gtest.h>
#include <thread>

using namespace windlass;
using namespace windlass::cuda;
using namespace windlass::test;

namespace {

Status refusalUnder(SimFault fault) {
  SimOptions options;
  options.faults = {fault};
  SimDriver sim(std::move(options));
  return Context::create(SimDriver::table()).status();
}

TEST(Context, saysWhatTheDeviceIsAndGivesItBack) {
  SimDriver sim({});
  {
    auto context = Context::create(SimDriver::table());
    ASSERT_TRUE(context) << context.status().message();
    EXPECT_EQ((*context)->facts().name, "Simulated GPU");
    EXPECT_EQ((*context)->facts().capability, 90);
    EXPECT_EQ((*context)->facts().multiprocessors, 132);
    EXPECT_EQ((*context)->facts().driverRelease, 12040);
    EXPECT_EQ(sim.leftovers(), "1 context");
  }
  EXPECT_EQ(sim.leftovers(), "");
  EXPECT_TRUE(sim.violations().empty());
}

TEST(Context, isEnteredByEveryThreadThatCalls) {
  for (int again = 0; again < 2; ++again) { // the second context may have the same address
    SimDriver sim({});
    const auto context = Context::create(SimDriver::table()).take();
    auto ask = [&] { EXPECT_TRUE(context->memory()); };
    ask();
    std::jthread(ask).join();
    EXPECT_TRUE(sim.violations().empty());
  }
}

TEST(Context, aMachineWithoutAGpuIsRefused) {
  const Status none = refusalUnder({SimFaultKind::NoDevice, 1});
  EXPECT_EQ(none.code(), ExitCode::CannotFit);
  EXPECT_EQ(none.message(), "a cuda plan here needs an NVIDIA GPU, and the driver shows none");
}

TEST(Context, aDriverThatCannotReadTheCodeOfPlansIsRefused) {
  const Status old = refusalUnder({SimFaultKind::OldDriver, 1});
  EXPECT_EQ(old.code(), ExitCode::CannotFit);
  EXPECT_EQ(old.message(),
            "a cuda plan here needs a driver for CUDA 12.0 or later; this one is for CUDA 11.4");
}

TEST(Context, aFunctionThatTheDriverLacksIsNamed) {
  SimDriver sim({});
  EXPECT_TRUE(bindDriver(SimDriver::library()));
  EXPECT_EQ(bindDriver(SimDriver::library("cuEventQuery")).status().message(),
            "a cuda plan here needs NVIDIA's driver of release 2.0 or later: 'libcuda.so.1' has no "
            "'cuEventQuery'");
}

} // namespace
