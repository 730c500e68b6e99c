// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/peer/PeerTransport.h"
#include <array>

namespace windlass {

using cuda::addressOf;
using cuda::Driver;

PeerTransport::PeerTransport(std::shared_ptr<cuda::Context> context, std::span<Stream *const> streams,
                             const DeviceSums &sums)
    : context(std::move(context)), sums(sums), point(std::ssize(streams)), members(streams.size()) {
  for (size_t i = 0; i < streams.size(); ++i)
    members[i].stream = static_cast<CudaStream *>(streams[i])->handle();
}

Result<std::unique_ptr<Transport>> PeerTransport::create(std::shared_ptr<cuda::Context> context,
                                                         std::span<Stream *const> streams,
                                                         const DeviceSums &sums) {
  if (streams.size() > kMostPeers)
    return Status::cannotFit(std::to_string(streams.size()) + " ranks share a GPU: " +
                             std::to_string(kMostPeers) + " may exchange bytes there");
  auto made = std::make_unique<PeerTransport>(std::move(context), streams, sums);
  WINDLASS_TRY(made->open());
  return std::unique_ptr<Transport>(std::move(made));
}

Status PeerTransport::open() {
  for (Member &member : members)
    for (Event event : {&Member::ready, &Member::done})
      WINDLASS_TRY(context->call<&Driver::createEvent>(&(member.*event), cuda::kUntimedEvent));
  return Status::ok();
}

PeerTransport::~PeerTransport() {
  if (context->isGivenUp() || !context->enter())
    return;
  for (const Member &member : members)
    for (Event event : {&Member::ready, &Member::done})
      if (member.*event)
        context->driver().destroyEvent(member.*event);
}

Status PeerTransport::record(Event event, const Member &member) {
  return members.size() == 1 ? Status::ok() : context->call<&Driver::record>(member.*event, member.stream);
}

Status PeerTransport::waitForOthers(Event event, int64_t rank) {
  const Member &mine = members[rank];
  for (const Member &other : members)
    if (&other != &mine)
      WINDLASS_TRY(context->call<&Driver::waitForEvent>(mine.stream, other.*event, 0u));
  return Status::ok();
}

/// When the threads meet first, every member has recorded `ready`. When they meet again, every member has
/// enqueued its waits for the others' `ready`, and has recorded `done`. So a member records an event again
/// only after all others have enqueued their waits for its last record.
template <typename Work>
Status PeerTransport::exchange(int64_t rank, std::span<const std::byte> shard,
                               std::span<const WholeTensor> whole, Work work) {
  Member &mine = members[rank];
  mine.shard = shard;
  mine.whole = whole;
  WINDLASS_TRY(record(&Member::ready, mine));
  WINDLASS_TRY(point.meet());
  WINDLASS_TRY(waitForOthers(&Member::ready, rank));
  WINDLASS_TRY(work(mine));
  WINDLASS_TRY(record(&Member::done, mine));
  WINDLASS_TRY(point.meet());
  return waitForOthers(&Member::done, rank);
}

/// From a shard, piece after piece, to one place of each of the whole tensors.
Status PeerTransport::copyPieces(const Member &from, const Member &to, int64_t place) {
  const std::byte *piece = from.shard.data();
  for (const WholeTensor &tensor : to.whole) {
    if (tensor.pieceBytes > 0)
      WINDLASS_TRY(context->call<&Driver::enqueueCopy>(addressOf(tensor.data + place * tensor.pieceBytes),
                                                       addressOf(piece),
                                                       static_cast<size_t>(tensor.pieceBytes), to.stream));
    piece += tensor.pieceBytes;
  }
  return Status::ok();
}

Status PeerTransport::allGather(int64_t rank, std::span<const std::byte> shard,
                                std::span<const WholeTensor> whole) {
  WINDLASS_TRY(checkShard(whole, shard.size()));
  return exchange(rank, shard, whole, [this](const Member &mine) {
    for (size_t q = 0; q < members.size(); ++q)
      WINDLASS_TRY(copyPieces(members[q], mine, static_cast<int64_t>(q)));
    return Status::ok();
  });
}

Status PeerTransport::broadcast(int64_t rank, int64_t root, std::span<const std::byte> shard,
                                std::span<const WholeTensor> whole) {
  if (rank == root)
    WINDLASS_TRY(checkShard(whole, shard.size()));
  return exchange(rank, shard, whole,
                  [this, root](const Member &mine) { return copyPieces(members[root], mine, /*place=*/0); });
}

Status PeerTransport::reduceScatter(int64_t rank, plan::ElementType type, std::span<std::byte> shard,
                                    std::span<const WholeTensor> whole, std::span<std::byte> /*staging*/) {
  WINDLASS_TRY(checkShard(whole, shard.size()));
  return exchange(rank, shard, whole,
                  [=, this](const Member &) { return sumPieces(rank, rank, type, shard); });
}

Status PeerTransport::reduce(int64_t rank, int64_t root, plan::ElementType type, std::span<std::byte> shard,
                             std::span<const WholeTensor> whole, std::span<std::byte> /*staging*/) {
  if (rank == root)
    WINDLASS_TRY(checkShard(whole, shard.size()));
  return exchange(rank, shard, whole, [=, this](const Member &) {
    return rank == root ? sumPieces(rank, /*piece=*/0, type, shard) : Status::ok();
  });
}

/// The sums of one piece of every whole tensor, back to back, and zeros behind them.
Status PeerTransport::sumPieces(int64_t rank, int64_t piece, plan::ElementType type,
                                std::span<std::byte> shard) {
  const Result<const DeviceSum *> sum = sumOf(sums, type);
  WINDLASS_TRY(sum.status());
  const Member &mine = members[rank];
  std::byte *out = shard.data();
  for (size_t tensor = 0; tensor < mine.whole.size(); ++tensor) {
    WINDLASS_TRY(sumTensor(**sum, mine, tensor, piece, out));
    out += mine.whole[tensor].pieceBytes;
  }
  const auto rest = static_cast<size_t>(shard.data() + shard.size() - out);
  if (rest == 0)
    return Status::ok();
  return context->call<&Driver::enqueueFill>(addressOf(out), static_cast<unsigned char>(0), rest,
                                             mine.stream);
}

Status PeerTransport::sumTensor(const DeviceSum &sum, const Member &to, size_t tensor, int64_t piece,
                                std::byte *out) {
  const int64_t bytes = to.whole[tensor].pieceBytes;
  std::array<const std::byte *, kMostPeers> sources{};
  for (size_t q = 0; q < members.size(); ++q)
    sources[q] = members[q].whole[tensor].data + piece * bytes;
  return enqueueSum(*context, sum, to.stream, out, bytes, std::span(sources).first(members.size()));
}

} // namespace windlass
