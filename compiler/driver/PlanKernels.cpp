// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/PlanKernels.h"

#include "compiler/codegen/DeviceCode.h"
#include "runtime/base/File.h"
#include "runtime/base/Hash.h"
#include "runtime/plan/Device.h"
#include "runtime/plan/KernelSignature.h"
#include "runtime/plan/Layout.h"

using namespace mlir;

namespace windlass {
namespace {

constexpr const char *kHostFile = "kernels.so";

/// Some kernels of a plan, by number, and their functions.
struct Kernels {
  std::vector<size_t> numbers;
  std::vector<func::FuncOp> functions;
};

MLIRContext *contextOf(const StageModules &stages) { return ModuleOp(*stages.front()).getContext(); }

/// The function of a kernel, from the first stage whose module has it.
func::FuncOp findKernel(const StageModules &stages, const std::string &symbol) {
  for (const OwningOpRef<ModuleOp> &stage : stages)
    if (auto kernel = ModuleOp(*stage).lookupSymbol<func::FuncOp>(symbol))
      return kernel;
  return func::FuncOp();
}

template <typename Keep> Kernels kernelsThat(const StageModules &stages, const plan::Plan &plan, Keep keep) {
  Kernels kernels;
  for (size_t number = 0; number < plan.kernels.size(); ++number)
    if (keep(number)) {
      kernels.numbers.push_back(number);
      kernels.functions.push_back(findKernel(stages, plan.kernels[number].symbol));
    }
  return kernels;
}

Status addFile(const std::string &target, const std::string &folder, const std::string &name,
               plan::Plan &plan) {
  Result<std::string> hash = hashOfFile(folder + "/" + name);
  if (!hash)
    return hash.status();
  plan.kernelFiles.push_back({target, name, *hash});
  return Status::ok();
}

/// Generates host code for all kernels: launches on a processor run it, and results of the device are
/// compared with it.
Status generateHostCode(const StageModules &stages, const std::string &folder,
                        const codegen::KnownObjects &known, plan::Plan &plan) {
  const Kernels kernels = kernelsThat(
      stages, plan, [&](size_t number) { return plan.kernels[number].kind == plan::KernelKind::Generated; });
  if (folder.empty() || kernels.functions.empty())
    return Status::ok();
  WINDLASS_TRY(Levels::diagnosed(contextOf(stages), [&] {
    return codegen::generateKernels(kernels.functions,
                                    {std::string(plan::findTarget(plan.target.cpu)->code),
                                     plan::kSignatureTable, plan::signatureTable(plan.kernels), known},
                                    folder + "/" + kHostFile);
  }));
  return addFile(plan.target.cpu, folder, kHostFile, plan);
}

plan::LaunchGrid launchGrid(const codegen::DeviceGrid &grid) {
  return {.perBlock = grid.perBlock, .across = grid.across, .threads = grid.threads, .sharedBytes = 0};
}

/// Generates device code for the kernels that are launched on the device and have no library.
Status generateDeviceCode(const StageModules &stages, const std::string &folder,
                          const plan::DeviceRow &device, plan::Plan &plan) {
  const std::vector<bool> launched = plan::launchedOn(plan, {plan::Lane::Compute});
  const Kernels kernels = kernelsThat(stages, plan, [&](size_t number) {
    return launched[number] &&
           (plan.kernels[number].kind == plan::KernelKind::Generated || plan.target.multipliesByReference());
  });
  codegen::DeviceCode code;
  const Status generated = Levels::diagnosed(contextOf(stages), [&] {
    if (folder.empty()) {
      FailureOr<codegen::DevicePhases> phases = codegen::devicePhases(kernels.functions);
      if (succeeded(phases))
        code.phases = std::move(*phases);
      return LogicalResult(phases);
    }
    FailureOr<codegen::DeviceCode> made =
        codegen::generateDeviceCode(kernels.functions, codegen::Builtins::All);
    if (succeeded(made))
      code = std::move(*made);
    return LogicalResult(made);
  });
  if (!generated)
    return generated.in("no code for the backend '" + plan.backend + "'");
  for (auto [number, phases] : llvm::zip_equal(kernels.numbers, code.phases)) {
    plan.kernels[number].phases.clear();
    llvm::append_range(plan.kernels[number].phases, llvm::map_range(phases, launchGrid));
  }
  if (code.ptx.empty())
    return Status::ok();
  const std::string name(device.file);
  WINDLASS_TRY(writeFileAtomically(folder + "/" + name, code.ptx));
  return addFile(std::string(device.code), folder, name, plan);
}

} // namespace

Status generatePlanKernels(const StageModules &stages, const std::string &folder,
                           const codegen::KnownObjects &known, plan::Plan &plan) {
  plan.kernelFiles.clear();
  WINDLASS_TRY(generateHostCode(stages, folder, known, plan));
  const plan::DeviceRow *device = plan::findDevice(plan.backend);
  return device && device->hasOwnCode() ? generateDeviceCode(stages, folder, *device, plan) : Status::ok();
}

} // namespace windlass
