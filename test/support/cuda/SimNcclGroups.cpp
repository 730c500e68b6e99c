// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/SimNcclGroups.h"
#include "runtime/wire/Socket.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
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

/// For so long a rank waits for others to join: longer than any test, as NCCL itself would.
constexpr std::chrono::seconds kPatience(300);
/// And so long between two looks for others that join in other processes.
constexpr std::chrono::milliseconds kGlance(1);

std::condition_variable joined;
std::map<std::string, std::shared_ptr<Club>> clubs;
std::map<uint64_t, Seat> seats;
uint64_t made = 0;

thread_local std::vector<std::shared_ptr<Club>> joining;

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

void giveUpSeat(NcclGroup group, const Seat &seat) {
  if (seat.club->post)
    seat.club->post->takeDownSign(seat.rank);
  seats.erase(reinterpret_cast<uint64_t>(group));
}

} // namespace

std::string gpuHere() { return hostName() + ":" + std::to_string(simDevice()->enteredDevice()); }

std::optional<Seat> seatOf(NcclGroup group, const char *call) {
  const auto found = seats.find(reinterpret_cast<uint64_t>(group));
  if (found != seats.end())
    return found->second;
  simDevice()->report(SimRule::UnknownHandle, std::string(call) + ": a communicator");
  return std::nullopt;
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

NcclResult awaitJoined(std::unique_lock<std::mutex> &lock) {
  for (const std::shared_ptr<Club> &club : std::exchange(joining, {}))
    if (const NcclResult result = awaitMembers(lock, *club); result != cuda::kNcclSuccess)
      return result;
  return cuda::kNcclSuccess;
}

std::string leftovers() {
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

} // namespace windlass::test::sim_nccl
