// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The keys with which masks are drawn, and the independence of masks.
#include "runtime/training/step/DropoutFeed.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace windlass {
namespace {

TEST(DropoutFeed, keysAreThoseOfTheStepsStreams) {
  std::vector<PhiloxKey> keys(3);
  ASSERT_TRUE(feedDropout("dropout_keys", {9, 4, 7}, std::as_writable_bytes(std::span(keys))));
  for (uint64_t number = 0; number < keys.size(); ++number)
    EXPECT_EQ(keys[number], RandomStream(9, 4, streamOf("dropout") + number).key()) << number;
}

TEST(DropoutFeed, theBlockStandsAtTheStartAndTheRestIsZero) {
  std::vector<int32_t> words(16, -1);
  ASSERT_TRUE(feedDropout("row_block", {9, 4, 7}, std::as_writable_bytes(std::span(words))));
  EXPECT_EQ(words[0], 7);
  EXPECT_EQ(std::count(words.begin() + 1, words.end(), 0), 15);
}

TEST(DropoutFeed, otherItemsAreNotItsOwn) {
  float value = 3;
  EXPECT_FALSE(feedDropout("learning_rate", {}, std::as_writable_bytes(std::span(&value, 1))));
  EXPECT_EQ(value, 3);
}

constexpr int64_t kRows = 256, kColumns = 192;

/// 1 where an element stays. The rows begin at `first`.
std::vector<double> maskOf(const RandomStream &stream, double rate, uint64_t first = 0) {
  std::vector<double> mask;
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t column = 0; column < kColumns; ++column)
      mask.push_back(stream.unit(column, first + row) >= rate);
  return mask;
}

double meanOf(const std::vector<double> &mask) {
  double sum = 0;
  for (double value : mask)
    sum += value;
  return sum / static_cast<double>(mask.size());
}

/// Between -1 and 1. If two masks are independent, the deviation is 1 / sqrt(n).
double correlationOf(const std::vector<double> &a, const std::vector<double> &b) {
  const double p = meanOf(a), q = meanOf(b);
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += (a[i] - p) * (b[i] - q);
  return sum / static_cast<double>(a.size()) / std::sqrt(p * (1 - p) * q * (1 - q));
}

const double kFourDeviations = 4 / std::sqrt(static_cast<double>(kRows * kColumns));

TEST(DropoutFeed, theShareThatStaysIsOneMinusTheRate) {
  for (double rate : {0.1, 0.25, 0.5, 0.9})
    EXPECT_NEAR(meanOf(maskOf(dropoutStream(1, 1, 0), rate)), 1 - rate,
                kFourDeviations * std::sqrt(rate * (1 - rate)))
        << rate;
}

TEST(DropoutFeed, masksOfOtherSitesStepsSeedsAndBlocksAreIndependent) {
  const std::vector<double> mask = maskOf(dropoutStream(1, 1, 0), 0.5);
  EXPECT_EQ(mask, maskOf(dropoutStream(1, 1, 0), 0.5));
  for (const RandomStream &other : {dropoutStream(1, 1, 1), dropoutStream(1, 2, 0), dropoutStream(2, 1, 0)})
    EXPECT_LT(std::fabs(correlationOf(mask, maskOf(other, 0.5))), kFourDeviations);
  EXPECT_LT(std::fabs(correlationOf(mask, maskOf(dropoutStream(1, 1, 0), 0.5, kRows))), kFourDeviations);
}

TEST(DropoutFeed, neighboursInAMaskAreIndependent) {
  const std::vector<double> mask = maskOf(dropoutStream(3, 5, 2), 0.5);
  for (size_t distance : {size_t{1}, size_t{2}, size_t{3}, size_t{4}, size_t{kColumns}}) {
    const std::vector<double> ahead(mask.begin() + distance, mask.end()),
        behind(mask.begin(), mask.end() - distance);
    EXPECT_LT(std::fabs(correlationOf(ahead, behind)), kFourDeviations) << distance;
  }
}

} // namespace
} // namespace windlass
