// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backend/cuda/CudaBackend.h"
#include "runtime/backend/cuda/RankGpus.h"
#include "runtime/base/Cores.h"
#include "runtime/base/Counted.h"
#include "runtime/kernels/InstructionSet.h"
#include "runtime/kernels/KernelLibrary.h"
#include "runtime/transport/nccl/NcclTransport.h"
#include "runtime/transport/peer/PeerTransport.h"
#include <algorithm>
#include <optional>
#include <unistd.h>

namespace windlass {

namespace {

class CudaBackend final : public Backend {
public:
  CudaBackend(CudaLibraries libraries, std::shared_ptr<cuda::Context> first)
      : libraries(std::move(libraries)), first(first), gpus(std::move(first)) {}

  void limitWaits(double seconds) override { first->limitWaits(seconds); }

  Result<std::map<std::string, std::string>> numerics(const plan::Plan &plan) override {
    Result<std::map<std::string, std::string>> entries = hostNumerics(plan.target);
    WINDLASS_TRY(entries.status());
    const Result<std::shared_ptr<const LtProducts>> products =
        LtProducts::create(first, libraries.blasLt, plan);
    WINDLASS_TRY(products.status());
    entries->merge((*products)->numerics());
    (*entries)["device"] = "sm_" + std::to_string(first->facts().capability);
    const Result<plan::Collectives> collectives = plan::collectivesOf(plan);
    WINDLASS_TRY(collectives.status());
    if (*collectives == plan::Collectives::Ordered || plan.ranks() == 1)
      return entries;
    const cuda::NcclWay way = cuda::settleWay();
    const Result<cuda::Nccl> found = libraries.nccl();
    WINDLASS_TRY(found.status());
    entries->merge(std::map<std::string, std::string>{{"collectives_library", versionOf(*found)},
                                                      {"collectives_algorithm", way.algorithm},
                                                      {"collectives_protocol", way.protocol}});
    return entries;
  }

  Status settle(const plan::Plan &plan, const plan::RankSet &local, const OtherProcesses &others) override {
    const Result<plan::Collectives> said = plan::collectivesOf(plan);
    WINDLASS_TRY(said.status());
    collectives = *said;
    const auto ranks = static_cast<int64_t>(local.size());
    hostThreads = threadsOnHost(ranks, std::max(ranks, others.ranksOnHost));
    const bool isAlone = !others.tellAll;
    if (isAlone && ranks == 1)
      return Status::ok();
    const int64_t shown = first->devices();
    if (isAlone && shown < ranks) {
      if (collectives == plan::Collectives::Nccl)
        return Status::cannotFit("the plan's sums are NCCL's, which wants a GPU for each of " +
                                 counted(ranks, "rank") + ": the driver shows " + counted(shown, "GPU"));
      notices.push_back(counted(ranks, "rank") + " share the first of " + counted(shown, "GPU") +
                        " and exchange bytes where these lie");
      return Status::ok();
    }
    if (collectives == plan::Collectives::Nccl)
      cuda::settleWay();
    WINDLASS_TRY(findNccl(others).in(counted(ranks, "rank") + " with a GPU each"));
    if (shown < ranks)
      return Status::cannotFit("ranks of several processes have a GPU each: the driver shows " +
                               counted(shown, "GPU") + " to a process of " + counted(ranks, "rank"));
    // A launcher may show each process GPUs of its own.
    const int64_t begin = shown >= others.ranksOnHost ? others.ranksBefore : 0;
    notices.push_back((isAlone ? counted(ranks, "rank") + " have" : "ranks of all processes have") +
                      " a GPU each, of " + counted(shown, "GPU") + ", and exchange bytes over NCCL " +
                      versionOf(*nccl) +
                      (collectives == plan::Collectives::Nccl ? ", which sums in its own order" : ""));
    tellAll = others.tellAll;
    WINDLASS_TRY(gpus.give(local, static_cast<int>(begin)));
    first = gpus.of(local.front()).context;
    return Status::ok();
  }

  Result<std::unique_ptr<DeviceMemory>> makeMemory(int64_t rank, int64_t bytes, int canary) override {
    return gpus.of(rank).makeMemory(bytes, canary);
  }

  Result<PlanKernels> loadKernels(const plan::Plan &plan, const std::string &folder) override {
    Result<std::unique_ptr<KernelLibrary>> host =
        KernelLibrary::load(plan, folder, Serves::HostLane, hostThreads);
    if (!host)
      return host.status();
    Result<std::shared_ptr<const KernelSet>> device = gpus.loadKernels(plan, folder, libraries.blasLt);
    if (!device)
      return device.status();
    Result<std::vector<std::string>> taken = gpus.sayWhatIsTaken();
    if (!taken)
      return taken.status();
    std::vector<std::string> all = (*host)->notices(plan);
    for (const std::vector<std::string> &some : {*taken, notices})
      all.insert(all.end(), some.begin(), some.end());
    return PlanKernels{device.take(), host.take(), std::move(all)};
  }

  Result<std::unique_ptr<Transport>> makeTransport(std::span<const int64_t> members,
                                                   std::span<Stream *const> streams) override {
    if (!nccl)
      return PeerTransport::create(first, streams, gpus.of(members[0]).sums);
    std::vector<NcclMember> joined;
    for (size_t i = 0; i < members.size(); ++i) {
      joined.push_back(gpus.has(members[i]) ? gpus.of(members[i]).member(streams[i]) : NcclMember());
      joined.back().rank = members[i];
    }
    if (std::ranges::all_of(members, [&](int64_t rank) { return gpus.has(rank); }))
      return NcclTransport::create(*nccl, std::move(joined), nullptr, collectives);
    const Result<cuda::NcclId> id = agreeOnId(gpus.has(members[0]));
    WINDLASS_TRY(id.status());
    if (std::ranges::none_of(members, [&](int64_t rank) { return gpus.has(rank); }))
      return std::unique_ptr<Transport>();
    return NcclTransport::create(*nccl, std::move(joined), &*id, collectives);
  }

  bool spansProcesses() const override { return nccl.has_value(); }
  bool exchangesOneByOne() const override { return nccl.has_value(); }

private:
  /// Threads of a launch on the host; no bit depends on their number. Each rank has an even share of the
  /// processors of this process, and no more than an even share of the host's.
  static int64_t threadsOnHost(int64_t ranksHere, int64_t ranksOnHost) {
    const int64_t ofHost = sysconf(_SC_NPROCESSORS_ONLN) / ranksOnHost;
    return std::max<int64_t>(1, std::min(std::ssize(processorsHere()) / ranksHere, ofHost));
  }

  /// All processes must have the same release, for what it says to others on the way has no version.
  Status findNccl(const OtherProcesses &others) {
    Result<cuda::Nccl> found = libraries.nccl();
    const std::string mine = found ? versionOf(*found) : "";
    if (others.tellAll) {
      const Result<std::vector<std::string>> all = others.tellAll(mine);
      WINDLASS_TRY(all.status());
      for (size_t process = 0; process < all->size(); ++process)
        if (found && (*all)[process] != mine)
          return Status::cannotFit("NCCL is " + mine + " here, and " +
                                   ((*all)[process].empty() ? "not there" : (*all)[process]) +
                                   " in process " + std::to_string(process));
    }
    WINDLASS_TRY(found.status());
    nccl = *found;
    return Status::ok();
  }

  /// Of the ranks of a group that are about to meet: from the process of the first of them to all.
  Result<cuda::NcclId> agreeOnId(bool isMine) {
    cuda::NcclId id{};
    Status made;
    if (isMine) {
      made = first->enter();
      if (made.isOk() && nccl->uniqueId(&id) != cuda::kNcclSuccess)
        made = Status::runFailed("ncclGetUniqueId gives none");
    }
    const Result<std::vector<std::string>> all =
        tellAll(isMine && made.isOk() ? std::string(id.bytes, sizeof id.bytes) : std::string());
    WINDLASS_TRY(made);
    WINDLASS_TRY(all.status());
    for (const std::string &each : *all)
      if (each.size() == sizeof id.bytes) {
        std::ranges::copy(each, id.bytes);
        return id;
      }
    return Status::runFailed("no process has an id for a group of ranks over NCCL");
  }

  CudaLibraries libraries;
  std::shared_ptr<cuda::Context> first; ///< of the first rank's GPU
  std::optional<cuda::Nccl> nccl;       ///< where ranks have a GPU each
  plan::Collectives collectives = plan::Collectives::Ordered;
  RankGpus gpus;
  std::optional<int64_t> hostThreads;                                   ///< of a rank
  std::function<Result<std::vector<std::string>>(std::string)> tellAll; ///< of several processes
  std::vector<std::string> notices;
};

} // namespace

Result<std::unique_ptr<Backend>> makeCudaBackend(const CudaLibraries &libraries) {
  Result<std::shared_ptr<cuda::Context>> context = cuda::Context::create(libraries.driver);
  if (!context)
    return context.status();
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>(libraries, context.take()));
}

Result<std::unique_ptr<Backend>> makeCudaBackend() {
  const Result<cuda::Driver> driver = cuda::loadDriver();
  if (!driver)
    return driver.status();
  return makeCudaBackend(CudaLibraries{*driver});
}

} // namespace windlass
