// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TransportSuite.h - cases of every transport ===========================//
//
// Duty: the cases of every Transport, written once. A case is what one rank does, and expects the other ranks
// to do the same. The test of a transport runs all cases, in the same order, on each of its ranks, which may
// be threads or processes. A case goes on after a failed expectation, since the other ranks would wait. The
// values are such that only sums in rank order have the expected bits.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Layout.h"
#include "runtime/transport/OrderedSum.h"
#include "runtime/transport/Transport.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <memory_resource>
#include <span>
#include <vector>

namespace windlass::test {

/// Bytes that ranks exchange. They lie in the default memory resource, which a process may set. They are
/// made, copied and compared in blocks, since the thread sanitizer looks at each access.
class Bytes {
public:
  explicit Bytes(size_t count = 0, std::byte value = {})
      : blocks(count / kBlock + 1), count(count) { // one block at least, so that there is an address
    std::memset(blocks.data(), static_cast<int>(value), count);
  }
  explicit Bytes(std::span<const std::byte> from) : Bytes(from.size()) { std::ranges::copy(from, data()); }

  std::byte *data() { return blocks.data()->bytes; }
  const std::byte *data() const { return blocks.data()->bytes; }
  size_t size() const { return count; }
  std::byte *begin() { return data(); }
  std::byte *end() { return data() + count; }
  const std::byte *begin() const { return data(); }
  const std::byte *end() const { return data() + count; }
  bool operator==(const Bytes &other) const {
    return count == other.count && std::memcmp(blocks.data(), other.blocks.data(), count) == 0;
  }

private:
  static constexpr size_t kBlock = 64;
  struct Block {
    std::byte bytes[kBlock];
  };
  std::pmr::vector<Block> blocks;
  size_t count;
};

/// One rank of a transport.
struct TransportRank {
  Transport &transport;
  int64_t rank, ranks;
};

namespace transport_suite {

/// `elements` finite numbers of a type, from the one with index `begin` on. A number depends on the rank, the
/// salt and the index.
inline Bytes numbers(plan::ElementType type, int64_t rank, int64_t salt, int64_t elements,
                     int64_t begin = 0) {
  const auto elementBytes = static_cast<size_t>(plan::bytesOf(type));
  Bytes bytes(static_cast<size_t>(elements) * elementBytes);
  for (int64_t i = 0; i < elements; ++i) {
    const uint64_t mixed = (static_cast<uint64_t>(rank + 1) * 7919 + static_cast<uint64_t>(salt) * 104729 +
                            static_cast<uint64_t>(begin + i)) *
                           UINT64_C(0x9E3779B97F4A7C15);
    const float value = static_cast<float>(static_cast<int64_t>(mixed >> 40) - (1 << 23)) /
                        static_cast<float>(int64_t{1} << (mixed % 22));
    const double wide = value;
    const auto half = static_cast<uint16_t>(0x3800 | (mixed >> 54)); // finite in bf16 and in f16
    const void *from = type == plan::ElementType::F32   ? static_cast<const void *>(&value)
                       : type == plan::ElementType::F64 ? static_cast<const void *>(&wide)
                                                        : static_cast<const void *>(&half);
    std::memcpy(bytes.data() + static_cast<size_t>(i) * elementBytes, from, elementBytes);
  }
  return bytes;
}

/// Two tensors of `pieces` pieces. A piece of them has `a` and `b` elements.
struct Tensors {
  Tensors(plan::ElementType type, int64_t rank, int64_t salt, int64_t a, int64_t b, int64_t pieces)
      : first(numbers(type, rank, salt, a * pieces)), second(numbers(type, rank, salt + 1, b * pieces)),
        whole{{first.data(), a * plan::bytesOf(type)}, {second.data(), b * plan::bytesOf(type)}} {}
  Bytes first, second;
  std::vector<WholeTensor> whole;
};

inline Bytes part(const Bytes &bytes, int64_t begin, int64_t count) {
  return Bytes(std::span(bytes).subspan(static_cast<size_t>(begin), static_cast<size_t>(count)));
}

/// The sum in rank order of piece `piece` of both tensors, back to back, then zeros up to `shardBytes`.
inline Bytes expectedSum(plan::ElementType type, int64_t ranks, int64_t salt, int64_t a, int64_t b,
                         int64_t piece, size_t shardBytes) {
  Bytes sum(shardBytes);
  std::byte *out = sum.data();
  for (const auto &[elements, tensor] : {std::pair(a, 0), std::pair(b, 1)}) {
    std::vector<Bytes> kept;
    std::vector<const std::byte *> sources;
    const int64_t bytes = elements * plan::bytesOf(type);
    for (int64_t q = 0; q < ranks; ++q)
      kept.push_back(numbers(type, q, salt + tensor, elements, piece * elements));
    for (const Bytes &each : kept)
      sources.push_back(each.data());
    sumInOrder(type, sources, out, bytes);
    out += bytes;
  }
  return sum;
}

inline void gathers(const TransportRank &at, int64_t a, int64_t b, int rounds) {
  const plan::ElementType type = plan::ElementType::F32;
  for (int round = 0; round < rounds; ++round) {
    Tensors shard(type, at.rank, round, a, b, 1), out(type, 99, round, a, b, at.ranks);
    Bytes bytes(shard.first.size() + shard.second.size() + 12); // a shard may be longer than its pieces
    std::ranges::copy(shard.second, std::ranges::copy(shard.first, bytes.begin()).out);
    const Status gathered = at.transport.allGather(at.rank, bytes, out.whole);
    EXPECT_TRUE(gathered.isOk()) << gathered.message();
    for (int64_t q = 0; q < at.ranks; ++q) {
      EXPECT_EQ(part(out.first, q * a * 4, a * 4), numbers(type, q, round, a)) << "of rank " << q;
      EXPECT_EQ(part(out.second, q * b * 4, b * 4), numbers(type, q, round + 1, b)) << "of rank " << q;
    }
  }
}

inline void reduceScatters(const TransportRank &at, plan::ElementType type, int64_t a, int64_t b,
                           int rounds) {
  for (int round = 0; round < rounds; ++round) {
    Tensors mine(type, at.rank, round, a, b, at.ranks);
    Bytes shard(static_cast<size_t>((a + b) * plan::bytesOf(type)) + 16, std::byte{7});
    const Status summed = at.transport.reduceScatter(at.rank, type, shard, mine.whole, {});
    EXPECT_TRUE(summed.isOk()) << summed.message();
    EXPECT_EQ(shard, expectedSum(type, at.ranks, round, a, b, at.rank, shard.size()));
  }
}

inline void gatherPutsEveryPieceAtItsRank(const TransportRank &at) { gathers(at, 5, 2, 50); }
inline void gatherOfMegabytes(const TransportRank &at) { gathers(at, 300'001, 3, 2); }
inline void gatherOfNothing(const TransportRank &at) { gathers(at, 0, 1, 3); }
inline void sumsAreInRankOrder(const TransportRank &at) {
  reduceScatters(at, plan::ElementType::F32, 5, 2, 50);
}
/// Sums more bytes than any transport stages at once, and no multiple of those.
inline void sumsOfMegabytesAreInRankOrder(const TransportRank &at) {
  reduceScatters(at, plan::ElementType::F32, (4 << 20) / at.ranks + 7, 3, 1);
}
inline void sumsRoundOnceInEachType(const TransportRank &at) {
  for (plan::ElementType type : {plan::ElementType::BF16, plan::ElementType::F16, plan::ElementType::F64})
    reduceScatters(at, type, 301, 17, 3);
}

inline void broadcastBringsTheShardOfItsOwnerToAll(const TransportRank &at) {
  const plan::ElementType type = plan::ElementType::F32;
  for (int round = 0; round < 20; ++round) {
    const int64_t root = round % at.ranks;
    Tensors out(type, 99, round, 7, 3, 1);
    Bytes shard = numbers(type, root, round, 12);
    const Status came = at.transport.broadcast(
        at.rank, root, at.rank == root ? std::span<const std::byte>(shard) : std::span<const std::byte>(),
        out.whole);
    EXPECT_TRUE(came.isOk()) << came.message();
    EXPECT_EQ(out.first, part(shard, 0, 28));
    EXPECT_EQ(out.second, part(shard, 28, 12));
  }
}

inline void aMessageIsABroadcastBetweenTwo(const TransportRank &at) {
  if (at.ranks != 2)
    return;
  const plan::ElementType type = plan::ElementType::F32;
  for (int round = 0; round < 20; ++round) {
    const Bytes value = numbers(type, 0, round, 1001);
    Bytes taken(value.size());
    const WholeTensor whole[] = {{taken.data(), std::ssize(taken)}};
    const Status passed =
        at.rank == 0 ? at.transport.broadcast(0, 0, value, {}) : at.transport.broadcast(1, 0, {}, whole);
    EXPECT_TRUE(passed.isOk()) << passed.message();
    EXPECT_TRUE(at.rank == 0 || taken == value);
  }
}

inline void reduceSumsForItsOwnerAlone(const TransportRank &at) {
  const plan::ElementType type = plan::ElementType::F32;
  for (int round = 0; round < 20; ++round) {
    const int64_t root = round % at.ranks;
    Tensors mine(type, at.rank, round, 9, 4, 1);
    Bytes shard(13 * 4 + 8, std::byte{7});
    const Status summed = at.transport.reduce(
        at.rank, root, type, at.rank == root ? std::span<std::byte>(shard) : std::span<std::byte>(),
        mine.whole, {});
    EXPECT_TRUE(summed.isOk()) << summed.message();
    if (at.rank == root)
      EXPECT_EQ(shard, expectedSum(type, at.ranks, round, 9, 4, 0, shard.size()));
    else
      EXPECT_EQ(shard, Bytes(shard.size(), std::byte{7}));
  }
}

/// A transport refuses a shard that is too small for its pieces, before it exchanges anything.
inline void aSmallShardIsRefused(const TransportRank &at) {
  Tensors mine(plan::ElementType::F32, at.rank, 1, 4, 4, at.ranks);
  Bytes shard(8);
  EXPECT_EQ(at.transport.allGather(at.rank, shard, mine.whole).code(), ExitCode::Internal);
  EXPECT_EQ(at.transport.reduceScatter(at.rank, plan::ElementType::F32, shard, mine.whole, {}).code(),
            ExitCode::Internal);
  EXPECT_EQ(at.transport.reduceScatter(at.rank, plan::ElementType::I32, shard, mine.whole, {}).code(),
            ExitCode::Internal);
}

} // namespace transport_suite

struct TransportCase {
  const char *name;
  void (*run)(const TransportRank &at);
};

#define WINDLASS_TRANSPORT_CASE(name)                                                                        \
  TransportCase { #name, transport_suite::name }
inline const TransportCase kTransportCases[] = {
    WINDLASS_TRANSPORT_CASE(gatherPutsEveryPieceAtItsRank),
    WINDLASS_TRANSPORT_CASE(gatherOfMegabytes),
    WINDLASS_TRANSPORT_CASE(gatherOfNothing),
    WINDLASS_TRANSPORT_CASE(sumsAreInRankOrder),
    WINDLASS_TRANSPORT_CASE(sumsOfMegabytesAreInRankOrder),
    WINDLASS_TRANSPORT_CASE(sumsRoundOnceInEachType),
    WINDLASS_TRANSPORT_CASE(broadcastBringsTheShardOfItsOwnerToAll),
    WINDLASS_TRANSPORT_CASE(aMessageIsABroadcastBetweenTwo),
    WINDLASS_TRANSPORT_CASE(reduceSumsForItsOwnerAlone),
    WINDLASS_TRANSPORT_CASE(aSmallShardIsRefused),
};
#undef WINDLASS_TRANSPORT_CASE

/// Prints a case as its name.
inline void PrintTo(const TransportCase &one, std::ostream *out) { *out << one.name; }

} // namespace windlass::test
