// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/InProcessTransport.h"
#include "runtime/transport/OrderedSum.h"
#include <cstring>

namespace windlass {

Status MeetingPoint::meet() {
  std::unique_lock lock(mutex);
  uint64_t mine = meetings;
  if (!broken && ++here == members) {
    here = 0;
    ++meetings;
    allHere.notify_all();
  }
  allHere.wait(lock, [&] { return meetings != mine || broken; });
  return meetings != mine ? Status::ok()
                          : Status::runFailed("collective given up because another rank failed");
}

void MeetingPoint::breakUp() {
  {
    std::lock_guard lock(mutex);
    broken = true;
  }
  allHere.notify_all();
}

InProcessTransport::InProcessTransport(int64_t ranks)
    : point(ranks), shown(ranks), sources(ranks, std::vector<const std::byte *>(ranks)) {}

Status InProcessTransport::allGather(int64_t rank, std::span<const std::byte> shard,
                                     std::span<const WholeTensor> whole) {
  WINDLASS_TRY(checkShard(whole, shard.size()));
  shown[rank] = {shard, whole};
  WINDLASS_TRY(point.meet());
  for (size_t q = 0; q < shown.size(); ++q) {
    const std::byte *piece = shown[q].shard.data();
    for (const WholeTensor &tensor : whole) {
      std::memcpy(tensor.data + q * tensor.pieceBytes, piece, tensor.pieceBytes);
      piece += tensor.pieceBytes;
    }
  }
  return point.meet();
}

Status InProcessTransport::reduceScatter(int64_t rank, plan::ElementType type, std::span<std::byte> shard,
                                         std::span<const WholeTensor> whole,
                                         std::span<std::byte> /*staging*/) {
  if (!isSummable(type))
    return Status::internal("reduce_scatter of an element type that is not summed");
  WINDLASS_TRY(checkShard(whole, shard.size()));
  shown[rank] = {shard, whole};
  WINDLASS_TRY(point.meet());
  sumPieces(rank, rank, type, shard);
  return point.meet();
}

Status InProcessTransport::broadcast(int64_t rank, int64_t root, std::span<const std::byte> shard,
                                     std::span<const WholeTensor> whole) {
  if (rank == root)
    WINDLASS_TRY(checkShard(whole, shard.size()));
  shown[rank] = {shard, whole};
  WINDLASS_TRY(point.meet());
  const std::byte *piece = shown[root].shard.data();
  for (const WholeTensor &tensor : whole) {
    std::memcpy(tensor.data, piece, tensor.pieceBytes);
    piece += tensor.pieceBytes;
  }
  return point.meet();
}

Status InProcessTransport::reduce(int64_t rank, int64_t root, plan::ElementType type,
                                  std::span<std::byte> shard, std::span<const WholeTensor> whole,
                                  std::span<std::byte> /*staging*/) {
  if (!isSummable(type))
    return Status::internal("reduce of an element type that is not summed");
  if (rank == root)
    WINDLASS_TRY(checkShard(whole, shard.size()));
  shown[rank] = {shard, whole};
  WINDLASS_TRY(point.meet());
  if (rank == root)
    sumPieces(rank, /*piece=*/0, type, shard);
  return point.meet();
}

/// The sums of one piece of every whole tensor, back to back, and zeros behind them.
void InProcessTransport::sumPieces(int64_t rank, int64_t piece, plan::ElementType type,
                                   std::span<std::byte> shard) {
  std::span<const WholeTensor> whole = shown[rank].whole;
  std::byte *sum = shard.data();
  for (size_t t = 0; t < whole.size(); ++t) {
    int64_t bytes = whole[t].pieceBytes;
    for (size_t q = 0; q < shown.size(); ++q)
      sources[rank][q] = shown[q].whole[t].data + piece * bytes;
    sumInOrder(type, sources[rank], sum, bytes);
    sum += bytes;
  }
  std::memset(sum, 0, shard.data() + shard.size() - sum);
}

} // namespace windlass
