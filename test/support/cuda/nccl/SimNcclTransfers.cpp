// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/nccl/SimNcclTransfers.h"
#include <algorithm>
#include <atomic>
#include <cstring>

namespace windlass::test::sim_nccl {

using cuda::CuStream;
using cuda::NcclGroup;
using cuda::NcclResult;
using cuda::NcclType;

uint64_t bytesOf(NcclType type) {
  return type == cuda::kNcclF64                              ? 8
         : type == cuda::kNcclF32                            ? 4
         : type == cuda::kNcclF16 || type == cuda::kNcclBf16 ? 2
                                                             : 1;
}

namespace {

/// A call between ncclGroupStart and ncclGroupEnd.
struct Call {
  NcclGroup group;
  Seat seat;
  int other;
  bool isSend;
  Place place;
  uint64_t bytes;
  CuStream stream;
  std::string purpose = {}; ///< see Transfer::purpose
  std::shared_ptr<Transfer> transfer = {};

  std::string name() const {
    return (isSend ? "ncclSend to rank " : "ncclRecv from rank ") + std::to_string(other) +
           (purpose.empty() ? "" : ", of " + purpose);
  }
};

/// The work of a rank at the end of a collective.
struct End {
  CuStream stream;
  std::string name;
  SimDevice::LibraryWork work;
};

std::atomic<int64_t> sendsMade = 0;

thread_local std::vector<Call> calls;
thread_local std::vector<End> ends;

/// The transfer of a call. The n-th send to a rank belongs to the n-th receive there, also in another
/// process.
std::shared_ptr<Transfer> meet(const Call &call) {
  Club &club = *call.seat.club;
  const std::pair way =
      call.isSend ? std::pair(call.seat.rank, call.other) : std::pair(call.other, call.seat.rank);
  if (!club.present.contains(call.other)) {
    auto made = std::make_shared<Transfer>();
    made->letter = std::to_string(way.first) + "-" + std::to_string(way.second) + "-" +
                   std::to_string(++club.letters[way]);
    made->bytes = call.bytes;
    (call.isSend ? made->from : made->to) = call.place;
    club.all.push_back(made);
    return made;
  }
  std::deque<std::shared_ptr<Transfer>> &waiting = club.open[way];
  auto side = [&](Transfer &transfer) -> std::optional<Place> & {
    return call.isSend ? transfer.from : transfer.to;
  };
  if (waiting.empty() || side(*waiting.front())) {
    waiting.push_back(std::make_shared<Transfer>());
    club.all.push_back(waiting.back());
    waiting.back()->bytes = call.bytes;
    waiting.back()->purpose = call.purpose;
    side(*waiting.back()) = call.place;
    return waiting.back();
  }
  std::shared_ptr<Transfer> transfer = waiting.front();
  waiting.pop_front();
  side(*transfer) = call.place;
  if (transfer->purpose != call.purpose) {
    transfer->isVoid = true;
    simDevice()->report(SimRule::CallsDisagree, "one of ranks " + std::to_string(way.first) + " and " +
                                                    std::to_string(way.second) + " calls '" + call.purpose +
                                                    "', the other '" + transfer->purpose + "'");
  }
  if (transfer->bytes != call.bytes) {
    transfer->isVoid = true;
    const uint64_t sent = call.isSend ? call.bytes : transfer->bytes,
                   taken = call.isSend ? transfer->bytes : call.bytes;
    simDevice()->report(SimRule::CallsDisagree, "rank " + std::to_string(way.first) + " sends " +
                                                    std::to_string(sent) + " bytes, of which rank " +
                                                    std::to_string(way.second) + " receives " +
                                                    std::to_string(taken));
  }
  return transfer;
}

/// The bytes at a place. Returns null, with a violation in the outcome, if they are no part of one
/// allocation.
std::byte *bytesAt(const Place &place, uint64_t bytes, bool isSent, const std::string &name,
                   std::span<const SimRegion> regions, SimOutcome &outcome) {
  return place.desk ? place.desk->data()
                    : touchOperand(regions, place.address, bytes, isSent, !isSent, name, outcome);
}

SimOutcome take(const Call &call, std::span<const SimRegion> regions) {
  Transfer &transfer = *call.transfer;
  SimOutcome outcome;
  const std::byte *from =
      bytesAt(*transfer.from, transfer.bytes, true, "what is sent, of " + call.name(), regions, outcome);
  std::byte *to = bytesAt(*transfer.to, transfer.bytes, false, call.name(), regions, outcome);
  if (from && to)
    std::memcpy(to, from, transfer.bytes);
  return outcome;
}

/// Sends bytes to a rank of another process, or receives bytes from it.
SimOutcome post(const Call &call, std::span<const SimRegion> regions) {
  Transfer &transfer = *call.transfer;
  SimOutcome outcome;
  SimPost &post = *call.seat.club->post;
  std::byte *at = bytesAt(call.place, call.bytes, call.isSend, call.name(), regions, outcome);
  if (!at)
    return outcome;
  if (call.isSend) {
    post.send(transfer.letter, {at, call.bytes});
    post.awaitTaking(transfer.letter, transfer.taken);
    return outcome;
  }
  const std::vector<std::byte> came = post.take(transfer.letter);
  if (came.size() == call.bytes)
    std::ranges::copy(came, at);
  else
    outcome.violations.push_back({SimRule::CallsDisagree, "rank " + std::to_string(call.other) + " sends " +
                                                              std::to_string(came.size()) +
                                                              " bytes, of which rank " +
                                                              std::to_string(call.seat.rank) + " receives " +
                                                              std::to_string(call.bytes)});
  return outcome;
}

/// The seat of the caller; nothing if the call is refused.
std::optional<Seat> callerOf(const std::string &name, NcclGroup group) {
  if (simDevice()->checkLibraryCall(name.c_str(), false) != cuda::CuResult::Success)
    return std::nullopt;
  const std::scoped_lock lock(mutex);
  const std::optional<Seat> seat = readySeatOf(group, name);
  if (seat && seat->club->gpus[static_cast<size_t>(seat->rank)] != gpuHere())
    simDevice()->report(SimRule::OtherDevice, name + ": a communicator");
  return seat;
}

/// Ends a call outside of a group of calls, which is a group by itself.
NcclResult endAlone() {
  if (depth > 0)
    return cuda::kNcclSuccess;
  depth = 1;
  return endTogether();
}

NcclResult add(bool isSend, const void *bytes, size_t count, NcclType type, int other, NcclGroup group,
               CuStream stream) {
  const std::optional<Seat> seat = callerOf(isSend ? "ncclSend" : "ncclRecv", group);
  if (!seat || other < 0 || other >= std::ssize(seat->club->gpus) || other == seat->rank)
    return cuda::kNcclInvalidArgument;
  sendsMade += isSend;
  calls.push_back(
      {group, *seat, other, isSend, {reinterpret_cast<uint64_t>(bytes)}, count * bytesOf(type), stream});
  return endAlone();
}

/// Enqueues the work of a call on its stream.
void enqueueWork(const Call &call) {
  simDevice()->enqueueLibrary(
      call.stream, call.name(),
      [call](std::span<const SimRegion> regions) {
        const std::scoped_lock lock(mutex);
        if (call.transfer->isVoid)
          return SimOutcome();
        return call.transfer->letter.empty() ? take(call, regions) : post(call, regions);
      },
      /*reachesAll=*/true);
}

/// Makes all sends ready before anything waits, so that calls of one group do not wait for each other.
void enqueue(std::span<const Call> group) {
  for (const Call &call : group) {
    const bool isPosted = !call.transfer->letter.empty();
    if (call.isSend && isPosted)
      enqueueWork(call);
    else if (call.isSend)
      simDevice()->keep(call.stream, call.transfer->ready);
    else if (isPosted)
      call.seat.club->post->awaitComing(call.transfer->letter, call.transfer->ready);
  }
  for (const Call &call : group) {
    if (call.isSend)
      continue;
    simDevice()->waitFor(call.stream, call.transfer->ready);
    enqueueWork(call);
    simDevice()->keep(call.stream, call.transfer->taken);
  }
  for (const Call &call : group)
    if (call.isSend)
      simDevice()->waitFor(call.stream, call.transfer->taken);
}

/// Makes a group of calls of one communicator.
void make(std::vector<Call> group, const std::vector<End> &groupEnds, bool hangs) {
  for (Call &call : group)
    call.transfer = meet(call);
  simDevice()->beginAlone(group.front().stream);
  if (hangs) // none of its transfers is ever ready or taken
    for (const Call &call : group) {
      call.seat.club->error = cuda::kNcclRemoteError;
      simDevice()->waitFor(call.stream, call.isSend ? call.transfer->taken : call.transfer->ready);
    }
  else
    enqueue(group);
  if (!hangs)
    for (const End &end : groupEnds)
      simDevice()->enqueueLibrary(end.stream, end.name, end.work);
  simDevice()->endAlone(group.front().stream);
}

} // namespace

NcclResult send(const void *from, size_t count, NcclType type, int to, NcclGroup group, CuStream stream) {
  return add(true, from, count, type, to, group, stream);
}
NcclResult receive(void *to, size_t count, NcclType type, int from, NcclGroup group, CuStream stream) {
  return add(false, to, count, type, from, group, stream);
}

NcclResult beginTogether() {
  ++depth;
  return cuda::kNcclSuccess;
}

NcclResult endTogether() {
  if (depth == 0)
    return cuda::kNcclInvalidUsage;
  if (--depth > 0)
    return cuda::kNcclSuccess;
  std::vector<Call> group = std::exchange(calls, {});
  std::vector<End> groupEnds = std::exchange(ends, {});
  if (group.empty())
    return cuda::kNcclInProgress; // a group of joins, or an empty group
  const NcclGroup one = group.front().group;
  if (std::ranges::any_of(group, [one](const Call &call) { return call.group != one; })) {
    simDevice()->report(SimRule::LibraryMisuse, "ncclGroupEnd: calls of several communicators");
    return cuda::kNcclInvalidUsage;
  }
  const bool hangs = simDevice()->strikes(SimFaultKind::NcclFailed);
  const bool isStuck = simDevice()->strikes(SimFaultKind::NcclStuck);
  const std::scoped_lock lock(mutex);
  postpone(
      one,
      [group = std::move(group), groupEnds = std::move(groupEnds), hangs] { make(group, groupEnds, hangs); },
      isStuck);
  return cuda::kNcclInProgress;
}

NcclResult add(const Collective &collective) {
  const auto &[name, group, stream, partBytes, parts, end] = collective;
  const std::optional<Seat> seat = callerOf(name, group);
  if (!seat)
    return cuda::kNcclInvalidArgument;
  for (const Part &part : parts)
    calls.push_back({group, *seat, part.other, part.isSend, part.place, partBytes, stream, name});
  if (end)
    ends.push_back({stream, name, end});
  return endAlone();
}

int64_t sends() { return sendsMade; }

} // namespace windlass::test::sim_nccl
