// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that speaks MPI: windlass-mpi.so, which windlass-run opens.
#include "runtime/transport/mpi/MpiWorld.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mpi.h>
#include <set>
#include <thread>
#include <vector>

namespace windlass {
namespace {

using Clock = std::chrono::steady_clock;

/// MPI counts in int.
constexpr size_t kMostBytes = size_t{1} << 29;
constexpr std::chrono::microseconds kLeastNap(20), kMostNap(500);

Status failure(const char *call, int error) {
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(error, text.data(), &length);
  text.resize(static_cast<size_t>(length));
  return Status::runFailed(std::string(call) + ": " + text);
}

#define WINDLASS_TRY_MPI(call, ...)                                                                          \
  do {                                                                                                       \
    if (const int error = call(__VA_ARGS__); error != MPI_SUCCESS)                                           \
      return failure(#call, error);                                                                          \
  } while (false)

/// A communicator of the processes of one group.
class MpiGroup final : public ByteGroup {
public:
  /// Each place's process: its rank in the communicator, and its name.
  struct Member {
    int rank = 0;
    std::string name;
  };
  MpiGroup(MPI_Comm communicator, std::vector<Member> members, double seconds,
           const std::atomic<bool> &allAborted)
      : communicator(communicator), members(std::move(members)), seconds(seconds), allAborted(allAborted),
        desks(this->members.size()) {}

  Status exchange(int64_t place, std::span<const Outgoing> outgoing,
                  std::span<const Incoming> incoming) override {
    Desk &mine = desks[static_cast<size_t>(place)];
    mine.requests.clear();
    mine.others.clear();
    for (const Incoming &each : incoming)
      WINDLASS_TRY(forEachChunk(each.bytes, [&](std::span<std::byte> chunk) {
        WINDLASS_TRY_MPI(MPI_Irecv, chunk.data(), static_cast<int>(chunk.size()), MPI_BYTE, rankOf(each.from),
                         tagOf(each.from, place), communicator, mine.requestTo(each.from));
        return Status::ok();
      }));
    for (const Outgoing &each : outgoing)
      WINDLASS_TRY(forEachChunk(each.bytes, [&](std::span<const std::byte> chunk) {
        WINDLASS_TRY_MPI(MPI_Isend, chunk.data(), static_cast<int>(chunk.size()), MPI_BYTE, rankOf(each.to),
                         tagOf(place, each.to), communicator, mine.requestTo(each.to));
        return Status::ok();
      }));
    return awaitAll(mine);
  }

  void abort() override { aborted = true; }

private:
  /// What a place has under way, reused from exchange to exchange.
  struct Desk {
    std::vector<MPI_Request> requests;
    std::vector<int64_t> others; ///< of each the other place
    MPI_Request *requestTo(int64_t other) {
      others.push_back(other);
      return &requests.emplace_back();
    }
  };

  template <typename Byte, typename Visit> static Status forEachChunk(std::span<Byte> bytes, Visit visit) {
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), kMostBytes)))
      WINDLASS_TRY(visit(bytes.first(std::min(bytes.size(), kMostBytes))));
    return Status::ok();
  }

  /// Sleeps between looks, longer from look to look: a core that spins is one that does not compute.
  Status awaitAll(Desk &mine) const {
    const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
    for (auto nap = kLeastNap;; nap = std::min(2 * nap, kMostNap)) {
      int isDone = 0;
      WINDLASS_TRY_MPI(MPI_Testall, static_cast<int>(mine.requests.size()), mine.requests.data(), &isDone,
                       MPI_STATUSES_IGNORE);
      if (isDone)
        return Status::ok();
      if (aborted || allAborted)
        return Status::runFailed("collective given up because another rank failed");
      if (Clock::now() >= deadline)
        return tooLate(absent(mine), seconds);
      std::this_thread::sleep_for(nap);
    }
  }

  /// Who has not done its part of what is under way.
  std::string absent(Desk &mine) const {
    std::set<std::string> late;
    for (size_t i = 0; i < mine.requests.size(); ++i) {
      int isDone = 0;
      if (MPI_Test(&mine.requests[i], &isDone, MPI_STATUS_IGNORE) != MPI_SUCCESS || !isDone)
        late.insert(members[static_cast<size_t>(mine.others[i])].name);
    }
    std::string names;
    for (const std::string &name : late)
      names += (names.empty() ? "" : ", ") + name;
    return names;
  }

  int rankOf(int64_t place) const { return members[static_cast<size_t>(place)].rank; }
  int tagOf(int64_t from, int64_t to) const {
    return static_cast<int>(from * static_cast<int64_t>(members.size()) + to);
  }

  MPI_Comm communicator; ///< freed by nobody: that is a collective, and MPI_Finalize does it
  std::vector<Member> members;
  double seconds;
  const std::atomic<bool> &allAborted;
  std::atomic<bool> aborted = false;
  std::vector<Desk> desks; ///< by place
};

class MpiNetwork final : public MpiWorld {
public:
  Status start() {
    int provided = MPI_THREAD_SINGLE;
    WINDLASS_TRY_MPI(MPI_Init_thread, nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
      return Status::cannotFit(library() +
                               " does not let several threads call it at once (MPI_THREAD_MULTIPLE), "
                               "as lanes do");
    // What is ours does not meet what others of this process may send.
    WINDLASS_TRY_MPI(MPI_Comm_dup, MPI_COMM_WORLD, &world);
    WINDLASS_TRY_MPI(MPI_Comm_set_errhandler, world, MPI_ERRORS_RETURN);
    WINDLASS_TRY_MPI(MPI_Comm_rank, world, &rank);
    WINDLASS_TRY_MPI(MPI_Comm_size, world, &size);
    return Status::ok();
  }

  int64_t process() const override { return rank; }
  int64_t processes() const override { return size; }

  std::string library() const override {
    std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return text.substr(0, std::min(text.find_first_of(",\n"), static_cast<size_t>(length)));
  }

  Result<std::string> tell(std::string text) override {
    uint64_t bytes = text.size();
    if (const int error = MPI_Bcast(&bytes, sizeof bytes, MPI_BYTE, 0, world); error != MPI_SUCCESS)
      return failure("MPI_Bcast", error);
    text.resize(bytes);
    if (const int error = MPI_Bcast(text.data(), static_cast<int>(bytes), MPI_BYTE, 0, world);
        error != MPI_SUCCESS)
      return failure("MPI_Bcast", error);
    return text;
  }

  Result<std::unique_ptr<ByteGroup>> makeGroup(int64_t number, std::span<const int64_t> processes) override {
    WINDLASS_TRY(checkTags(std::ssize(processes), number));
    std::vector<int> members(processes.begin(), processes.end());
    std::ranges::sort(members);
    members.erase(std::ranges::unique(members).begin(), members.end());
    std::vector<MpiGroup::Member> places;
    for (int64_t process : processes)
      places.push_back(
          {static_cast<int>(std::ranges::lower_bound(members, process) - members.begin()), nameOf(process)});
    Result<MPI_Comm> communicator = join(static_cast<int>(number), members);
    if (!communicator)
      return communicator.status();
    return std::unique_ptr<ByteGroup>(
        std::make_unique<MpiGroup>(*communicator, std::move(places), exchangeSeconds(), aborted));
  }

  void abort() override { aborted = true; }
  void close() override { MPI_Finalize(); }

private:
  Status checkTags(int64_t places, int64_t number) const {
    int *most = nullptr, isSet = 0;
    WINDLASS_TRY_MPI(MPI_Comm_get_attr, world, MPI_TAG_UB, &most, &isSet);
    if (isSet && (places * places > *most || number > *most))
      return Status::cannotFit(library() + " counts tags to " + std::to_string(*most) +
                               ", too few for a group of " + std::to_string(places) + " ranks");
    return Status::ok();
  }

  Result<MPI_Comm> join(int number, const std::vector<int> &members) {
    MPI_Group all = MPI_GROUP_NULL, chosen = MPI_GROUP_NULL;
    MPI_Comm communicator = MPI_COMM_NULL;
    auto tryAll = [&]() -> Status {
      WINDLASS_TRY_MPI(MPI_Comm_group, world, &all);
      WINDLASS_TRY_MPI(MPI_Group_incl, all, static_cast<int>(members.size()), members.data(), &chosen);
      WINDLASS_TRY_MPI(MPI_Comm_create_group, world, chosen, number, &communicator);
      WINDLASS_TRY_MPI(MPI_Comm_set_errhandler, communicator, MPI_ERRORS_RETURN);
      return Status::ok();
    };
    const Status made = tryAll();
    for (MPI_Group *group : {&all, &chosen})
      if (*group != MPI_GROUP_NULL)
        MPI_Group_free(group);
    return made ? Result<MPI_Comm>(communicator) : Result<MPI_Comm>(made);
  }

  MPI_Comm world = MPI_COMM_NULL;
  int rank = 0, size = 1;
  std::atomic<bool> aborted = false;
};

} // namespace
} // namespace windlass

/// The one door of this file: MpiWorld.h names it.
extern "C" __attribute__((visibility("default"))) void
windlassMakeMpiWorld(windlass::Result<std::unique_ptr<windlass::MpiWorld>> *out) {
  auto network = std::make_unique<windlass::MpiNetwork>();
  if (windlass::Status started = network->start(); !started)
    *out = started;
  else
    *out = std::unique_ptr<windlass::MpiWorld>(std::move(network));
}
