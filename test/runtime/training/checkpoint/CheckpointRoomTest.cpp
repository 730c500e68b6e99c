// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/checkpoint/CheckpointRoom.h"

#include <gtest/gtest.h>

namespace windlass {
namespace {

/// The checkpoints of a run of 7 steps, from a folder with none or with two.
TEST(CheckpointRoomTest, countsWhatStandsThereAtOnce) {
  EXPECT_EQ(addedAtOnce({0, 7, 0, 2, 0}), 1) << "the last step's";
  EXPECT_EQ(addedAtOnce({0, 7, 5, 2, 0}), 2) << "steps 5 and 7";
  EXPECT_EQ(addedAtOnce({0, 7, 2, 2, 0}), 3) << "two kept, and one being written";
  EXPECT_EQ(addedAtOnce({0, 7, 2, 0, 0}), 4) << "steps 2, 4, 6 and 7";
  EXPECT_EQ(addedAtOnce({0, 8, 2, 0, 0}), 4) << "the last step is a fourth second";
  EXPECT_EQ(addedAtOnce({3, 7, 2, 0, 0}), 3) << "steps 4, 6 and 7";
  EXPECT_EQ(addedAtOnce({3, 7, 2, 2, 2}), 1) << "those that are there go one by one";
  EXPECT_EQ(addedAtOnce({3, 7, 2, 2, 9}), 1);
}

TEST(CheckpointRoomTest, warnsOfTooFewAndRefusesNone) {
  EXPECT_EQ(*checkRoom("out", 300, 100, 3), "");
  EXPECT_EQ(*checkRoom("out", UINT64_MAX, 100, 3), "");
  const std::string tight = *checkRoom("out", 299, 100, 3);
  EXPECT_TRUE(tight.starts_with("out: 299 B are free, which hold 2 of the 3 checkpoints of 100 B")) << tight;
  const Status none = checkRoom("out", 99, 100, 1).status();
  EXPECT_EQ(none.code(), ExitCode::RunFailed);
  EXPECT_TRUE(none.message().starts_with("out: a checkpoint takes 100 B, 99 B are free: make room"))
      << none.message();
}

} // namespace
} // namespace windlass
