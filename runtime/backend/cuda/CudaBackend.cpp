// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backend/cuda/CudaBackend.h"
#include "runtime/base/Units.h"
#include "runtime/kernels/InstructionSet.h"
#include "runtime/kernels/KernelLibrary.h"
#include "runtime/kernels/cuda/CudaKernels.h"
#include "runtime/tiers/cuda/CudaMemory.h"
#include "runtime/transport/peer/PeerTransport.h"

namespace windlass {

namespace {

class CudaBackend final : public Backend {
public:
  explicit CudaBackend(std::shared_ptr<cuda::Context> context) : context(std::move(context)) {}

  Result<std::map<std::string, std::string>> numerics(const plan::Plan &plan) override {
    WINDLASS_TRY(checkTargetCpu(plan.target.cpu));
    WINDLASS_TRY(capLibraryKernels(plan.target.cpu));
    return std::map<std::string, std::string>{{"device", "sm_" + std::to_string(context->facts().capability)},
                                              {"library", libraryVersion()},
                                              {"library_instruction_set", libraryInstructionSet()}};
  }

  Result<std::unique_ptr<DeviceMemory>> makeMemory(int64_t, int64_t bytes, int canary) override {
    return CudaMemory::create(context, bytes, canary);
  }

  Result<PlanKernels> loadKernels(const plan::Plan &plan, const std::string &folder) override {
    Result<std::unique_ptr<KernelLibrary>> host = KernelLibrary::load(plan, folder, Serves::HostLane);
    if (!host)
      return host.status();
    Result<std::shared_ptr<const CudaKernels>> device = CudaKernels::load(context, plan, folder);
    if (!device)
      return device.status();
    for (DeviceSum &sum : sums)
      sum.function = (*device)->builtin(sum.symbol);
    std::vector<std::string> notices = (*host)->notices(plan);
    Result<std::string> taken = sayWhatIsTaken();
    if (!taken)
      return taken.status();
    notices.push_back(taken.take());
    return PlanKernels{device.take(), host.take(), std::move(notices)};
  }

  Result<std::unique_ptr<Transport>> makeTransport(std::span<const int64_t>,
                                                   std::span<Stream *const> streams) override {
    return PeerTransport::create(context, streams, sums);
  }

private:
  /// Before any arena: what the driver, the plan's code and other programs take of the device.
  Result<std::string> sayWhatIsTaken() const {
    const Result<cuda::Context::Memory> memory = context->memory();
    if (!memory)
      return memory.status();
    return "'" + context->facts().name + "' has " + formatBytes(memory->totalBytes) + ", of which " +
           formatBytes(memory->totalBytes - memory->freeBytes) +
           " are taken beside the arenas: by the driver, the plan's code and other programs";
  }

  std::shared_ptr<cuda::Context> context;
  DeviceSums sums = kDeviceSums;
};

} // namespace

Result<std::unique_ptr<Backend>> makeCudaBackend(const cuda::Driver &driver) {
  Result<std::shared_ptr<cuda::Context>> context = cuda::Context::create(driver);
  if (!context)
    return context.status();
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>(context.take()));
}

Result<std::unique_ptr<Backend>> makeCudaBackend() {
  const Result<cuda::Driver> driver = cuda::loadDriver();
  if (!driver)
    return driver.status();
  return makeCudaBackend(*driver);
}

} // namespace windlass
