// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/OrderedSum.h"

#include "runtime/base/Bf16.h"
#include "runtime/base/F16.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace windlass;
using plan::ElementType;

namespace {

template <typename T> std::vector<T> sum(ElementType type, const std::vector<std::vector<T>> &inputs) {
  std::vector<const std::byte *> sources;
  for (const auto &input : inputs)
    sources.push_back(reinterpret_cast<const std::byte *>(input.data()));
  std::vector<T> out(inputs[0].size());
  sumInOrder(type, sources, reinterpret_cast<std::byte *>(out.data()), out.size() * sizeof(T));
  return out;
}

TEST(OrderedSum, orderOfTheRanksIsKept) {
  // In f32, (1e8 + -1e8) + 1 is 1, while 1e8 + (-1e8 + 1) is 0.
  EXPECT_EQ(sum<float>(ElementType::F32, {{1e8f}, {-1e8f}, {1.0f}})[0], 1.0f);
  EXPECT_EQ(sum<float>(ElementType::F32, {{1.0f}, {-1e8f}, {1e8f}})[0], 0.0f);
}

TEST(OrderedSum, bf16IsRoundedOnceAfterAnF32Sum) {
  // Four times 1/256 is added to 1. Each alone is lost in bf16, and all four make 1 + 1/64.
  uint16_t one = roundToBf16(1.0f), small = roundToBf16(1.0f / 256);
  auto total = sum<uint16_t>(ElementType::BF16, {{one}, {small}, {small}, {small}, {small}});
  EXPECT_EQ(widenBf16(total[0]), 1.0f + 1.0f / 64);
}

TEST(OrderedSum, f16IsRoundedOnceAndKeepsWhatOverflowed) {
  // Four times 2^-12 is added to 1. Each alone is lost in f16, and all four make 1 + 2^-10.
  uint16_t one = roundToF16(1.0f), small = roundToF16(0x1p-12f), large = roundToF16(60000), infinite = 0x7C00;
  auto total = sum<uint16_t>(ElementType::F16, {{one, large, infinite},
                                                {small, large, one},
                                                {small, one, 0xFC00},
                                                {small, one, one},
                                                {small, one, one}});
  EXPECT_EQ(widenF16(total[0]), 1.0f + 0x1p-10f);
  EXPECT_EQ(total[1], infinite);
  EXPECT_TRUE(std::isnan(widenF16(total[2])));
}

TEST(OrderedSum, f64KeepsItsDigits) {
  EXPECT_EQ(sum<double>(ElementType::F64, {{1.0}, {1e-12}})[0], 1.0 + 1e-12);
}

TEST(OrderedSum, blocksMeetWithoutGaps) {
  std::vector<float> a(5000), b(5000);
  for (int i = 0; i < 5000; ++i)
    a[i] = static_cast<float>(i), b[i] = 0.5f;
  auto total = sum<float>(ElementType::F32, {a, b});
  for (int i = 0; i < 5000; ++i)
    ASSERT_EQ(total[i], static_cast<float>(i) + 0.5f) << i;
}

TEST(OrderedSum, everyBf16SurvivesTheRoundTripAndTiesGoToEven) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = widenBf16(static_cast<uint16_t>(bits));
    if (!std::isnan(value))
      ASSERT_EQ(roundToBf16(value), bits);
    else
      ASSERT_TRUE(std::isnan(widenBf16(roundToBf16(value))));
  }
  EXPECT_EQ(roundToBf16(std::bit_cast<float>(0x3F808000u)), 0x3F80); // half way, the even number is below
  EXPECT_EQ(roundToBf16(std::bit_cast<float>(0x3F818000u)), 0x3F82); // half way, the even number is above
  EXPECT_EQ(roundToBf16(std::numeric_limits<float>::max()), 0x7F80); // overflows to infinity
}

} // namespace
