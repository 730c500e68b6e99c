// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/Pace.h"
#include "test/runtime/executor/TestHost.h"
#include "test/support/Folders.h"
#include "test/support/SyntheticPlan.h"
#include <gtest/gtest.h>

using namespace windlass;
using plan::Lane;
using Seconds = std::chrono::duration<double>;

namespace {

/// The transfers would take minutes, and the test does not wait for them. So the second transfer is booked
/// while the first is under way, even if the test loses its core for a while.
TEST(Pace, transfersOfOneLinkQueueAndLatenciesOverlap) {
  Pace pace;
  pace.setLink(Lane::CgIn, 1000.0, 0.5);
  auto before = Pace::Clock::now();
  auto first = pace.book(Lane::CgIn, 1'000'000);
  auto after = Pace::Clock::now();
  auto second = pace.book(Lane::CgIn, 200'000);
  EXPECT_GE(Seconds(first - before).count(), 1000.5 - 1e-6);
  EXPECT_LE(Seconds(first - after).count(), 1000.5 + 1e-6);
  EXPECT_NEAR(Seconds(second - first).count(), 200, 1e-6);
}

TEST(Pace, lanesWithoutARateAreNotPaced) {
  Pace pace;
  pace.setLink(Lane::CgIn, 1.0, 0.0);
  auto due = pace.book(Lane::CgOut, 1'000'000);
  EXPECT_LE(due, Pace::Clock::now());
}

/// All ranks share one clock, so that a step takes at least the sum of their transfers.
TEST(Pace, aPacedStepTakesAsLongAsItsLinkAndKeepsItsNumbers) {
  plan::Plan plan = test::makeSyntheticPlan({.seed = 4, .ranks = 2, .microBatches = 2, .layers = 2});
  ExecutorOptions options;
  options.scratchFolder = WINDLASS_BINARY_DIR;
  auto plain = Executor::create(plan, options);
  ASSERT_TRUE(plain) << plain.status().message();
  test::TestHost plainHost(2), pacedHost(2);
  ASSERT_TRUE((*plain)->run(plan::Purpose::Train, plainHost));
  double linkSeconds = 0.2;
  Pace pace;
  pace.setLink(Lane::Gg, static_cast<double>((*plain)->counters().collectiveBytes) / linkSeconds, 0);
  options.pace = &pace;
  auto paced = Executor::create(plan, options);
  ASSERT_TRUE(paced);
  auto before = Pace::Clock::now();
  ASSERT_TRUE((*paced)->run(plan::Purpose::Train, pacedHost));
  EXPECT_GE(Seconds(Pace::Clock::now() - before).count(), linkSeconds);
  EXPECT_EQ(plainHost.fingerprints, pacedHost.fingerprints);
}

} // namespace
