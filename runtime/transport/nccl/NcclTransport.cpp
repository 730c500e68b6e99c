// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/nccl/NcclTransport.h"
#include "runtime/plan/Layout.h"
#include <algorithm>
#include <chrono>

namespace windlass {

using cuda::addressOf;
using cuda::Driver;
using cuda::NcclResult;

namespace {

/// Every rank sums a piece of its own.
constexpr int64_t kNoRoot = plan::kEveryRank;
/// Between two polls for asynchronous errors of NCCL.
constexpr std::chrono::milliseconds kWatch(100);
/// Between two polls while ranks join, which takes as long as processes take to come.
constexpr std::chrono::milliseconds kJoiningNap(2);
/// How long an abort waits for a call that is under way.
constexpr std::chrono::milliseconds kLongestCall(500);

constexpr const char *kJoin = "ncclCommInitRankConfig", *kAsk = "ncclCommGetAsyncError";

/// A refusal of NCCL before the first step, as CannotFit: the machine lacks something.
Status lacking(const Status &refused) {
  return refused.isOk() ? refused : Status::cannotFit(refused.message());
}

} // namespace

NcclTransport::NcclTransport(const cuda::Nccl &nccl, std::vector<NcclMember> given,
                             plan::Collectives collectives)
    : nccl(nccl), collectives(collectives), desks(given.size()) {
  for (NcclMember &each : given)
    members.push_back({std::move(each)});
  for (Member &member : members)
    if (member.isHere()) {
      member.stream = member.given.stream->handle();
      member.breaking = member.given.stream->breaking();
    }
}

Result<std::unique_ptr<Transport>> NcclTransport::create(const cuda::Nccl &nccl,
                                                         std::vector<NcclMember> members,
                                                         const cuda::NcclId *id,
                                                         plan::Collectives collectives) {
  if (collectives == plan::Collectives::Ordered && members.size() > kMostPeers)
    return Status::cannotFit(std::to_string(members.size()) +
                             " ranks sum over NCCL: " + std::to_string(kMostPeers) + " may");
  auto made = std::make_unique<NcclTransport>(nccl, std::move(members), collectives);
  WINDLASS_TRY(made->open(id));
  return std::unique_ptr<Transport>(std::move(made));
}

Status NcclTransport::open(const cuda::NcclId *given) {
  if (members.size() == 1)
    return Status::ok();
  cuda::NcclId id{};
  if (given)
    id = *given;
  else {
    WINDLASS_TRY(members[0].given.context->enter());
    WINDLASS_TRY(check(nccl.uniqueId(&id), "ncclGetUniqueId"));
  }
  if (const Status joined = join(id); !joined.isOk()) {
    abort(); // what its threads are at
    return joined.in("NCCL connects no " + std::to_string(members.size()) + " ranks");
  }
  watcher = std::jthread([this] { watch(); });
  return Status::ok();
}

/// Joins all members in one NCCL group: a member that joins waits for the others.
Status NcclTransport::join(const cuda::NcclId &id) {
  cuda::NcclJoining how;
  WINDLASS_TRY(lacking(check(nccl.beginTogether(), "ncclGroupStart")));
  Status joined;
  for (size_t rank = 0; rank < members.size() && joined.isOk(); ++rank) {
    if (!members[rank].isHere())
      continue;
    joined = members[rank].given.context->enter();
    if (joined.isOk())
      joined = check(
          nccl.join(&members[rank].group, static_cast<int>(members.size()), id, static_cast<int>(rank), &how),
          kJoin);
  }
  const Status ended = check(nccl.endTogether(), "ncclGroupEnd");
  WINDLASS_TRY(lacking(joined));
  WINDLASS_TRY(lacking(ended));
  for (const Member &member : members) {
    if (!member.isHere())
      continue;
    const Result<NcclResult> came = settled(member, kJoiningNap);
    WINDLASS_TRY(came.status());
    WINDLASS_TRY(lacking(check(*came, kJoin)));
  }
  return Status::ok();
}

/// Polls NCCL until the last call of a member's group is complete; its result.
Result<NcclResult> NcclTransport::settled(const Member &member, std::chrono::microseconds longestNap) const {
  WINDLASS_TRY(member.given.context->enter());
  const auto began = std::chrono::steady_clock::now();
  const double most = member.given.context->longestWait();
  for (;;) {
    NcclResult result = cuda::kNcclSuccess;
    WINDLASS_TRY(check(nccl.asyncError(member.group, &result), kAsk));
    if (result != cuda::kNcclInProgress)
      return result;
    if (isAborted)
      return givenUp(member);
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() > most)
      return Status::runFailed("NCCL is not done after " + formatSeconds(most) +
                               " (--device-timeout): " + (members.size() > 2 ? "one of " : "") +
                               othersOf(member) + " is missing, or the way to it hangs");
    cuda::nap(began, longestNap);
  }
}

/// The failure of a member's group, with NCCL's message.
Status NcclTransport::complaint(const Member &member, NcclResult result) const {
  return Status::runFailed("NCCL, between rank " + std::to_string(rankOf(member)) + " and " +
                           othersOf(member) + ": " + nccl.errorText(result));
}

int64_t NcclTransport::rankOf(const Member &member) const {
  return member.given.rank.value_or(&member - members.data());
}

/// The ranks of the other members, for messages.
std::string NcclTransport::othersOf(const Member &member) const {
  std::string ranks;
  for (const Member &other : members)
    if (&other != &member)
      ranks += (ranks.empty() ? "" : ", ") + std::to_string(rankOf(other));
  return (members.size() > 2 ? "ranks " : "rank ") + ranks;
}

Status NcclTransport::givenUp(const Member &member) const {
  WINDLASS_TRY(member.breaking->status());
  return Status::runFailed("collective given up because another rank failed");
}

NcclTransport::~NcclTransport() {
  {
    const std::scoped_lock lock(mutex);
    isClosing = true;
  }
  changed.notify_all();
  if (watcher.joinable())
    watcher.join();
  for (const Member &member : members) {
    if (!member.group || isAborted || member.given.context->isGivenUp() || !member.given.context->enter())
      continue;
    nccl.leave(member.group);
  }
}

/// The result of a call as a Status, with NCCL's text and its message about the last failure.
Status NcclTransport::check(NcclResult result, const char *call) const {
  if (result == cuda::kNcclSuccess || result == cuda::kNcclInProgress) // which `settled` awaits
    return Status::ok();
  const std::string details = nccl.lastError(nullptr);
  return Status::runFailed(std::string(call) + ": " + nccl.errorText(result) +
                           (details.empty() ? "" : ": " + details));
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

/// The first asynchronous error of a member; ok if there is none.
Status NcclTransport::asyncError() const {
  for (size_t rank = 0; rank < members.size(); ++rank) {
    NcclResult result = cuda::kNcclSuccess;
    if (!members[rank].isHere())
      continue;
    const std::unique_lock<std::timed_mutex> lock(*members[rank].calling, std::try_to_lock);
    if (!lock || isAborted) // in a call, which reports its own result
      continue;
    WINDLASS_TRY(members[rank].given.context->enter());
    WINDLASS_TRY(check(nccl.asyncError(members[rank].group, &result), kAsk));
    if (result != cuda::kNcclSuccess && result != cuda::kNcclInProgress)
      return complaint(members[rank], result);
  }
  return Status::ok();
}

void NcclTransport::watch() {
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, kWatch, [this] { return isClosing || isAborted.load(); })) {
    const Status status = asyncError();
    if (status.isOk())
      continue;
    for (const Member &member : members)
      if (member.isHere())
        member.breaking->breakOff(status);
    lock.unlock();
    abort();
    return;
  }
}

/// NCCL's abort releases a call that waits for another rank, as the first call between two ranks may. Any
/// other call ends soon by itself.
void NcclTransport::abort() {
  if (isAborted.exchange(true))
    return;
  {
    const std::scoped_lock lock(mutex); // the watcher sees it, or naps already
  }
  changed.notify_all();
  for (const Member &member : members) {
    // By the system's clock, the one for such locks that the thread sanitizer of GCC 12 sees.
    const std::unique_lock<std::timed_mutex> lock(*member.calling,
                                                  std::chrono::system_clock::now() + kLongestCall);
    if (member.group && member.given.context->enter())
      nccl.abort(member.group);
  }
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// What is sent and received at once, as one group of calls.
Status NcclTransport::exchange(int64_t rank, std::span<const Part> parts) {
  if (std::ranges::none_of(parts, [](const Part &part) { return part.count > 0; }))
    return Status::ok();
  const Member &member = members[static_cast<size_t>(rank)];
  return together(member, [&] { return enqueueParts(member, parts); });
}

Status NcclTransport::enqueueParts(const Member &member, std::span<const Part> parts) const {
  for (const Part &part : parts) {
    if (part.count == 0)
      continue;
    const auto count = static_cast<size_t>(part.count);
    const auto other = static_cast<int>(part.other);
    WINDLASS_TRY(
        part.isSent
            ? check(nccl.send(part.bytes, count, cuda::kNcclByte, other, member.group, member.stream),
                    "ncclSend")
            : check(nccl.receive(part.bytes, count, cuda::kNcclByte, other, member.group, member.stream),
                    "ncclRecv"));
  }
  return Status::ok();
}

Status NcclTransport::copy(int64_t rank, std::byte *to, const std::byte *from, int64_t bytes) {
  const Member &member = members[static_cast<size_t>(rank)];
  return bytes == 0 ? Status::ok()
                    : member.given.context->call<&Driver::enqueueCopy>(
                          addressOf(to), addressOf(from), static_cast<size_t>(bytes), member.stream);
}

Status NcclTransport::allGather(int64_t rank, std::span<const std::byte> shard,
                                std::span<const WholeTensor> whole) {
  WINDLASS_TRY(checkShard(whole, shard.size()));
  if (isNcclsOwn())
    return gatherByNccl(rank, shard.data(), whole);
  std::vector<Part> &parts = desks[static_cast<size_t>(rank)];
  parts.clear();
  auto *mine = const_cast<std::byte *>(shard.data()); // NCCL reads what it sends
  for (const WholeTensor &tensor : whole) {
    WINDLASS_TRY(copy(rank, tensor.data + rank * tensor.pieceBytes, mine, tensor.pieceBytes));
    for (int64_t other = 0; other < std::ssize(members); ++other)
      if (other != rank) {
        parts.push_back({other, mine, tensor.pieceBytes, true});
        parts.push_back({other, tensor.data + other * tensor.pieceBytes, tensor.pieceBytes, false});
      }
    mine += tensor.pieceBytes;
  }
  return exchange(rank, parts);
}

Status NcclTransport::broadcast(int64_t rank, int64_t root, std::span<const std::byte> shard,
                                std::span<const WholeTensor> whole) {
  std::vector<Part> &parts = desks[static_cast<size_t>(rank)];
  parts.clear();
  if (rank != root) {
    for (const WholeTensor &tensor : whole)
      parts.push_back({root, tensor.data, tensor.pieceBytes, false});
    return exchange(rank, parts);
  }
  WINDLASS_TRY(checkShard(whole, shard.size()));
  auto *mine = const_cast<std::byte *>(shard.data());
  const auto sendToOthers = [&](int64_t bytes) {
    for (int64_t other = 0; other < std::ssize(members); ++other)
      if (other != rank)
        parts.push_back({other, mine, bytes, true});
  };
  for (const WholeTensor &tensor : whole) {
    WINDLASS_TRY(copy(rank, tensor.data, mine, tensor.pieceBytes));
    sendToOthers(tensor.pieceBytes);
    mine += tensor.pieceBytes;
  }
  if (whole.empty()) // a message: the other end takes all of it as one tensor
    sendToOthers(std::ssize(shard));
  return exchange(rank, parts);
}

Status NcclTransport::reduceScatter(int64_t rank, plan::ElementType type, std::span<std::byte> shard,
                                    std::span<const WholeTensor> whole, std::span<std::byte> staging) {
  return sum(rank, kNoRoot, type, shard, whole, staging);
}

Status NcclTransport::reduce(int64_t rank, int64_t root, plan::ElementType type, std::span<std::byte> shard,
                             std::span<const WholeTensor> whole, std::span<std::byte> staging) {
  return sum(rank, root, type, shard, whole, staging);
}

/// Of every tensor one piece for each rank, or all of it for the root.
Status NcclTransport::sum(int64_t rank, int64_t root, plan::ElementType type, std::span<std::byte> shard,
                          std::span<const WholeTensor> whole, std::span<std::byte> staging) {
  const bool sums = root == kNoRoot || root == rank;
  if (sums)
    WINDLASS_TRY(checkShard(whole, shard.size()));
  const Member &member = members[static_cast<size_t>(rank)];
  const Result<const DeviceSum *> code = sumOf(member.given.sums, type);
  WINDLASS_TRY(code.status());
  if (isNcclsOwn())
    WINDLASS_TRY(sumByNccl(rank, root, type, shard.data(), whole));
  else
    WINDLASS_TRY(sumInOrder(rank, root, **code, sums ? shard.data() : nullptr, whole, staging));
  return sums ? clear(member, shard.data() + bytesOfPieces(whole), shard.data() + shard.size())
              : Status::ok();
}

Status NcclTransport::clear(const Member &member, std::byte *from, const std::byte *end) const {
  return from == end ? Status::ok()
                     : member.given.context->call<&Driver::enqueueFill>(
                           addressOf(from), static_cast<unsigned char>(0), static_cast<size_t>(end - from),
                           member.stream);
}

/// `out`: null where another rank makes the sums.
Status NcclTransport::sumInOrder(int64_t rank, int64_t root, const DeviceSum &code, std::byte *out,
                                 std::span<const WholeTensor> whole, std::span<std::byte> staging) {
  const int64_t ranks = std::ssize(members);
  const int64_t chunkBytes = ranks == 1 ? INT64_MAX : plan::stagedChunk(std::ssize(staging), ranks);
  if (chunkBytes == 0)
    return Status::badInput("the plan has " + std::to_string(staging.size()) + " bytes to stage a sum of " +
                            std::to_string(ranks) + " ranks in: compile it again");
  for (const WholeTensor &tensor : whole) {
    const Summing summing = {rank, root, &code, tensor, out, staging.data(), chunkBytes};
    for (int64_t begin = 0; begin < tensor.pieceBytes; begin += chunkBytes)
      WINDLASS_TRY(sumChunk(summing, begin, std::min(chunkBytes, tensor.pieceBytes - begin)));
    if (out)
      out += tensor.pieceBytes;
  }
  return Status::ok();
}

/// Bytes [begin, begin + bytes) of the pieces of a tensor. What is staged for a chunk is read by its sum
/// before the stream comes to the next chunk.
Status NcclTransport::sumChunk(const Summing &summing, int64_t begin, int64_t bytes) {
  const auto &[rank, root, code, tensor, out, staging, chunkBytes] = summing;
  const Member &member = members[static_cast<size_t>(rank)];
  std::vector<Part> &parts = desks[static_cast<size_t>(rank)];
  parts.clear();
  std::array<const std::byte *, kMostPeers> sources{};
  std::byte *staged = staging;
  for (int64_t other = 0; other < std::ssize(members); ++other) {
    std::byte *const piece = tensor.data + (root == kNoRoot ? other * tensor.pieceBytes : 0) + begin;
    if (other == rank) {
      sources[static_cast<size_t>(other)] = piece;
      continue;
    }
    if (root == kNoRoot || other == root)
      parts.push_back({other, piece, bytes, true});
    if (!out)
      continue;
    parts.push_back({other, staged, bytes, false});
    sources[static_cast<size_t>(other)] = staged;
    staged += chunkBytes;
  }
  WINDLASS_TRY(exchange(rank, parts));
  return out ? enqueueSum(*member.given.context, *code, member.stream, out + begin, bytes,
                          std::span(sources).first(members.size()))
             : Status::ok();
}

} // namespace windlass
