// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/ExchangeTransport.h"
#include "runtime/transport/OrderedSum.h"
#include <algorithm>
#include <cstring>
#include <functional>

namespace windlass {
namespace {

/// Every rank sums a piece of its own.
constexpr int64_t kNoRoot = plan::kEveryRank;
constexpr int64_t kLeastChunk = 64 << 10, kSliceBytes = 128 << 10;

std::span<std::byte> pieceOf(const WholeTensor &tensor, int64_t rank) {
  return {tensor.data + rank * tensor.pieceBytes, static_cast<size_t>(tensor.pieceBytes)};
}

} // namespace

ExchangeTransport::ExchangeTransport(int64_t ranks, std::unique_ptr<ByteGroup> group)
    : ranks(ranks), chunkBytes(std::max(kLeastChunk, kStagingBytes / ranks / 64 * 64)),
      group(std::move(group)), desks(static_cast<size_t>(ranks)) {
  for (Desk &desk : desks)
    desk.sources.resize(static_cast<size_t>(ranks));
}

Status ExchangeTransport::allGather(int64_t rank, std::span<const std::byte> shard,
                                    std::span<const WholeTensor> whole) {
  WINDLASS_TRY(checkShard(whole, shard.size()));
  auto &[outgoing, incoming, sources, staging] = desks[static_cast<size_t>(rank)];
  outgoing.clear();
  incoming.clear();
  const std::byte *mine = shard.data();
  for (const WholeTensor &tensor : whole) {
    const std::span piece(mine, static_cast<size_t>(tensor.pieceBytes));
    std::memcpy(pieceOf(tensor, rank).data(), mine, piece.size());
    for (int64_t other = 0; other < ranks; ++other) {
      if (other == rank)
        continue;
      outgoing.push_back({other, piece});
      incoming.push_back({other, pieceOf(tensor, other)});
    }
    mine += tensor.pieceBytes;
  }
  return group->exchange(rank, outgoing, incoming);
}

Status ExchangeTransport::broadcast(int64_t rank, int64_t root, std::span<const std::byte> shard,
                                    std::span<const WholeTensor> whole) {
  auto &[outgoing, incoming, sources, staging] = desks[static_cast<size_t>(rank)];
  outgoing.clear();
  incoming.clear();
  if (rank != root) {
    for (const WholeTensor &tensor : whole)
      incoming.push_back({root, pieceOf(tensor, 0)});
    return group->exchange(rank, outgoing, incoming);
  }
  WINDLASS_TRY(checkShard(whole, shard.size()));
  const auto sendToOthers = [&, &out = outgoing](std::span<const std::byte> bytes) {
    for (int64_t other = 0; other < ranks; ++other)
      if (other != rank)
        out.push_back({other, bytes});
  };
  const std::byte *mine = shard.data();
  for (const WholeTensor &tensor : whole) {
    const std::span piece(mine, static_cast<size_t>(tensor.pieceBytes));
    std::memcpy(tensor.data, mine, piece.size());
    sendToOthers(piece);
    mine += tensor.pieceBytes;
  }
  if (whole.empty()) // a message: the other end takes all of it as one tensor
    sendToOthers(shard);
  return group->exchange(rank, outgoing, incoming);
}

Status ExchangeTransport::reduceScatter(int64_t rank, plan::ElementType type, std::span<std::byte> shard,
                                        std::span<const WholeTensor> whole,
                                        std::span<std::byte> /*staging*/) {
  return isSummable(type) ? sum(rank, kNoRoot, type, shard, whole)
                          : Status::internal("reduce_scatter of an element type that is not summed");
}

Status ExchangeTransport::reduce(int64_t rank, int64_t root, plan::ElementType type,
                                 std::span<std::byte> shard, std::span<const WholeTensor> whole,
                                 std::span<std::byte> /*staging*/) {
  return isSummable(type) ? sum(rank, root, type, shard, whole)
                          : Status::internal("reduce of an element type that is not summed");
}

/// Of every tensor one piece for each rank, or all of it for the root.
Status ExchangeTransport::sum(int64_t rank, int64_t root, plan::ElementType type, std::span<std::byte> shard,
                              std::span<const WholeTensor> whole) {
  const bool sums = root == kNoRoot || root == rank;
  if (sums)
    WINDLASS_TRY(checkShard(whole, shard.size()));
  Desk &desk = desks[static_cast<size_t>(rank)];
  if (sums && !desk.staging)
    desk.staging = std::make_unique_for_overwrite<std::byte[]>(static_cast<size_t>((ranks - 1) * chunkBytes));
  std::byte *out = shard.data();
  for (const WholeTensor &tensor : whole) {
    const Summing summing = {rank, root, type, tensor, sums ? out : nullptr};
    if (group->looks())
      WINDLASS_TRY(sumSlices(summing));
    for (int64_t begin = 0; !group->looks() && begin < tensor.pieceBytes; begin += chunkBytes)
      WINDLASS_TRY(sumChunk(summing, begin, std::min(chunkBytes, tensor.pieceBytes - begin)));
    out += tensor.pieceBytes;
  }
  if (sums)
    std::memset(out, 0, static_cast<size_t>(shard.data() + shard.size() - out));
  return Status::ok();
}

/// What this rank sends of a tensor, [begin, begin + bytes) of each piece, and where of the others' pieces
/// `room` bytes go.
void ExchangeTransport::prepare(const Summing &summing, int64_t begin, int64_t bytes, int64_t room) {
  const auto &[rank, root, type, tensor, out] = summing;
  auto &[outgoing, incoming, sources, staging] = desks[static_cast<size_t>(rank)];
  const auto bytesFor = [&, data = tensor.data, pieceBytes = tensor.pieceBytes](int64_t other) {
    return std::span<const std::byte>(data + (root == kNoRoot ? other * pieceBytes : 0) + begin,
                                      static_cast<size_t>(bytes));
  };
  outgoing.clear();
  incoming.clear();
  std::byte *staged = staging.get();
  for (int64_t other = 0; other < ranks; ++other) {
    if (other == rank) {
      sources[static_cast<size_t>(other)] = bytesFor(rank).data();
      continue;
    }
    if (root == kNoRoot || other == root)
      outgoing.push_back({other, bytesFor(other)});
    if (!out)
      continue;
    incoming.push_back({other, {staged, static_cast<size_t>(room)}});
    sources[static_cast<size_t>(other)] = staged;
    staged += chunkBytes;
  }
}

/// Bytes [begin, begin + bytes) of the pieces of a tensor.
Status ExchangeTransport::sumChunk(const Summing &summing, int64_t begin, int64_t bytes) {
  Desk &desk = desks[static_cast<size_t>(summing.rank)];
  prepare(summing, begin, bytes, bytes);
  WINDLASS_TRY(group->exchange(summing.rank, desk.outgoing, desk.incoming));
  if (summing.out)
    sumInOrder(summing.type, desk.sources, summing.out + begin, bytes);
  return Status::ok();
}

/// Out of the others' memory, in place or in slices that stay in the processor's cache.
Status ExchangeTransport::sumSlices(const Summing &summing) {
  Desk &desk = desks[static_cast<size_t>(summing.rank)];
  prepare(summing, 0, summing.tensor.pieceBytes, std::min(chunkBytes, kSliceBytes));
  const auto mine = static_cast<size_t>(summing.rank);
  auto use = [&](int64_t begin, int64_t count) {
    sumInOrder(summing.type, desk.sources, summing.out + begin, count);
    desk.sources[mine] += count;
  };
  Slices slices = {desk.outgoing, desk.incoming, summing.tensor.pieceBytes, desk.sources, {}};
  if (summing.out)
    slices.use = std::ref(use);
  return group->exchangeSlices(summing.rank, slices);
}

} // namespace windlass
