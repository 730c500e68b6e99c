// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ExchangeTransport.h - collectives between processes ===================//
//
// Duty: the Transport of ranks of which some live in other processes. Pieces are exchanged by a ByteGroup;
// sums are made here, chunk by chunk, in rank order: the bits of InProcessTransport, over any network.
// Ownership: owns its group. Memory: beside the plan's arenas, 16 MiB for each rank of this process that
// sums; untouched where others' pieces are in place. A rank's first calls take what it works with; later ones
// allocate nothing. Threads: as Transport.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/transport/ByteNetwork.h"
#include "runtime/transport/Transport.h"
#include <memory>
#include <vector>

namespace windlass {

class ExchangeTransport final : public Transport {
public:
  /// What a rank that sums takes beside the plan's arenas.
  static constexpr int64_t kStagingBytes = 16 << 20;

  /// `ranks`: places of the group.
  ExchangeTransport(int64_t ranks, std::unique_ptr<ByteGroup> group);

  Status allGather(int64_t rank, std::span<const std::byte> shard,
                   std::span<const WholeTensor> whole) override;
  Status reduceScatter(int64_t rank, plan::ElementType type, std::span<std::byte> shard,
                       std::span<const WholeTensor> whole, std::span<std::byte> staging) override;
  Status broadcast(int64_t rank, int64_t root, std::span<const std::byte> shard,
                   std::span<const WholeTensor> whole) override;
  Status reduce(int64_t rank, int64_t root, plan::ElementType type, std::span<std::byte> shard,
                std::span<const WholeTensor> whole, std::span<std::byte> staging) override;
  void abort() override { group->abort(); }

private:
  /// What a rank works with, reused from call to call.
  struct Desk {
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    std::vector<const std::byte *> sources;
    std::unique_ptr<std::byte[]> staging; ///< a chunk from each other rank
  };

  Status sum(int64_t rank, int64_t root, plan::ElementType type, std::span<std::byte> shard,
             std::span<const WholeTensor> whole);
  /// One tensor's part in a sum.
  struct Summing {
    int64_t rank, root;
    plan::ElementType type;
    WholeTensor tensor;
    std::byte *out; ///< of the sum; null where another rank makes it
  };
  void prepare(const Summing &summing, int64_t begin, int64_t bytes, int64_t room);
  Status sumChunk(const Summing &summing, int64_t begin, int64_t bytes);
  Status sumSlices(const Summing &summing);

  int64_t ranks, chunkBytes;
  std::unique_ptr<ByteGroup> group;
  std::vector<Desk> desks; ///< by rank; those of other processes stay empty
};

} // namespace windlass
