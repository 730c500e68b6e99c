// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PeerTransport.h - ranks that share one GPU ============================//
//
// Duty: the Transport of ranks that are threads of one process and whose memory lies on one GPU. In each
// collective the threads of the ranks meet and exchange the addresses of their operands. Then the stream of
// each rank waits for the events of the other streams, and reads the other ranks' bytes in place. It waits
// for their events once more before the collective is complete, so that no rank overwrites bytes that another
// one still reads. The plan's device code computes the sums, to the bits of every transport that sums in rank
// order.
// Ownership: keeps the context; the streams and the code of the sums must outlive the enqueued work.
// Threads: as Transport. Errors: as Transport; CannotFit for more ranks than a sum takes; BadInput for a sum
// that the plan brings no code for.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Context.h"
#include "runtime/tiers/cuda/CudaStream.h"
#include "runtime/transport/DeviceSum.h"
#include "runtime/transport/InProcessTransport.h"
#include "runtime/transport/Transport.h"

namespace windlass {

class PeerTransport final : public Transport {
public:
  /// `streams`: those of the members, made by this context. CannotFit if there are more than kMostPeers.
  static Result<std::unique_ptr<Transport>> create(std::shared_ptr<cuda::Context> context,
                                                   std::span<Stream *const> streams, const DeviceSums &sums);
  PeerTransport(std::shared_ptr<cuda::Context> context, std::span<Stream *const> streams,
                const DeviceSums &sums);
  ~PeerTransport() override;

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
  /// The stream and events of one rank, and the operands that the other ranks read between two meetings.
  struct Member {
    cuda::CuStream stream = nullptr;
    cuda::CuEvent ready = nullptr, done = nullptr;
    std::span<const std::byte> shard;
    std::span<const WholeTensor> whole;
  };
  using Event = cuda::CuEvent Member::*;

  Status open();
  template <typename Work>
  Status exchange(int64_t rank, std::span<const std::byte> shard, std::span<const WholeTensor> whole,
                  Work work);
  Status record(Event event, const Member &member);
  Status waitForOthers(Event event, int64_t rank);
  Status copyPieces(const Member &from, const Member &to, int64_t piece);
  Status sumPieces(int64_t rank, int64_t piece, plan::ElementType type, std::span<std::byte> shard);
  Status sumTensor(const DeviceSum &sum, const Member &to, size_t tensor, int64_t piece, std::byte *out);

  std::shared_ptr<cuda::Context> context;
  DeviceSums sums;
  MeetingPoint point;
  std::vector<Member> members;
};

} // namespace windlass
