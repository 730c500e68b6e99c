// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random plans on both executors: the same bytes everywhere.
#include "test/runtime/executor/Agreement.h"
#include "test/support/Folders.h"
#include "test/support/SyntheticPlan.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

void expectBothAgree(const SyntheticOptions &synthetic, ExecutorOptions options, int64_t threadsPerRank = 1) {
  SCOPED_TRACE("seed " + std::to_string(synthetic.seed) + ", ranks " + std::to_string(synthetic.ranks) +
               ", micro-batches " + std::to_string(synthetic.microBatches));
  plan::Plan plan = makeSyntheticPlan(synthetic);
  plan.training.threadsPerRank = threadsPerRank;
  options.scratchFolder = WINDLASS_BINARY_DIR;
  options.canary = 0x5A;
  ExecutorOptions reference = options;
  reference.reference = true;
  expectAgreement(plan, {reference, {}}, {options, {}});
}

TEST(Agreement, randomPlansLeaveTheSameBytesOnBothExecutors) {
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    SyntheticOptions synthetic;
    synthetic.seed = seed;
    synthetic.ranks = 1 + static_cast<int64_t>(seed % 4);
    synthetic.microBatches = 1 + static_cast<int64_t>(seed / 4 % 5);
    synthetic.layers = 2 + static_cast<int64_t>(seed % 3);
    synthetic.nvmeDepth = 1 + static_cast<int64_t>(seed % 5);
    expectBothAgree(synthetic, {});
    if (HasFatalFailure())
      return;
  }
}

TEST(Agreement, groupsThatHoldCopiesLeaveTheSameBytes) {
  for (int64_t replicas : {2, 3})
    for (int64_t microBatches : {1, 2, 3})
      expectBothAgree({.seed = static_cast<uint64_t>(3 * replicas + microBatches),
                       .ranks = 2 * replicas,
                       .microBatches = microBatches,
                       .layers = 4,
                       .replicas = replicas},
                      {});
}

TEST(Agreement, bothNvmeEnginesLeaveTheSameBytes) {
  for (NvmeEngine engine : {NvmeEngine::IoUring, NvmeEngine::Threads})
    for (bool direct : {false, true}) {
      ExecutorOptions options;
      options.nvmeEngine = engine;
      options.directIo = direct;
      expectBothAgree({.seed = 5, .ranks = 2, .microBatches = 3, .layers = 4}, options);
    }
}

TEST(Agreement, severalThreadsPerRankLeaveTheSameBytes) {
  expectBothAgree({.seed = 6, .ranks = 2, .microBatches = 2, .layers = 3}, {}, 2);
}

} // namespace
