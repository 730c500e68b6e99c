// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NcclTransport.h - ranks with a GPU each ============================//
//
// Duty: the Transport of ranks that each have a GPU of their own, over NCCL, which moves bytes alone: pieces
// are sent and received in groups of calls, sums are made by the plan's code in rank order, chunk by chunk,
// and so have the bits of every other transport's. Or NCCL gathers and sums itself, in an order of its own
// (NcclCollectives.cpp). No call of NCCL's waits for another rank: it is asked until it has done what it was
// told, for as long as a device may take. A thread asks whether all is well: where it is not,
// the members' streams are broken off with what NCCL says, and its work is ended. NCCL's work on a GPU waits
// for other ranks, and what of it is under way holds up the rest: what a GPU has to exchange, over all of its
// transports, must be enqueued so that one call begins when another is complete, and in orders in which ranks
// meet (Backend::exchangesOneByOne). Ownership: keeps contexts; the code of sums must outlive the work.
// Threads: as Transport. Errors: as Transport; CannotFit where there are too many ranks, or NCCL cannot
// connect them; RunFailed where it does not come to an end; BadInput for a sum without enough memory to stage
// it in.
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

/// A rank of this process: its GPU, the stream that its collectives stand in, and of that GPU the code of
/// sums. A rank of another process has none of it.
struct NcclMember {
  std::shared_ptr<cuda::Context> context;
  CudaStream *stream = nullptr;
  DeviceSums sums;
  std::optional<int64_t> rank = {}; ///< of the plan, in messages; else its place
};

class NcclTransport final : public Transport {
public:
  /// `id`: what all processes of the members meet by; null: they are all of this process.
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
  /// Bytes of a call's that go to a rank or come from it.
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
    std::byte *out;     ///< of the sum; null where another rank makes it
    std::byte *staging; ///< chunks of all others, side by side
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
  /// One group of calls.
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
  std::mutex mutex; ///< of what the watcher naps on
  std::condition_variable changed;
  bool isClosing = false;
  std::atomic<bool> isAborted = false;
  std::vector<std::vector<Part>> desks; ///< by rank, reused from call to call
  std::jthread watcher;                 ///< last: uses all of the above
};

/// NCCL is told nothing any more once it was aborted. Of a device that has failed it knows no more than that.
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
