// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of a file become those of a state, for every type and every range, plain and transposed.
#include "runtime/training/states/StoredValues.h"

#include "runtime/base/F16.h"
#include "runtime/plan/Enums.h"
#include "test/runtime/training/TemporaryFolder.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace windlass {
namespace {

using plan::ElementType;
using plan::StoredType;

class StoredValuesTest : public testing::Test {
protected:
  template <typename Element> StoredTensor store(StoredType type, const std::vector<Element> &values) {
    std::string bytes(kBegin + values.size() * sizeof(Element), 'x');
    std::memcpy(bytes.data() + kBegin, values.data(), values.size() * sizeof(Element));
    file = File::openForReading(folder.write("t", bytes)).take();
    return {&file, kBegin, type};
  }

  static constexpr int64_t kBegin = 24;
  TemporaryFolder folder;
  File file;
};

template <typename Element> std::vector<Element> elementsOf(const std::vector<std::byte> &bytes) {
  std::vector<Element> elements(bytes.size() / sizeof(Element));
  if (!bytes.empty())
    std::memcpy(elements.data(), bytes.data(), bytes.size());
  return elements;
}

TEST(F16, everyHalfIsTheFloatOfItsBits) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float found = widenF16(static_cast<uint16_t>(bits));
    const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
    const double magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                             : exponent == 0 ? std::ldexp(fraction, -24)
                                             : std::ldexp(1024 + fraction, exponent - 25);
    if (std::isnan(magnitude)) {
      ASSERT_TRUE(std::isnan(found)) << bits;
      continue;
    }
    ASSERT_EQ(found, static_cast<float>(bits >> 15 ? -magnitude : magnitude)) << bits;
    ASSERT_EQ(std::signbit(found), bits >> 15 != 0) << bits;
  }
}

TEST(F16, theNearestHalfIsFoundAndTiesGoToEven) {
  for (uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const float below = widenF16(static_cast<uint16_t>(bits)),
                above = widenF16(static_cast<uint16_t>(bits + 1));
    const float middle = below + (above - below) / 2;
    const uint32_t even = bits + (bits & 1);
    ASSERT_EQ(roundToF16(below), bits);
    ASSERT_EQ(roundToF16(std::nextafter(middle, 0.0f)), bits);
    ASSERT_EQ(roundToF16(middle), even) << bits;
    ASSERT_EQ(roundToF16(std::nextafter(middle, INFINITY)), bits + 1);
    ASSERT_EQ(roundToF16(-middle), even | 0x8000);
  }
  EXPECT_EQ(roundToF16(65504), 0x7BFF);
  EXPECT_EQ(roundToF16(std::nextafter(65520.0f, 0.0f)), 0x7BFF);
  EXPECT_EQ(roundToF16(65520), 0x7C00); // half way to the next number after the largest
  EXPECT_EQ(roundToF16(-1e30f), 0xFC00);
  EXPECT_EQ(roundToF16(-INFINITY), 0xFC00);
  EXPECT_EQ(roundToF16(1e-30f), 0);
  for (uint32_t nan : {0x7F800001u, 0x7FC00000u, 0xFFFFFFFFu})
    EXPECT_TRUE(std::isnan(widenF16(roundToF16(std::bit_cast<float>(nan)))));
}

/// The bits of halves as varints: 7 bits a byte, the lowest first. There are more elements than between two
/// marks.
TEST_F(StoredValuesTest, varintsBecomeTheStatesInEveryRange) {
  constexpr int64_t kCount = 10000;
  std::string bytes(kBegin, 'x');
  std::vector<float> expected;
  for (int64_t i = 0; i < kCount; ++i) {
    uint32_t bits = static_cast<uint32_t>(i * 5 % 0x7C00); // one byte, two and three
    expected.push_back(widenF16(static_cast<uint16_t>(bits)));
    for (; bits >= 0x80; bits >>= 7)
      bytes += static_cast<char>(bits | 0x80);
    bytes += static_cast<char>(bits);
  }
  file = File::openForReading(folder.write("t", bytes)).take();
  Result<PackedHalves> packed = PackedHalves::open(file, kBegin, kCount);
  ASSERT_TRUE(packed) << packed.status().message();
  const StoredTensor tensor = {&file, kBegin, StoredType::PackedF16, &*packed};
  for (auto [first, count] : {std::pair<int64_t, int64_t>(0, kCount), std::pair<int64_t, int64_t>(4095, 2),
                              std::pair<int64_t, int64_t>(4096, 1), std::pair<int64_t, int64_t>(9000, 1000),
                              std::pair<int64_t, int64_t>(kCount, 0)}) {
    std::vector<float> found(static_cast<size_t>(count));
    ASSERT_TRUE(readStored(tensor, first, ElementType::F32, std::as_writable_bytes(std::span(found))));
    EXPECT_EQ(found, std::vector<float>(expected.begin() + first, expected.begin() + first + count));
  }
  std::vector<float> turned(kCount); // 100 x 100, transposed
  ASSERT_TRUE(
      readTransposed(tensor, 100, 100, 0, ElementType::F32, std::as_writable_bytes(std::span(turned))));
  for (size_t i = 0; i < kCount; ++i)
    ASSERT_EQ(turned[i], expected[i % 100 * 100 + i / 100]) << i;
  Result<PackedHalves> longer = PackedHalves::open(file, kBegin, kCount + 1);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.status().message(), file.path() + ": ends inside a list of elements");
}

TEST_F(StoredValuesTest, everyTypeBecomesTheStates) {
  const std::vector<float> values = {1.0f, -0.5f, 3.0f, 65280.0f};
  struct Case {
    StoredType type;
    StoredTensor tensor;
  };
  auto read = [&](const StoredTensor &tensor, ElementType type) {
    std::vector<std::byte> bytes(static_cast<size_t>(4 * plan::bytesOf(type)));
    EXPECT_TRUE(readStored(tensor, 0, type, bytes));
    return bytes;
  };
  EXPECT_EQ(elementsOf<float>(read(store(StoredType::F32, values), ElementType::F32)), values);
  EXPECT_EQ(
      elementsOf<float>(read(store<double>(StoredType::F64, {1.0, -0.5, 3.0, 65280.0}), ElementType::F32)),
      values);
  EXPECT_EQ(elementsOf<float>(
                read(store<uint16_t>(StoredType::F16, {0x3C00, 0xB800, 0x4200, 0x7BF8}), ElementType::F32)),
            values);
  const std::vector<uint16_t> bf16 = {0x3F80, 0xBF00, 0x4040, 0x477F};
  EXPECT_EQ(elementsOf<float>(read(store(StoredType::BF16, bf16), ElementType::F32)), values);
  EXPECT_EQ(elementsOf<uint16_t>(read(store(StoredType::BF16, bf16), ElementType::BF16)), bf16);
  EXPECT_EQ(elementsOf<uint16_t>(read(store(StoredType::F32, values), ElementType::BF16)), bf16);
  const std::vector<uint16_t> f16 = {0x3C00, 0xB800, 0x4200, 0x7BF8};
  EXPECT_EQ(elementsOf<uint16_t>(read(store(StoredType::F16, f16), ElementType::F16)), f16);
  EXPECT_EQ(elementsOf<uint16_t>(read(store(StoredType::F32, values), ElementType::F16)), f16);
  EXPECT_EQ(elementsOf<double>(read(store<double>(StoredType::F64, {0.1, 0.2, 0.3, 0.4}), ElementType::F64)),
            (std::vector<double>{0.1, 0.2, 0.3, 0.4})); // not through f32
}

TEST_F(StoredValuesTest, aLongRangeGoesThroughTheBufferInPieces) {
  std::vector<double> values(5000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(i);
  const StoredTensor tensor = store(StoredType::F64, values);
  std::vector<std::byte> bytes(4990 * sizeof(float));
  ASSERT_TRUE(readStored(tensor, 7, ElementType::F32, bytes));
  const std::vector<float> found = elementsOf<float>(bytes);
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(found[i], static_cast<float>(i + 7));
}

TEST_F(StoredValuesTest, everyRangeOfATransposeIsThatOfTheTensor) {
  constexpr int64_t rows = 5, columns = 4;
  std::vector<float> stored; // columns x rows: element (r, c) is 10 r + c
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < rows; ++r)
      stored.push_back(static_cast<float>(10 * r + c));
  const StoredTensor tensor = store(StoredType::F32, stored);
  for (int64_t first = 0; first < rows * columns; ++first)
    for (int64_t count = 0; first + count <= rows * columns; ++count) {
      std::vector<std::byte> bytes(static_cast<size_t>(count) * sizeof(float), std::byte{0xEE});
      ASSERT_TRUE(readTransposed(tensor, rows, columns, first, ElementType::F32, bytes));
      const std::vector<float> found = elementsOf<float>(bytes);
      for (int64_t i = 0; i < count; ++i)
        ASSERT_EQ(found[static_cast<size_t>(i)],
                  static_cast<float>(10 * ((first + i) / columns) + (first + i) % columns))
            << "element " << i << " of [" << first << ", " << first + count << ")";
    }
}

TEST_F(StoredValuesTest, aFileThatEndsEarlyIsNamed) {
  const StoredTensor tensor = store<float>(StoredType::F32, {1, 2});
  std::vector<std::byte> bytes(3 * sizeof(float));
  EXPECT_NE(readStored(tensor, 0, ElementType::F32, bytes).message().find("4 bytes short"),
            std::string::npos);
}

} // namespace
} // namespace windlass
