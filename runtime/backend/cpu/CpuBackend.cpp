// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks are threads of one process; their devices are memory of the host, their lanes run on its cores.
#include "runtime/backend/Backend.h"
#include "runtime/kernels/InstructionSet.h"
#include "runtime/kernels/KernelLibrary.h"
#include "runtime/tiers/CpuMemory.h"
#include "runtime/transport/InProcessTransport.h"

namespace windlass {

namespace {

class CpuBackend final : public Backend {
public:
  Result<std::map<std::string, std::string>> numerics(const plan::Plan &plan) override {
    return hostNumerics(plan.target);
  }

  Status settle(const plan::Plan &, const plan::RankSet &local, const OtherProcesses &others) override {
    if (others.ranksOnHost > static_cast<int64_t>(local.size()))
      seen = Arena::Seen::ByProcessesOfHost;
    return Status::ok();
  }

  Result<std::unique_ptr<DeviceMemory>> makeMemory(int64_t, int64_t bytes, int canary) override {
    Result<Arena> arena = Arena::create(bytes, canary, seen);
    if (!arena)
      return arena.status();
    return std::unique_ptr<DeviceMemory>(std::make_unique<CpuMemory>(arena.take()));
  }

  Result<PlanKernels> loadKernels(const plan::Plan &plan, const std::string &folder) override {
    Result<std::unique_ptr<KernelLibrary>> library = KernelLibrary::load(plan, folder);
    if (!library)
      return library.status();
    std::vector<std::string> notices = (*library)->notices(plan);
    std::shared_ptr<const KernelSet> both = library.take();
    return PlanKernels{both, both, std::move(notices)};
  }

  Result<std::unique_ptr<Transport>> makeTransport(std::span<const int64_t> members,
                                                   std::span<Stream *const>) override {
    return std::unique_ptr<Transport>(std::make_unique<InProcessTransport>(std::ssize(members)));
  }

private:
  Arena::Seen seen = Arena::Seen::ByNobody; ///< what other processes of the host sum, they read in place
};

} // namespace

Result<std::unique_ptr<Backend>> makeCpuBackend() {
  return std::unique_ptr<Backend>(std::make_unique<CpuBackend>());
}

} // namespace windlass
