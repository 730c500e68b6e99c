// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a candidate takes where nothing is asked for.
#include "compiler/driver/candidates/Candidate.h"
#include <gtest/gtest.h>

using namespace windlass;

namespace {

constexpr int64_t kLeastChunk = 4 << 20, kManyParameters = 64'000'000'000;

struct Case {
  TrainingOptions training;
  model::Machine machine;
  Case() {
    machine.deviceCapacity = int64_t(32) << 30;
    machine.hostCapacity = int64_t(1) << 40;
  }
  int64_t chunk(int64_t trained) const { return updateChunk({96, trained}, training, machine); }
};

TEST(UpdateChunk, growsWithTheParametersOfARankWhereTheyAreMany) {
  Case of;
  EXPECT_EQ(of.chunk(1000), kLeastChunk);
  EXPECT_EQ(of.chunk(512 * kLeastChunk), kLeastChunk);
  EXPECT_EQ(of.chunk(kManyParameters), kManyParameters / 512);
  of.training.dataRanks = 4;
  of.training.tensorRanks = 2;
  of.training.stages = 2;
  EXPECT_EQ(of.chunk(kManyParameters), kManyParameters / 512 / 16);
}

TEST(UpdateChunk, leavesRoomOnTheHost) {
  Case of;
  of.machine.hostCapacity = int64_t(4) << 30;
  EXPECT_EQ(of.chunk(kManyParameters), (int64_t(4) << 30) / 512);
  of.machine.hostCapacity = 1 << 20;
  EXPECT_EQ(of.chunk(1000), 2048);
}

TEST(UpdateChunk, isTheOneThatIsAskedForInWholePages) {
  Case of;
  const auto taken = [&] {
    return makeCandidate(Recompute::None, 3, true, {96, kManyParameters}, of.training, of.machine)
        .chunkElements;
  };
  EXPECT_EQ(taken(), kManyParameters / 512 / 4096 * 4096);
  of.training.updateChunk = 10'000;
  EXPECT_EQ(taken(), 8192);
}

} // namespace
