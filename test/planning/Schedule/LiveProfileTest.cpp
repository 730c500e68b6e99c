// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random additions and retirements, against the same on a list.
#include "planning/Schedule/LiveProfile.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <random>

using namespace windlass;
using namespace windlass::planning;

namespace {

/// The largest of the positions that count; that of an empty tree, and of the places behind the last
/// position, is 0.
int64_t largestOf(const std::vector<std::optional<int64_t>> &live, bool isFull) {
  int64_t largest = isFull ? INT64_MIN : 0;
  for (const std::optional<int64_t> &bytes : live)
    largest = std::max(largest, bytes.value_or(INT64_MIN));
  return largest;
}

TEST(LiveProfile, AgreesWithAList) {
  std::mt19937 random(7);
  const auto below = [&](size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random); };
  for (size_t positions : {1u, 2u, 3u, 8u, 21u, 64u}) {
    const bool isFull = (positions & (positions - 1)) == 0; // no places behind the last position
    std::vector<std::optional<int64_t>> live(positions, 0);
    LiveProfile profile(positions);
    EXPECT_FALSE(profile.isEmpty());
    for (size_t left = positions; left > 0;) {
      for (int round = 0; round < 8; ++round) {
        const size_t begin = below(2) == 0 ? 0 : below(positions), end = begin + below(positions - begin + 1);
        const auto bytes = static_cast<int64_t>(below(2001)) - 1000;
        profile.add(begin, end, bytes);
        for (size_t i = begin; i < end; ++i)
          if (live[i])
            *live[i] += bytes;
        EXPECT_EQ(profile.largest(), largestOf(live, isFull)) << positions;
      }
      const size_t position = below(positions);
      if (!live[position])
        continue;
      profile.retire(position);
      live[position].reset();
      if (--left > 0)
        EXPECT_EQ(profile.largest(), largestOf(live, isFull)) << positions;
    }
  }
  EXPECT_TRUE(LiveProfile(0).isEmpty());
  EXPECT_EQ(LiveProfile(0).largest(), 0);
}

} // namespace
