// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/InProcessTransport.h"
#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace windlass;
using plan::ElementType;

namespace {

std::span<std::byte> bytes(std::vector<float> &values) { return std::as_writable_bytes(std::span(values)); }

/// Runs `body` for each rank in its own thread.
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
      ASSERT_TRUE(transport.reduceScatter(r, ElementType::F32, bytes(shard), whole, {}));
      float ranksSum = ranks * (ranks - 1) / 2.0f;
      for (int64_t i = 0; i < 2; ++i)
        ASSERT_EQ(shard[i], ranks * (2 * r + i + round) + 100 * ranksSum);
      ASSERT_EQ(shard[2], r * ranksSum);
      ASSERT_EQ(shard[3], 0.0f);
      ASSERT_EQ(shard[4], 0.0f);
    }
  });
}

TEST_P(Collectives, broadcastBringsTheShardOfItsOwnerToAll) {
  int64_t ranks = GetParam();
  InProcessTransport transport(ranks);
  onRanks(ranks, [&](int64_t r) {
    for (int round = 0; round < 200; ++round) {
      int64_t root = round % ranks;
      std::vector<float> shard = {root + 0.25f, round + 0.5f, root * 10.0f, -1.0f}, a(2), b(1);
      WholeTensor whole[] = {tensor(a, 2), tensor(b, 1)};
      ASSERT_TRUE(transport.broadcast(r, root, r == root ? bytes(shard) : std::span<std::byte>(), whole));
      ASSERT_EQ(a, (std::vector<float>{root + 0.25f, round + 0.5f}));
      ASSERT_EQ(b, (std::vector<float>{root * 10.0f}));
    }
  });
}

/// reduce() gives the bits of reduceScatter(): it sums in rank order.
TEST_P(Collectives, reduceSumsInRankOrderForItsOwnerAlone) {
  int64_t ranks = GetParam();
  InProcessTransport transport(ranks);
  onRanks(ranks, [&](int64_t r) {
    for (int round = 0; round < 200; ++round) {
      int64_t root = round % ranks;
      std::vector<float> a = {1e8f / (r + 1), 3.0f + r}, b = {0.1f * (r + 1)}, shard(5, -7.0f);
      WholeTensor whole[] = {tensor(a, 2), tensor(b, 1)};
      ASSERT_TRUE(transport.reduce(r, root, ElementType::F32,
                                   r == root ? bytes(shard) : std::span<std::byte>(), whole, {}));
      if (r != root) {
        ASSERT_EQ(shard, std::vector<float>(5, -7.0f));
        continue;
      }
      std::vector<float> expected(5, 0.0f);
      for (int64_t q = 0; q < ranks; ++q) {
        expected[0] += 1e8f / (q + 1);
        expected[1] += 3.0f + q;
        expected[2] += 0.1f * (q + 1);
      }
      ASSERT_EQ(shard, expected);
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
    EXPECT_FALSE(transport.reduceScatter(r, ElementType::F32, bytes(shard), whole, {}));
    EXPECT_FALSE(transport.broadcast(r, 0, bytes(shard), whole));
    EXPECT_FALSE(transport.reduce(r, 0, ElementType::F32, bytes(shard), whole, {}));
  });
}

TEST(InProcessTransport, refusesPiecesThatExceedTheShard) {
  InProcessTransport transport(1);
  std::vector<float> shard(1), a(2);
  WholeTensor whole[] = {tensor(a, 2)};
  EXPECT_EQ(transport.allGather(0, bytes(shard), whole).code(), ExitCode::Internal);
  EXPECT_EQ(transport.reduceScatter(0, ElementType::F32, bytes(shard), whole, {}).code(), ExitCode::Internal);
  EXPECT_EQ(transport.broadcast(0, 0, bytes(shard), whole).code(), ExitCode::Internal);
  EXPECT_EQ(transport.reduce(0, 0, ElementType::F32, bytes(shard), whole, {}).code(), ExitCode::Internal);
}

} // namespace
