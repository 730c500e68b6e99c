// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backend/cuda/CudaBackend.h"
#include "runtime/backend/cuda/RankGpus.h"
#include "runtime/base/Counted.h"
#include "runtime/kernels/InstructionSet.h"
#include "runtime/kernels/KernelLibrary.h"
#include "runtime/transport/nccl/NcclTransport.h"
#include "runtime/transport/peer/PeerTransport.h"
#include <optional>

namespace windlass {

namespace {

class CudaBackend final : public Backend {
public:
  CudaBackend(CudaLibraries libraries, std::shared_ptr<cuda::Context> first)
      : libraries(std::move(libraries)), first(first), gpus(std::move(first)) {}

  Result<std::map<std::string, std::string>> numerics(const plan::Plan &plan) override {
    Result<std::map<std::string, std::string>> entries = hostNumerics(plan.target);
    WINDLASS_TRY(entries.status());
    const Result<std::shared_ptr<const LtProducts>> products =
        LtProducts::create(first, libraries.blasLt, plan);
    WINDLASS_TRY(products.status());
    entries->merge((*products)->numerics());
    (*entries)["device"] = "sm_" + std::to_string(first->facts().capability);
    return entries;
  }

  Status settle(const plan::Plan &, const plan::RankSet &local) override {
    const auto ranks = static_cast<int64_t>(local.size());
    if (ranks == 1)
      return Status::ok();
    if (first->devices() < ranks) {
      notices.push_back(counted(ranks, "rank") + " share the first of " + counted(first->devices(), "GPU") +
                        " and exchange bytes where these lie");
      return Status::ok();
    }
    Result<cuda::Nccl> found = libraries.nccl();
    if (!found)
      return found.status().in(counted(ranks, "rank") + " with a GPU each");
    nccl = *found;
    notices.push_back(counted(ranks, "rank") + " have a GPU each, of " + counted(first->devices(), "GPU") +
                      ", and exchange bytes over NCCL " + versionOf(*nccl));
    return gpus.give(local);
  }

  Result<std::unique_ptr<DeviceMemory>> makeMemory(int64_t rank, int64_t bytes, int canary) override {
    return gpus.of(rank).makeMemory(bytes, canary);
  }

  Result<PlanKernels> loadKernels(const plan::Plan &plan, const std::string &folder) override {
    Result<std::unique_ptr<KernelLibrary>> host = KernelLibrary::load(plan, folder, Serves::HostLane);
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
      const Result<NcclMember> member = gpus.of(members[i]).member(streams[i]);
      if (!member)
        return member.status();
      joined.push_back(*member);
    }
    return NcclTransport::create(*nccl, std::move(joined));
  }

  bool exchangesOneByOne() const override { return nccl.has_value(); }

private:
  CudaLibraries libraries;
  std::shared_ptr<cuda::Context> first; ///< of the GPU that is there in any case
  std::optional<cuda::Nccl> nccl;       ///< where ranks have a GPU each
  RankGpus gpus;
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
