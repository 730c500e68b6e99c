// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- InProcessTransport.h - ranks as threads of one process ================//
//
// Duty: the Transport of the CPU backend. Ranks lay out their pointers, meet,
// each copies or sums its own pieces, and they meet again before anyone may
// reuse its bytes. Waiting blocks; it never spins.
// Threads: one per rank, as Transport says.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/transport/Transport.h"
#include <condition_variable>
#include <mutex>
#include <vector>

namespace windlass {

/// Where `members` threads meet, again and again; can be broken for good.
class MeetingPoint {
public:
  explicit MeetingPoint(int64_t members) : members(members) {}
  /// Blocks until all members are here; RunFailed if it was broken.
  Status meet();
  void breakUp();

private:
  std::mutex mutex;
  std::condition_variable allHere;
  int64_t members;
  int64_t here = 0;
  uint64_t meetings = 0;
  bool broken = false;
};

class InProcessTransport final : public Transport {
public:
  explicit InProcessTransport(int64_t ranks);

  Status allGather(int64_t rank, std::span<const std::byte> shard,
                   std::span<const WholeTensor> whole) override;
  Status reduceScatter(int64_t rank, plan::ElementType type, std::span<std::byte> shard,
                       std::span<const WholeTensor> whole, std::span<std::byte> staging) override;
  Status broadcast(int64_t rank, int64_t root, std::span<const std::byte> shard,
                   std::span<const WholeTensor> whole) override;
  Status reduce(int64_t rank, int64_t root, plan::ElementType type, std::span<std::byte> shard,
                std::span<const WholeTensor> whole, std::span<std::byte> staging) override;
  void abort() override { point.breakUp(); }

private:
  /// What one rank shows the others between two meetings.
  struct Shown {
    std::span<const std::byte> shard;
    std::span<const WholeTensor> whole;
  };

  void sumPieces(int64_t rank, int64_t piece, plan::ElementType type, std::span<std::byte> shard);

  MeetingPoint point;
  std::vector<Shown> shown;                            ///< per rank
  std::vector<std::vector<const std::byte *>> sources; ///< per rank: one pointer per rank, reused
};

} // namespace windlass
