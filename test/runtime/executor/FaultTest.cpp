// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// After any failure the step ends, and the error names the place.
#include "runtime/executor/ConcurrentExecutor.h"
#include "test/runtime/executor/TestHost.h"
#include "test/runtime/tiers/FaultyEngine.h"
#include "test/support/Folders.h"
#include "test/support/SyntheticPlan.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

ExecutorOptions inScratch() {
  ExecutorOptions options;
  options.scratchFolder = WINDLASS_BINARY_DIR;
  return options;
}

class HostFaults : public testing::TestWithParam<const char *> {};

TEST_P(HostFaults, stopEveryRankAndNameTheInstruction) {
  for (int64_t rank = 0; rank < 3; ++rank)
    for (bool reference : {false, true}) {
      plan::Plan plan = makeSyntheticPlan({.seed = 2, .ranks = 3, .microBatches = 2, .layers = 3});
      ExecutorOptions options = inScratch();
      options.reference = reference;
      auto executor = Executor::create(plan, options);
      ASSERT_TRUE(executor) << executor.status().message();
      TestHost host(3);
      host.failingItem = GetParam();
      host.failingRank = rank;
      Status status = (*executor)->run(plan::Purpose::Train, host);
      ASSERT_FALSE(status);
      EXPECT_EQ(status.code(), ExitCode::RunFailed);
      EXPECT_EQ(status.message().find("rank " + std::to_string(rank) + ", host_compute "), 0u)
          << status.message();
      EXPECT_NE(status.message().find(GetParam()), std::string::npos) << status.message();
      EXPECT_EQ((*executor)->run(plan::Purpose::Train, host).message(),
                status.message()); // nothing runs on broken states
    }
}

INSTANTIATE_TEST_SUITE_P(Items, HostFaults,
                         testing::Values("features", "learning_rate", "loss", "grad_norm"));

TEST(DiskFaults, stopEveryRankAndNameTheTransfer) {
  int failed = 0;
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    plan::Plan plan = makeSyntheticPlan(
        {.seed = seed, .ranks = 2, .microBatches = 1 + static_cast<int64_t>(seed % 4), .layers = 4});
    EngineFactory faulty = [seed](const EngineConfig &wanted) -> Result<std::unique_ptr<BlockEngine>> {
      Faults faults{.seed = seed, .shortMoves = 0.2, .errors = 0.1};
      return std::unique_ptr<BlockEngine>(
          std::make_unique<FaultyEngine>(makeThreadEngine(wanted).take(), faults));
    };
    auto parts = ExecutorParts::create(plan, inScratch(), faulty);
    ASSERT_TRUE(parts) << parts.status().message();
    auto executor = ConcurrentExecutor::create(parts.take());
    ASSERT_TRUE(executor) << executor.status().message();
    TestHost host(2);
    Status status;
    for (int step = 0; step < 3 && status.isOk(); ++step)
      status = (*executor)->run(plan::Purpose::Train, host);
    if (status.isOk())
      continue; // this plan keeps nothing on NVMe, or no fault was drawn
    ++failed;
    EXPECT_EQ(status.code(), ExitCode::RunFailed);
    EXPECT_NE(status.message().find(", nc_"), std::string::npos) << status.message();
    EXPECT_NE(status.message().find("Input/output error"), std::string::npos) << status.message();
  }
  EXPECT_GE(failed, 8);
}

TEST(DiskFaults, aFolderThatIsMissingIsNamed) {
  plan::Plan plan = makeSyntheticPlan({.seed = 1, .ranks = 2, .layers = 6});
  ExecutorOptions options;
  options.scratchFolder = "/nowhere/at/all";
  auto executor = Executor::create(plan, options);
  ASSERT_FALSE(executor);
  EXPECT_EQ(executor.status().code(), ExitCode::BadInput);
  EXPECT_NE(executor.status().message().find("'/nowhere/at/all'"), std::string::npos);
}

} // namespace
