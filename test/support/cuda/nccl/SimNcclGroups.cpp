// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/nccl/SimNcclGroups.h"
#include "runtime/wire/Socket.h"
#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace windlass::test::sim_nccl {

using cuda::NcclGroup;
using cuda::NcclId;
using cuda::NcclResult;

std::mutex mutex;
thread_local int depth = 0;

namespace {

std::map<std::string, std::shared_ptr<Club>> clubs;
/// The membership of a rank in a club.
struct Communicator {
  Seat seat;
  bool isReady = false;               ///< the rank has seen that all have joined
  std::function<void()> pending = {}; ///< a group of calls that has not been made yet; empty: there is none
  bool isStuck = false;               ///< `pending` will never be made
  bool wasAsked = false;              ///< the rank has been told that `pending` is in progress
};
std::map<uint64_t, Communicator> communicators;
uint64_t made = 0;

/// Whether all ranks have joined, in this or other processes.
bool isComplete(Club &club) {
  if (club.isComplete || club.present.size() == club.gpus.size())
    return true;
  if (!club.post) {
    club.post = std::make_unique<SimPost>(club.name);
    for (int rank : club.present)
      club.post->putUpSign(rank, club.gpus[static_cast<size_t>(rank)]);
  }
  const std::optional<std::vector<std::string>> gpus = club.post->signs(club.gpus.size());
  if (gpus)
    club.gpus = *gpus;
  return gpus.has_value();
}

/// The state of a rank's calls in its group.
NcclResult stateOf(Communicator &one) {
  Club &club = *one.seat.club;
  if (!one.isReady) {
    club.isComplete = isComplete(club);
    if (!club.isComplete)
      return cuda::kNcclInProgress;
    const std::set<std::string> different(club.gpus.begin(), club.gpus.end());
    if (different.size() < club.gpus.size())
      return cuda::kNcclInvalidUsage;
    one.isReady = true;
  }
  if (!one.pending)
    return club.error;
  if (one.isStuck || !std::exchange(one.wasAsked, true))
    return cuda::kNcclInProgress;
  std::exchange(one.pending, nullptr)();
  return cuda::kNcclSuccess;
}

/// The communicator. Returns null, and reports a violation, if `group` is none.
Communicator *find(NcclGroup group, const std::string &call) {
  const auto found = communicators.find(reinterpret_cast<uint64_t>(group));
  if (found != communicators.end())
    return &found->second;
  simDevice()->report(SimRule::UnknownHandle, call + ": a communicator");
  return nullptr;
}

void giveUpSeat(NcclGroup group, const Seat &seat) {
  if (seat.club->post)
    seat.club->post->takeDownSign(seat.rank);
  communicators.erase(reinterpret_cast<uint64_t>(group));
}

} // namespace

std::string gpuHere() { return hostName() + ":" + std::to_string(simDevice()->enteredDevice()); }

std::optional<Seat> seatOf(NcclGroup group, const char *call) {
  const Communicator *const one = find(group, call);
  return one ? std::optional(one->seat) : std::nullopt;
}

std::optional<Seat> readySeatOf(NcclGroup group, const std::string &call) {
  const Communicator *const one = find(group, call);
  if (!one)
    return std::nullopt;
  if (one->isReady && !one->pending)
    return one->seat;
  simDevice()->report(SimRule::LibraryMisuse, call + ": the communicator is in progress");
  return std::nullopt;
}

void postpone(NcclGroup group, std::function<void()> calls, bool isStuck) {
  Communicator &one = communicators.at(reinterpret_cast<uint64_t>(group));
  one.pending = std::move(calls);
  one.isStuck = isStuck;
  one.wasAsked = false;
}

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

NcclResult join(NcclGroup *group, int ranks, NcclId id, int rank, cuda::NcclJoining *how) {
  if (simDevice()->checkLibraryCall("ncclCommInitRankConfig", true) != cuda::CuResult::Success)
    return cuda::kNcclInvalidUsage;
  const cuda::NcclJoining known;
  if (how->bytes != known.bytes || how->magic != known.magic || how->release != known.release)
    return cuda::kNcclInvalidArgument;
  if (how->isBlocking) {
    simDevice()->report(SimRule::LibraryMisuse, "ncclCommInitRankConfig: calls that wait for other ranks");
    return cuda::kNcclInvalidArgument;
  }
  if (simDevice()->strikes(SimFaultKind::NcclKilled))
    ::kill(::getpid(), SIGKILL);
  const std::scoped_lock lock(mutex);
  if (rank < 0 || rank >= ranks)
    return cuda::kNcclInvalidArgument;
  std::shared_ptr<Club> &club = clubs[id.bytes];
  if (!club)
    club = std::make_shared<Club>(id.bytes);
  club->gpus.resize(static_cast<size_t>(ranks));
  if (!simDevice()->strikes(SimFaultKind::NcclNotJoined)) {
    if (!club->present.insert(rank).second)
      return cuda::kNcclInvalidUsage;
    club->gpus[static_cast<size_t>(rank)] = gpuHere();
  }
  const uint64_t handle = ++made;
  communicators[handle] = {.seat = {club, rank}};
  *group = reinterpret_cast<NcclGroup>(handle);
  return depth > 0 ? cuda::kNcclSuccess : cuda::kNcclInProgress;
}

NcclResult leave(NcclGroup group) {
  const std::scoped_lock lock(mutex);
  const std::optional<Seat> seat = readySeatOf(group, "ncclCommDestroy");
  if (!seat)
    return cuda::kNcclInvalidArgument;
  giveUpSeat(group, *seat);
  return cuda::kNcclSuccess;
}

/// Aborts a group: the transfers in this rank's streams end, and so do those of other ranks that wait for
/// them.
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
  Communicator *const one = find(group, "ncclCommGetAsyncError");
  if (!one)
    return cuda::kNcclInvalidArgument;
  *error = stateOf(*one);
  return cuda::kNcclSuccess;
}

std::string leftovers() {
  const std::scoped_lock lock(mutex);
  std::string text = communicators.empty() ? "" : std::to_string(communicators.size()) + " communicators";
  for (const auto &[name, club] : clubs)
    for (const auto &[way, waiting] : club->open)
      if (!waiting.empty())
        text += (text.empty() ? "" : ", ") + std::to_string(waiting.size()) + " calls from rank " +
                std::to_string(way.first) + " to " + std::to_string(way.second);
  clubs.clear();
  communicators.clear();
  return text;
}

} // namespace windlass::test::sim_nccl
