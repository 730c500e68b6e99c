// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules for a device with its own code: a kernel has the grids of its launches, and sums over ranks have
// staging memory.
#include "runtime/plan/Layout.h"
#include "runtime/plan/check/Checker.h"
#include "test/support/SyntheticPlan.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::plan;

namespace {

std::string firstFault(const Plan &plan) {
  std::vector<std::string> faults = findFaults(plan);
  return faults.empty() ? "" : faults.front();
}

TEST(CheckGrids, devicesWithCodeOfTheirOwnLaunchByGrids) {
  Plan plan = test::makeSyntheticPlan({.seed = 1, .ranks = 1, .generated = true});
  const auto generated = std::ranges::find(plan.kernels, KernelKind::Generated, &Kernel::kind);
  ASSERT_NE(generated, plan.kernels.end());
  ASSERT_TRUE(launchedOn(plan, {Lane::Compute})[static_cast<size_t>(generated - plan.kernels.begin())]);
  const std::string name =
      "kernel " + std::to_string(generated - plan.kernels.begin()) + " \"" + generated->symbol + "\" ";
  ASSERT_EQ(firstFault(plan), "");
  generated->phases = {{.perBlock = 64, .across = 2, .threads = 256, .sharedBytes = 1024}};
  EXPECT_EQ(firstFault(plan), name + "has a grid, but a device of 'cpu' has none");
  plan.backend = "cuda";
  EXPECT_EQ(firstFault(plan), "");
  generated->phases[0].threads = 1025;
  EXPECT_EQ(firstFault(plan), name + "has blocks of 1025 threads, more than 1024");
  generated->phases[0] = {.perBlock = 64, .across = 2, .threads = 256, .sharedBytes = 49153};
  EXPECT_EQ(firstFault(plan), name + "has blocks that share 49153 bytes, more than 49152");
  generated->phases[0] = {.perBlock = 1, .across = INT32_MAX, .threads = 256, .sharedBytes = 0};
  EXPECT_EQ(firstFault(plan), name + "has " + std::to_string(generated->extent) +
                                  " times 2147483647 blocks, more than 2147483647");
  generated->phases.clear();
  EXPECT_EQ(firstFault(plan), name + "is launched on a device of 'cuda', but has no grid for it");
}

TEST(CheckGrids, knowTheDevice) {
  Plan plan = test::makeSyntheticPlan({.seed = 1});
  plan.backend = "tpu";
  EXPECT_EQ(firstFault(plan), "the backend must be 'cpu' or 'cuda', is 'tpu'");
}

TEST(CheckGrids, sumsOverRanksAreStagedWhereTheirDeviceAsksForIt) {
  Plan plan = test::makeSyntheticPlan({.seed = 1});
  ASSERT_EQ(firstFault(plan), "");
  plan.backend = "cuda";
  EXPECT_NE(firstFault(plan).find("has 0 bytes to stage what 2 ranks sum"), std::string::npos);
}

} // namespace
