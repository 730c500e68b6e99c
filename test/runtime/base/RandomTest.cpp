// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Random.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace windlass {
namespace {

struct KnownAnswer {
  PhiloxBlock counter;
  std::array<uint32_t, 2> key;
  PhiloxBlock bits;
};

TEST(RandomTest, philoxGivesThePublishedAnswers) {
  const KnownAnswer answers[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (const KnownAnswer &answer : answers)
    EXPECT_EQ(philox4x32(answer.counter, answer.key), answer.bits);
}

TEST(RandomTest, streamIsFnv1a) {
  EXPECT_EQ(streamOf(""), 0xcbf29ce484222325ull);
  EXPECT_EQ(streamOf("a"), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(streamOf("foobar"), 0x85944171f73967e8ull);
}

/// The same Box-Muller transform with the functions of libm, from the same bits.
double normalThroughLibm(const RandomStream &stream, uint64_t element) {
  uint64_t pair = element / 2 * 2;
  double radius = std::sqrt(-2 * std::log((stream.bits(pair) + 1.0) * 0x1p-32));
  double angle = stream.bits(pair + 1) * 0x1p-32 * 2 * std::numbers::pi;
  return radius * (element % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

TEST(RandomTest, normalAgreesWithLibm) {
  RandomStream stream(7, 3, streamOf("h.0.attn.c_attn.weight"));
  for (uint64_t i = 0; i < 100000; ++i)
    ASSERT_NEAR(stream.normal(i), normalThroughLibm(stream, i), 4e-15) << "element " << i;
}

TEST(RandomTest, normalHasTheMomentsOfANormal) {
  RandomStream stream(1, 0, streamOf("wte.weight"));
  const int n = 400000;
  double sum = 0, squares = 0, fourths = 0, neighbours = 0, last = 0;
  for (int i = 0; i < n; ++i) {
    double x = stream.normal(i);
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
    neighbours += x * last;
    last = x;
  }
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourths / n, 3, 5 * std::sqrt(96.0 / n));
  EXPECT_NEAR(neighbours / n, 0, 5 / std::sqrt(n));
}

TEST(RandomTest, seedStepStreamAndElementEachChangeTheBits) {
  RandomStream base(1, 2, 3);
  EXPECT_EQ(base.bits(5), RandomStream(1, 2, 3).bits(5));
  EXPECT_NE(base.bits(5), RandomStream(2, 2, 3).bits(5));
  EXPECT_NE(base.bits(5), RandomStream(1, 3, 3).bits(5));
  EXPECT_NE(base.bits(5), RandomStream(1, 2, 4).bits(5));
  EXPECT_NE(base.bits(5), base.bits(6));
  EXPECT_NE(base.bits(5), base.bits(5 + (uint64_t{1} << 40)));
}

TEST(RandomTest, aStreamIsItsKeyAndHasRows) {
  RandomStream stream(1, 2, 3), again(stream.key());
  const PhiloxBlock block = philox4x32({10, 0, 5, 7}, stream.key());
  for (uint64_t lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(again.bits(40 + lane, 5 + (uint64_t{7} << 32)), block[lane]);
    EXPECT_EQ(again.unit(40 + lane, 5 + (uint64_t{7} << 32)),
              static_cast<float>(block[lane] >> 8) / 16777216);
  }
  EXPECT_EQ(stream.bits(5), stream.bits(5, 0));
}

TEST(RandomTest, belowStaysBelowAndReachesEveryValue) {
  RandomStream stream(1, 0, 0);
  std::array<int, 7> seen = {};
  for (uint64_t i = 0; i < 7000; ++i)
    ++seen.at(stream.below(i, 7));
  for (int count : seen)
    EXPECT_NEAR(count, 1000, 150);
}

} // namespace
} // namespace windlass
