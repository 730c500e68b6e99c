// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/data/Permutation.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace windlass {
namespace {

TEST(PermutationTest, isOneToOneForEverySmallSize) {
  for (uint64_t size = 1; size <= 200; ++size) {
    std::vector<bool> seen(size);
    Permutation order(size, /*seed=*/3, /*epoch=*/size);
    for (uint64_t i = 0; i < size; ++i) {
      ASSERT_LT(order(i), size);
      ASSERT_FALSE(seen[order(i)]) << "size " << size << ", index " << i;
      seen[order(i)] = true;
    }
  }
}

TEST(PermutationTest, isOneToOneForALargeSize) {
  const uint64_t size = 100003;
  std::vector<bool> seen(size);
  Permutation order(size, 1, 0);
  for (uint64_t i = 0; i < size; ++i) {
    ASSERT_FALSE(seen.at(order(i)));
    seen[order(i)] = true;
  }
}

TEST(PermutationTest, seedsAndEpochsGiveOtherOrders) {
  const uint64_t size = 1000;
  auto fixedPoints = [&](const Permutation &a, const Permutation &b) {
    int equal = 0;
    for (uint64_t i = 0; i < size; ++i)
      equal += a(i) == b(i);
    return equal;
  };
  Permutation base(size, 1, 0);
  EXPECT_EQ(fixedPoints(base, Permutation(size, 1, 0)), static_cast<int>(size));
  EXPECT_LT(fixedPoints(base, Permutation(size, 2, 0)), 10); // one is expected
  EXPECT_LT(fixedPoints(base, Permutation(size, 1, 1)), 10);
}

TEST(PermutationTest, movesTheMeanOfAnyPrefixToTheMiddle) {
  const uint64_t size = 4096;
  Permutation order(size, 5, 2);
  double sum = 0;
  for (uint64_t i = 0; i < 512; ++i)
    sum += static_cast<double>(order(i));
  EXPECT_NEAR(sum / 512, (size - 1) / 2.0, 5 * size / std::sqrt(12.0 * 512));
}

TEST(PermutationTest, coversHugeRanges) {
  Permutation order(uint64_t{1} << 40, 1, 0);
  EXPECT_LT(order(12345), uint64_t{1} << 40);
  EXPECT_NE(order(0), order(1));
}

} // namespace
} // namespace windlass
