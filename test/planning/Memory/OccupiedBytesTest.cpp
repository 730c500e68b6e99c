// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Memory/OccupiedBytes.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace windlass::planning;

namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

/// The bytes that are taken during a span, as ranges of which no two touch.
Pairs takenDuring(OccupiedBytes &occupied, size_t begin, size_t end) {
  Pairs ranges;
  int64_t last = 0;
  occupied.forTaken(begin, end, [&](const ByteRange &range) {
    EXPECT_LE(last, range.begin) << "not in order";
    last = range.begin;
    if (!ranges.empty() && range.begin <= ranges.back().second)
      ranges.back().second = std::max(ranges.back().second, range.end);
    else
      ranges.emplace_back(range.begin, range.end);
    return true;
  });
  return ranges;
}

/// The oracle: visits every byte of every buffer that meets the span.
class EveryByte {
public:
  void take(size_t begin, size_t end, ByteRange bytes) { buffers.push_back({begin, end, bytes}); }

  Pairs takenDuring(size_t begin, size_t end) const {
    std::set<int64_t> taken;
    for (const auto &buffer : buffers)
      if (buffer.begin < end && begin < buffer.end)
        for (int64_t byte = buffer.bytes.begin; byte < buffer.bytes.end; ++byte)
          taken.insert(byte);
    Pairs ranges;
    for (int64_t byte : taken)
      if (!ranges.empty() && ranges.back().second == byte)
        ++ranges.back().second;
      else
        ranges.emplace_back(byte, byte + 1);
    return ranges;
  }

private:
  struct Buffer {
    size_t begin, end;
    ByteRange bytes;
  };
  std::vector<Buffer> buffers;
};

} // namespace

/// Few buffers are visited one by one, and many through a tree.
class OccupiedBytesOf : public testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(FewAndMany, OccupiedBytesOf,
                         testing::Values(1, OccupiedBytes::kFewBuffers, OccupiedBytes::kFewBuffers + 1));

TEST_P(OccupiedBytesOf, RangesThatTouchAreOne) {
  OccupiedBytes occupied(8, GetParam());
  occupied.take(0, 8, {0, 64});
  occupied.take(2, 3, {64, 128});
  occupied.take(5, 6, {192, 256});
  EXPECT_EQ(takenDuring(occupied, 2, 3), (Pairs{{0, 128}}));
  EXPECT_EQ(takenDuring(occupied, 2, 6), (Pairs{{0, 128}, {192, 256}}));
  EXPECT_EQ(takenDuring(occupied, 3, 5), (Pairs{{0, 64}}));
}

TEST_P(OccupiedBytesOf, ClearForgetsAll) {
  OccupiedBytes occupied(3, GetParam());
  occupied.take(0, 3, {0, 64});
  occupied.clear();
  EXPECT_EQ(takenDuring(occupied, 0, 3), Pairs());
}

TEST_P(OccupiedBytesOf, AVisitEndsWhereItIsToldTo) {
  OccupiedBytes occupied(8, GetParam());
  for (int64_t at : {64, 0, 256})
    occupied.take(0, 8, {at, at + 32});
  std::vector<int64_t> begins;
  occupied.forTaken(0, 8, [&](const ByteRange &range) {
    begins.push_back(range.begin);
    return range.begin < 64;
  });
  EXPECT_EQ(begins, (std::vector<int64_t>{0, 64}));
}

TEST_P(OccupiedBytesOf, AgreesWithEveryByteOfRandomBuffers) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    size_t positions = 1 + random() % 40;
    OccupiedBytes occupied(positions, GetParam());
    EveryByte oracle;
    auto span = [&] {
      size_t begin = random() % positions;
      return std::pair(begin, begin + 1 + random() % (positions - begin));
    };
    for (int step = 0; step < 40; ++step) {
      auto [begin, end] = span();
      int64_t at = static_cast<int64_t>(random() % 50);
      ByteRange bytes{at, at + 1 + static_cast<int64_t>(random() % 12)};
      occupied.take(begin, end, bytes);
      oracle.take(begin, end, bytes);
      auto [from, to] = span();
      ASSERT_EQ(takenDuring(occupied, from, to), oracle.takenDuring(from, to)) << "seed " << seed;
    }
  }
}
