// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/LaneCounter.h"
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace windlass;

TEST(LaneCounter, passesWhatIsReached) {
  LaneCounter counter;
  counter.publish();
  counter.publish();
  EXPECT_TRUE(counter.waitFor(0));
  EXPECT_TRUE(counter.waitFor(2));
}

TEST(LaneCounter, wakesEverySleeperAtItsOwnTarget) {
  constexpr uint32_t kLast = 1000;
  LaneCounter counter;
  std::atomic<uint32_t> published = 0;
  std::vector<std::thread> sleepers;
  for (uint32_t stride : {1u, 7u, 250u})
    sleepers.emplace_back([&, stride] {
      for (uint32_t target = stride; target <= kLast; target += stride) {
        EXPECT_TRUE(counter.waitFor(target));
        EXPECT_GE(published.load(), target);
      }
    });
  for (uint32_t i = 0; i < kLast; ++i) {
    ++published;
    counter.publish();
  }
  for (std::thread &sleeper : sleepers)
    sleeper.join();
}

TEST(LaneCounter, releasesSleepersWhenStopped) {
  LaneCounter counter;
  std::thread sleeper([&] { EXPECT_FALSE(counter.waitFor(1)); });
  counter.stop();
  sleeper.join();
  EXPECT_FALSE(counter.waitFor(0));
  counter.reset();
  EXPECT_TRUE(counter.waitFor(0));
}
