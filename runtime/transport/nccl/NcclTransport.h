// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NcclTransport.h - ranks with a GPU each ===============================//
//
// Duty: the Transport of ranks that each have a GPU of their own, over NCCL. NCCL only moves bytes: pieces
// are sent and received in groups of calls, and the plan's device code sums them chunk by chunk in rank
// order, to the bits of every transport that sums in this order. Or NCCL gathers and sums itself, in an order
// of its own (NcclCollectives.cpp).
// No call of NCCL's blocks until another rank has come: NCCL is polled until a call is complete, for as long
// as a device may take. A thread polls NCCL for asynchronous errors; on an error it breaks off the members'
// streams with NCCL's message, and aborts NCCL. NCCL's work on a GPU waits for other ranks, and holds up
// other work on that GPU. So the collectives of a GPU, over all of its transports, must be enqueued one after
// the other, each when the one before is complete, and in orders in which ranks meet
// (Backend::exchangesOneByOne).
// Ownership: keeps contexts; the code of sums must outlive the work. Threads: as Transport. Errors: as
// Transport; CannotFit for too many ranks, or if NCCL cannot connect them; RunFailed for a call that does not
// complete; BadInput for a sum without enough memory to stage it in.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Nccl.h"
#include "runtime/plan/Collectives.h"
#include "runtime/tiers/cuda/CudaStream.h"
#include "runtime/transport/DeviceSum.h"
#include "runtime/transport/Transport.h"
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace windlass {

/// A rank of this process: its GPU, the stream of its collectives, and the GPU's code of the sums. For a rank
/// of another process they are null.
struct NcclMember {
  std::shared_ptr<cuda::Context> context;
  CudaStream *stream = nullptr;
  DeviceSums sums;
  std::optional<int64_t> rank = {}; ///< of the plan, for messages; none: its place
};

class NcclTransport final : public Transport {
public:
  /// `id`: the same in all processes of the members; null: all members are of this process.
  static Result<std::unique_ptr<Transport>>
  create(const cuda::Nccl &nccl, std::vector<NcclMember> members, const cuda::NcclId *id = nullptr,
         plan::Collectives collectives = plan::Collectives::Ordered);
  NcclTransport(const cuda::Nccl &nccl, std::vector<NcclMember> members, plan::Collectives collectives);
  ~NcclTransport() override;

  Status allGather(int64_t rank, std::span<const std::byte> shard,
                   std::span<const WholeTensor> whole) override;
  Status reduceScatter(int64_t rank, plan::ElementType type, std::span<std::byte> shard,
                       std::span<const WholeTensor> whole, std::span<std::byte> staging) override;
  Status broadcast(int64_t rank, int64_t root, std::span<const std::byte> shard,
                   std::span<const WholeTensor> whole) override;
  Status reduce(int64_t rank, int64_t root, plan::ElementType type, std::span<std::byte> shard,
                std::span<const WholeTensor> whole, std::span<std::byte> staging) override;
  void abort() override;

private:
  struct Member {
    NcclMember given;
    cuda::CuStream stream = nullptr;
    std::shared_ptr<StreamBreak> breaking = {}; ///< of that stream, which may be gone before this
    cuda::NcclGroup group = nullptr;
    std::unique_ptr<std::timed_mutex> calling = std::make_unique<std::timed_mutex>();

    bool isHere() const { return given.context != nullptr; }
  };
  /// Bytes that are sent to a rank, or received from it, in a group of calls.
  struct Part {
    int64_t other;
    std::byte *bytes;
    int64_t count;
    bool isSent;
  };
  /// One tensor's part in a sum.
  struct Summing {
    int64_t rank, root;
    const DeviceSum *sum;
    WholeTensor tensor;
    std::byte *out;     ///< for the sum; null if another rank makes it
    std::byte *staging; ///< a chunk of each other rank, side by side
    int64_t chunkBytes;
  };

  Status open(const cuda::NcclId *id);
  Status join(const cuda::NcclId &id);
  Status check(cuda::NcclResult result, const char *call) const;
  Result<cuda::NcclResult> settled(const Member &member, std::chrono::microseconds longestNap) const;
  Status complaint(const Member &member, cuda::NcclResult result) const;
  Status givenUp(const Member &member) const;
  int64_t rankOf(const Member &member) const;
  std::string othersOf(const Member &member) const;
  /// Makes `calls` as one group of calls, and polls NCCL until it is complete.
  template <typename Calls> Status together(const Member &member, Calls calls);
  Status exchange(int64_t rank, std::span<const Part> parts);
  Status enqueueParts(const Member &member, std::span<const Part> parts) const;
  Status copy(int64_t rank, std::byte *to, const std::byte *from, int64_t bytes);
  Status sum(int64_t rank, int64_t root, plan::ElementType type, std::span<std::byte> shard,
             std::span<const WholeTensor> whole, std::span<std::byte> staging);
  Status sumInOrder(int64_t rank, int64_t root, const DeviceSum &code, std::byte *out,
                    std::span<const WholeTensor> whole, std::span<std::byte> staging);
  Status sumChunk(const Summing &summing, int64_t begin, int64_t bytes);
  bool isNcclsOwn() const { return collectives == plan::Collectives::Nccl && members.size() > 1; }
  Status gatherByNccl(int64_t rank, const std::byte *shard, std::span<const WholeTensor> whole);
  Status sumByNccl(int64_t rank, int64_t root, plan::ElementType type, std::byte *shard,
                   std::span<const WholeTensor> whole);
  Status clear(const Member &member, std::byte *from, const std::byte *end) const;
  void watch();
  Status asyncError() const;

  cuda::Nccl nccl;
  plan::Collectives collectives;
  std::vector<Member> members;
  std::mutex mutex; ///< guards isClosing
  std::condition_variable changed;
  bool isClosing = false;
  std::atomic<bool> isAborted = false;
  std::vector<std::vector<Part>> desks; ///< by rank, reused from call to call
  std::jthread watcher;                 ///< last: uses all of the above
};

/// NCCL is not called any more once it was aborted. If the device has failed, its own error is returned,
/// since it says more than that of NCCL.
template <typename Calls> Status NcclTransport::together(const Member &member, Calls calls) {
  const std::scoped_lock lock(*member.calling);
  if (isAborted)
    return givenUp(member);
  WINDLASS_TRY(member.given.context->enter());
  WINDLASS_TRY(check(nccl.beginTogether(), "ncclGroupStart"));
  const Status enqueued = calls();
  const Status ended = check(nccl.endTogether(), "ncclGroupEnd");
  if (!enqueued.isOk() || !ended.isOk())
    WINDLASS_TRY(member.given.context->failure(member.stream));
  WINDLASS_TRY(enqueued);
  WINDLASS_TRY(ended);
  const Result<cuda::NcclResult> made = settled(member, cuda::kLongestNap);
  WINDLASS_TRY(made.status());
  return *made == cuda::kNcclSuccess ? Status::ok() : complaint(member, *made);
}

} // namespace windlass
