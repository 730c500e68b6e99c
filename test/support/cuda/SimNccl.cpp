// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/SimNccl.h"
#include "runtime/wire/Socket.h"
#include "test/support/cuda/SimDevice.h"
#include "test/support/cuda/SimPost.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <unistd.h>

namespace windlass::test {

using cuda::CuStream;
using cuda::NcclGroup;
using cuda::NcclId;
using cuda::NcclResult;
using cuda::NcclType;

namespace {

/// For so long a rank waits for others to join: longer than any test, as NCCL itself would.
constexpr std::chrono::seconds kPatience(300);
/// And so long between two looks for others that join in other processes.
constexpr std::chrono::milliseconds kGlance(1);

uint64_t bytesOf(NcclType type) {
  return type == cuda::kNcclF64                              ? 8
         : type == cuda::kNcclF32                            ? 4
         : type == cuda::kNcclF16 || type == cuda::kNcclBf16 ? 2
                                                             : 1;
}

/// Bytes from one rank to another.
struct Transfer {
  SimMarkPointer ready = std::make_shared<SimMark>(); ///< the sender's stream has come to it
  SimMarkPointer taken = std::make_shared<SimMark>();
  std::optional<uint64_t> from, to; ///< of who has called
  uint64_t bytes = 0;               ///< as the first of the two said
  bool isVoid = false;              ///< nothing is copied: calls disagree, or the group was aborted
  std::string letter = {};          ///< where one of the two is in another process
};

/// Ranks that joined by one id.
struct Club {
  std::string name;              ///< the id: a folder, which is there where ranks live in several processes
  std::vector<std::string> gpus; ///< per rank; empty: not there yet
  std::set<int> present;         ///< of this process
  std::unique_ptr<SimPost> post; ///< to ranks of other processes; null: there are none
  std::map<std::pair<int, int>, int64_t> letters; ///< how many were sent from one to another, or received
  /// Of two ranks, what the slower of them has not called yet.
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<Transfer>>> open;
  std::vector<std::shared_ptr<Transfer>> all;
  NcclResult error = cuda::kNcclSuccess;
};

struct Seat {
  std::shared_ptr<Club> club;
  int rank;
};

/// A call between ncclGroupStart and ncclGroupEnd.
struct Call {
  Seat seat;
  int other;
  bool isSend;
  uint64_t address, bytes;
  CuStream stream;
  std::shared_ptr<Transfer> transfer = {};
};

std::mutex mutex; ///< of what follows
std::condition_variable joined;
std::map<std::string, std::shared_ptr<Club>> clubs;
std::map<uint64_t, Seat> seats;
uint64_t made = 0;
int64_t sendsMade = 0;

thread_local int depth = 0;
thread_local std::vector<Call> calls;
thread_local std::vector<std::shared_ptr<Club>> joining;

/// The one that the calling thread has entered, as hosts tell theirs apart.
std::string gpuHere() { return hostName() + ":" + std::to_string(simDevice()->enteredDevice()); }

/// Null where there is no such group, which is a violation.
std::optional<Seat> seatOf(NcclGroup group, const char *call) {
  const auto found = seats.find(reinterpret_cast<uint64_t>(group));
  if (found != seats.end())
    return found->second;
  simDevice()->report(SimRule::UnknownHandle, std::string(call) + ": a communicator");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

NcclResult version(int *number) {
  *number = 22809;
  return cuda::kNcclSuccess;
}

const char *errorText(NcclResult result) {
  return result == cuda::kNcclRemoteError       ? "remote process exited or there was a network error"
         : result == cuda::kNcclInvalidUsage    ? "invalid usage"
         : result == cuda::kNcclSystemError     ? "unhandled system error"
         : result == cuda::kNcclInvalidArgument ? "invalid argument"
                                                : "no error";
}
const char *lastError(NcclGroup) { return ""; }

NcclResult uniqueId(NcclId *id) {
  const std::scoped_lock lock(mutex);
  const std::string name = (std::filesystem::temp_directory_path() / "nccl-").string() +
                           std::to_string(::getpid()) + "-" + std::to_string(++made);
  if (name.size() >= sizeof id->bytes)
    return cuda::kNcclSystemError;
  std::memset(id->bytes, 0, sizeof id->bytes);
  std::memcpy(id->bytes, name.data(), name.size());
  return cuda::kNcclSuccess;
}

/// Whether all ranks are there, be it in other processes.
bool isComplete(Club &club) {
  if (club.present.size() == club.gpus.size())
    return true;
  const std::optional<std::vector<std::string>> gpus = club.post->signs(club.gpus.size());
  if (gpus)
    club.gpus = *gpus;
  return gpus.has_value();
}

NcclResult awaitMembers(std::unique_lock<std::mutex> &lock, Club &club) {
  if (club.present.size() != club.gpus.size() && !club.post) {
    club.post = std::make_unique<SimPost>(club.name);
    for (int rank : club.present)
      club.post->putUpSign(rank, club.gpus[static_cast<size_t>(rank)]);
  }
  for (const auto deadline = std::chrono::steady_clock::now() + kPatience; !isComplete(club);)
    if (joined.wait_for(lock, kGlance) == std::cv_status::timeout &&
        std::chrono::steady_clock::now() > deadline)
      return cuda::kNcclSystemError;
  const std::set<std::string> different(club.gpus.begin(), club.gpus.end());
  return different.size() == club.gpus.size() ? cuda::kNcclSuccess : cuda::kNcclInvalidUsage;
}

NcclResult join(NcclGroup *group, int ranks, NcclId id, int rank) {
  if (simDevice()->checkLibraryCall("ncclCommInitRank", true) != cuda::CuResult::Success)
    return cuda::kNcclInvalidUsage;
  if (simDevice()->strikes(SimFaultKind::NcclKilled))
    ::kill(::getpid(), SIGKILL);
  std::unique_lock lock(mutex);
  if (rank < 0 || rank >= ranks)
    return cuda::kNcclInvalidArgument;
  std::shared_ptr<Club> &known = clubs[id.bytes];
  if (!known)
    known = std::make_shared<Club>(id.bytes);
  const std::shared_ptr<Club> club = known;
  club->gpus.resize(static_cast<size_t>(ranks));
  const std::string gpu = gpuHere();
  if (std::ranges::find(club->gpus, gpu) != club->gpus.end() || !club->present.insert(rank).second) {
    joining.clear(); // nobody waits for a group that cannot be
    return cuda::kNcclInvalidUsage;
  }
  club->gpus[static_cast<size_t>(rank)] = gpu;
  const uint64_t handle = ++made;
  seats[handle] = {club, rank};
  *group = reinterpret_cast<NcclGroup>(handle);
  joined.notify_all();
  if (depth == 0)
    return awaitMembers(lock, *club);
  joining.push_back(club);
  return cuda::kNcclSuccess;
}

void giveUpSeat(NcclGroup group, const Seat &seat) {
  if (seat.club->post)
    seat.club->post->takeDownSign(seat.rank);
  seats.erase(reinterpret_cast<uint64_t>(group));
}

NcclResult leave(NcclGroup group) {
  const std::scoped_lock lock(mutex);
  const std::optional<Seat> seat = seatOf(group, "ncclCommDestroy");
  if (!seat)
    return cuda::kNcclInvalidArgument;
  giveUpSeat(group, *seat);
  return cuda::kNcclSuccess;
}

/// What this rank has in its streams comes to an end, and with it what others wait for there.
NcclResult abort(NcclGroup group) {
  const std::scoped_lock lock(mutex);
  const std::optional<Seat> seat = seatOf(group, "ncclCommAbort");
  if (!seat)
    return cuda::kNcclInvalidArgument;
  for (const std::shared_ptr<Transfer> &transfer : seat->club->all) {
    transfer->isVoid = true;
    simDevice()->fulfil(transfer->ready);
    simDevice()->fulfil(transfer->taken);
  }
  seat->club->all.clear();
  seat->club->open.clear();
  giveUpSeat(group, *seat);
  simDevice()->countAbort();
  return cuda::kNcclSuccess;
}

NcclResult asyncError(NcclGroup group, NcclResult *error) {
  const std::scoped_lock lock(mutex);
  const std::optional<Seat> seat = seatOf(group, "ncclCommGetAsyncError");
  if (!seat)
    return cuda::kNcclInvalidArgument;
  *error = seat->club->error;
  return cuda::kNcclSuccess;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// The n-th send to a rank meets the n-th receive there, be it in another process.
std::shared_ptr<Transfer> meet(const Call &call) {
  Club &club = *call.seat.club;
  const std::pair way =
      call.isSend ? std::pair(call.seat.rank, call.other) : std::pair(call.other, call.seat.rank);
  if (!club.present.contains(call.other)) {
    auto made = std::make_shared<Transfer>();
    made->letter = std::to_string(way.first) + "-" + std::to_string(way.second) + "-" +
                   std::to_string(++club.letters[way]);
    made->bytes = call.bytes;
    (call.isSend ? made->from : made->to) = call.address;
    club.all.push_back(made);
    return made;
  }
  std::deque<std::shared_ptr<Transfer>> &waiting = club.open[way];
  auto side = [&](Transfer &transfer) -> std::optional<uint64_t> & {
    return call.isSend ? transfer.from : transfer.to;
  };
  if (waiting.empty() || side(*waiting.front())) {
    waiting.push_back(std::make_shared<Transfer>());
    club.all.push_back(waiting.back());
    waiting.back()->bytes = call.bytes;
    side(*waiting.back()) = call.address;
    return waiting.back();
  }
  std::shared_ptr<Transfer> transfer = waiting.front();
  waiting.pop_front();
  side(*transfer) = call.address;
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

SimOutcome take(Transfer &transfer, std::span<const SimRegion> regions) {
  SimOutcome outcome;
  const std::scoped_lock lock(mutex);
  if (transfer.isVoid)
    return outcome;
  const std::byte *from =
      touchOperand(regions, *transfer.from, transfer.bytes, true, false, "what ncclSend sends", outcome);
  std::byte *to =
      touchOperand(regions, *transfer.to, transfer.bytes, false, true, "where ncclRecv receives", outcome);
  if (from && to)
    std::memcpy(to, from, transfer.bytes);
  return outcome;
}

/// To another process, and from one.
SimOutcome post(const Call &call, std::span<const SimRegion> regions) {
  Transfer &transfer = *call.transfer;
  SimOutcome outcome;
  const std::scoped_lock lock(mutex);
  if (transfer.isVoid)
    return outcome;
  SimPost &post = *call.seat.club->post;
  std::byte *at = touchOperand(regions, call.address, call.bytes, call.isSend, !call.isSend,
                               call.isSend ? "what ncclSend sends" : "where ncclRecv receives", outcome);
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

NcclResult endTogether();

NcclResult add(bool isSend, const void *bytes, size_t count, NcclType type, int other, NcclGroup group,
               CuStream stream) {
  const char *name = isSend ? "ncclSend" : "ncclRecv";
  if (simDevice()->checkLibraryCall(name, false) != cuda::CuResult::Success)
    return cuda::kNcclInvalidUsage;
  {
    const std::scoped_lock lock(mutex);
    const std::optional<Seat> seat = seatOf(group, name);
    if (!seat || other < 0 || other >= std::ssize(seat->club->gpus) || other == seat->rank)
      return cuda::kNcclInvalidArgument;
    if (seat->club->gpus[static_cast<size_t>(seat->rank)] != gpuHere())
      simDevice()->report(SimRule::OtherDevice, std::string(name) + ": a communicator");
    sendsMade += isSend;
    calls.push_back({*seat, other, isSend, reinterpret_cast<uint64_t>(bytes), count * bytesOf(type), stream});
  }
  if (depth > 0)
    return cuda::kNcclSuccess;
  depth = 1;
  return endTogether();
}
NcclResult send(const void *from, size_t count, NcclType type, int to, NcclGroup group, CuStream stream) {
  return add(true, from, count, type, to, group, stream);
}
NcclResult receive(void *to, size_t count, NcclType type, int from, NcclGroup group, CuStream stream) {
  return add(false, to, count, type, from, group, stream);
}

/// What runs on a stream, of this call.
void enqueueWork(const Call &call) {
  simDevice()->enqueueLibrary(
      call.stream, (call.isSend ? "ncclSend to rank " : "ncclRecv from rank ") + std::to_string(call.other),
      [call](std::span<const SimRegion> regions) {
        return call.transfer->letter.empty() ? take(*call.transfer, regions) : post(call, regions);
      },
      /*reachesAll=*/true);
}

/// All sends are ready before anything is waited for: so calls of one group wait for none of each other.
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
  const std::vector<std::shared_ptr<Club>> joins = std::exchange(joining, {});
  std::unique_lock lock(mutex);
  for (const std::shared_ptr<Club> &club : joins)
    if (const NcclResult result = awaitMembers(lock, *club); result != cuda::kNcclSuccess)
      return result;
  const bool hangs = !group.empty() && simDevice()->strikes(SimFaultKind::NcclFailed);
  for (Call &call : group)
    call.transfer = meet(call);
  if (!group.empty())
    simDevice()->beginAlone(group.front().stream);
  if (hangs) // nothing of it is ever ready, or taken
    for (const Call &call : group) {
      call.seat.club->error = cuda::kNcclRemoteError;
      simDevice()->waitFor(call.stream, call.isSend ? call.transfer->taken : call.transfer->ready);
    }
  else
    enqueue(group);
  if (!group.empty())
    simDevice()->endAlone(group.front().stream);
  return cuda::kNcclSuccess;
}

/// Those of NCCL's own collectives, whose sums are in no order that a plan could say.
template <typename... Parameters> NcclResult refuse(Parameters...) {
  simDevice()->report(SimRule::LibraryMisuse, "a collective of NCCL's, which is not simulated");
  return cuda::kNcclInvalidUsage;
}

} // namespace

cuda::Nccl SimNccl::table() {
  cuda::Nccl functions;
  functions.version = version;
  functions.errorText = errorText;
  functions.lastError = lastError;
  functions.uniqueId = uniqueId;
  functions.join = join;
  functions.leave = leave;
  functions.abort = abort;
  functions.asyncError = asyncError;
  functions.beginTogether = beginTogether;
  functions.endTogether = endTogether;
  functions.send = send;
  functions.receive = receive;
  functions.allGather = refuse;
  functions.reduceScatter = refuse;
  functions.broadcast = refuse;
  functions.reduce = refuse;
  return functions;
}

std::string SimNccl::leftovers() {
  const std::scoped_lock lock(mutex);
  std::string text = seats.empty() ? "" : std::to_string(seats.size()) + " communicators";
  for (const auto &[name, club] : clubs)
    for (const auto &[way, waiting] : club->open)
      if (!waiting.empty())
        text += (text.empty() ? "" : ", ") + std::to_string(waiting.size()) + " calls from rank " +
                std::to_string(way.first) + " to " + std::to_string(way.second);
  clubs.clear();
  seats.clear();
  return text;
}

int64_t SimNccl::sends() {
  const std::scoped_lock lock(mutex);
  return sendsMade;
}

} // namespace windlass::test
