// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Memory/MemoryChecker.h"

#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::planning;

namespace {

/// The error of the checker for these offsets and this peak.
std::string verdict(std::string_view text, std::vector<int64_t> offsets, int64_t peak) {
  MemorySolution solution;
  solution.offset = std::move(offsets);
  solution.peak = peak;
  return checkMemory(*parseMemory(text), solution).message();
}

constexpr std::string_view kPair = "buffer a bytes=100 begin=0 end=3\n"
                                   "buffer b bytes=64 begin=2 end=5 align=4\n";

} // namespace

TEST(MemoryChecker, AcceptsNeighboursThatTouch) { EXPECT_EQ(verdict(kPair, {0, 100}, 164), ""); }

TEST(MemoryChecker, RefusesSharedBytes) {
  EXPECT_EQ(verdict(kPair, {0, 96}, 160), "\"b\" [96, 160) shares bytes with \"a\" [0, 100) at position 2");
  EXPECT_EQ(verdict(kPair, {0, 0}, 100), "\"b\" [0, 64) shares bytes with \"a\" [0, 100) at position 2");
  EXPECT_EQ(verdict(kPair, {64, 4}, 164), "\"b\" [4, 68) shares bytes with \"a\" [64, 164) at position 2");
}

TEST(MemoryChecker, RefusesAWrongAlignmentOffsetPeakOrCount) {
  EXPECT_EQ(verdict(kPair, {0, 102}, 166), "\"b\" [102, 166) is not at a multiple of 4");
  EXPECT_EQ(verdict(kPair, {0, -64}, 100), "\"b\" [-64, 0) is not at a multiple of 4");
  EXPECT_EQ(verdict(kPair, {0, 100}, 163), "the arena needs 164 bytes, not 163");
  EXPECT_EQ(verdict(kPair, {0}, 100), "1 offsets for 2 buffers");
  EXPECT_EQ(verdict("buffer a bytes=8 begin=0 end=1 at=64", {0}, 8), "\"a\" [0, 8) is fixed at 64");
}
