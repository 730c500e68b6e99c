#include "runtime/transport/InProcessTransport.h"
#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace windlass;
using plan::ElementType;

namespace {

std::span<std::byte> bytes(std::vector<float> &values) { return std::as_writable_bytes(std::span(values)); }

/// Ranks as threads, each running `body`.
void onRanks(int64_t ranks, const std::function<void(int64_t)> &body) {
  std::vector<std::jthread> threads;
  for (int64_t r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] { body(r); });
}

WholeTensor tensor(std::vector<float> &values, int64_t pieceElements) {
  return {bytes(values).data(), pieceElements * 4};
}

class Collectives : public testing::TestWithParam<int> {};

TEST_P(Collectives, gatherPutsEveryPieceAtItsRank) {
  int64_t ranks = GetParam();
  InProcessTransport transport(ranks);
  onRanks(ranks, [&](int64_t r) {
    for (int round = 0; round < 200; ++round) {
      std::vector<float> shard = {r + 0.25f, r + 0.5f, r * 10.0f + round, -1.0f};
      std::vector<float> a(2 * ranks), b(ranks);
      WholeTensor whole[] = {tensor(a, 2), tensor(b, 1)};
      ASSERT_TRUE(transport.allGather(r, bytes(shard), whole));
      for (int64_t q = 0; q < ranks; ++q) {
        ASSERT_EQ(a[2 * q], q + 0.25f);
        ASSERT_EQ(a[2 * q + 1], q + 0.5f);
        ASSERT_EQ(b[q], q * 10.0f + round);
      }
    }
  });
}

TEST_P(Collectives, reduceLeavesEachRankItsPiecesAndZeroesTheTail) {
  int64_t ranks = GetParam();
  InProcessTransport transport(ranks);
  onRanks(ranks, [&](int64_t r) {
    for (int round = 0; round < 200; ++round) {
      std::vector<float> a(2 * ranks), b(ranks), shard(5, -7.0f);
      for (int64_t i = 0; i < 2 * ranks; ++i)
        a[i] = static_cast<float>(i + 100 * r + round);
      for (int64_t i = 0; i < ranks; ++i)
        b[i] = static_cast<float>(i * r);
      WholeTensor whole[] = {tensor(a, 2), tensor(b, 1)};
      ASSERT_TRUE(transport.reduceScatter(r, ElementType::F32, bytes(shard), whole));
      float ranksSum = ranks * (ranks - 1) / 2.0f;
      for (int64_t i = 0; i < 2; ++i)
        ASSERT_EQ(shard[i], ranks * (2 * r + i + round) + 100 * ranksSum);
      ASSERT_EQ(shard[2], r * ranksSum);
      ASSERT_EQ(shard[3], 0.0f);
      ASSERT_EQ(shard[4], 0.0f);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Collectives, testing::Values(1, 2, 3, 8));

TEST(InProcessTransport, abortReleasesWaitingRanksAndRefusesNewCalls) {
  InProcessTransport transport(3);
  onRanks(3, [&](int64_t r) {
    if (r == 2)
      return transport.abort();
    std::vector<float> shard(1), a(3);
    WholeTensor whole[] = {tensor(a, 1)};
    EXPECT_FALSE(transport.allGather(r, bytes(shard), whole));
    EXPECT_FALSE(transport.reduceScatter(r, ElementType::F32, bytes(shard), whole));
  });
}

TEST(InProcessTransport, refusesPiecesThatExceedTheShard) {
  InProcessTransport transport(1);
  std::vector<float> shard(1), a(2);
  WholeTensor whole[] = {tensor(a, 2)};
  EXPECT_EQ(transport.allGather(0, bytes(shard), whole).code(), ExitCode::Internal);
  EXPECT_EQ(transport.reduceScatter(0, ElementType::F32, bytes(shard), whole).code(), ExitCode::Internal);
}

} // namespace
