// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// After the first step only oneDNN requests memory, in small pieces of known size.
#include "test/runtime/executor/TestHost.h"
#include "test/runtime/kernels/AllocationWatch.h"
#include "test/support/Folders.h"
#include "test/support/SyntheticPlan.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

int64_t launchesPerStep(const plan::Plan &plan) {
  int64_t launches = 0;
  for (const plan::Section &section : plan.programs[0].sections)
    if (section.name != "evaluate")
      for (const plan::Instruction &instruction : section.instructions)
        launches += instruction.op == plan::Opcode::Launch;
  return launches * plan.ranks();
}

TEST(SteadyStep, allocatesNothingOfOurs) {
  if (!kWatching)
    GTEST_SKIP() << "the sanitizer owns malloc";
  for (NvmeEngine engine : {NvmeEngine::Automatic, NvmeEngine::Threads})
    for (const auto &[seed, replicas] : {std::pair{1, 1}, {2, 1}, {3, 1}, {4, 1}, {1, 2}, {2, 3}}) {
      plan::Plan plan = makeSyntheticPlan({.seed = static_cast<uint64_t>(seed),
                                           .ranks = 2 * replicas,
                                           .microBatches = 2,
                                           .layers = 4,
                                           .replicas = replicas});
      ExecutorOptions options;
      options.scratchFolder = WINDLASS_BINARY_DIR;
      options.nvmeEngine = engine;
      options.recordTrace = true;
      auto executor = Executor::create(plan, options);
      ASSERT_TRUE(executor) << executor.status().message();
      TestHost host(plan.ranks());
      ASSERT_TRUE((*executor)->run(plan::Purpose::Train, host));
      startWatch();
      Status status = (*executor)->run(plan::Purpose::Train, host);
      Allocations seen = stopWatch();
      ASSERT_TRUE(status) << status.message();
      EXPECT_EQ(seen.ours, 0);
      EXPECT_EQ(seen.mappings, 0);
      EXPECT_LT(seen.largest, libraryRequestLimit());
      EXPECT_EQ(seen.kept, 0);
      // OneDNN 2.6 makes seven small requests in each matmul.
      EXPECT_LE(seen.count, 7 * launchesPerStep(plan));
    }
}

} // namespace
