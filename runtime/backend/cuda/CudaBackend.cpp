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
  CudaBackend(std::shared_ptr<cuda::Context> context, FindBlasLt findBlasLt)
      : context(std::move(context)), findBlasLt(std::move(findBlasLt)) {}

  Result<std::map<std::string, std::string>> numerics(const plan::Plan &plan) override {
    Result<std::map<std::string, std::string>> entries = hostNumerics(plan.target);
    WINDLASS_TRY(entries.status());
    const Result<std::shared_ptr<const LtProducts>> products = LtProducts::create(context, findBlasLt, plan);
    WINDLASS_TRY(products.status());
    entries->merge((*products)->numerics());
    (*entries)["device"] = "sm_" + std::to_string(context->facts().capability);
    return entries;
  }

  Result<std::unique_ptr<DeviceMemory>> makeMemory(int64_t, int64_t bytes, int canary) override {
    return CudaMemory::create(context, bytes, canary);
  }

  Result<PlanKernels> loadKernels(const plan::Plan &plan, const std::string &folder) override {
    Result<std::unique_ptr<KernelLibrary>> host = KernelLibrary::load(plan, folder, Serves::HostLane);
    if (!host)
      return host.status();
    Result<std::shared_ptr<const CudaKernels>> device = CudaKernels::load(context, plan, folder, findBlasLt);
    if (!device)
      return device.status();
    for (DeviceSum &sum : sums) {
      const Result<cuda::CuFunction> function = (*device)->builtin(sum.symbol);
      WINDLASS_TRY(function.status());
      sum.function = *function;
    }
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
  FindBlasLt findBlasLt;
  DeviceSums sums = kDeviceSums;
};

} // namespace

Result<std::unique_ptr<Backend>> makeCudaBackend(const CudaLibraries &libraries) {
  Result<std::shared_ptr<cuda::Context>> context = cuda::Context::create(libraries.driver);
  if (!context)
    return context.status();
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>(context.take(), libraries.blasLt));
}

Result<std::unique_ptr<Backend>> makeCudaBackend() {
  const Result<cuda::Driver> driver = cuda::loadDriver();
  if (!driver)
    return driver.status();
  return makeCudaBackend(CudaLibraries{*driver});
}

} // namespace windlass
