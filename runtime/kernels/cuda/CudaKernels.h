// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CudaKernels.h - the kernels of a plan on a GPU ========================//
//
// Duty: the KernelSet of a GPU: of the plan's kernel files the widest that the device runs, compiled by the
// driver, and of it the functions that launches on the device ask for: one per phase of a kernel; and the
// products that are the library's. A plan is
// code: nothing of it is loaded before its hash is right, and none of its kernels runs on a device that
// computes other bits than a host (DeviceProbe.h). Ownership: keeps the code loaded; the plan must outlive
// the set. Threads: read by any number of threads after load; the code is unloaded when nothing runs on the
// device. Errors: BadInput for a wrong file, CannotFit for a device, or a driver, that cannot run it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Context.h"
#include "runtime/kernels/KernelSet.h"
#include "runtime/kernels/cuda/LtProducts.h"
#include "runtime/plan/Plan.h"
#include <map>
#include <string>
#include <vector>

namespace windlass {

/// A grid of blocks over the kernel's range, as the plan says it.
struct CudaPhase {
  cuda::CuFunction function = nullptr;
  plan::LaunchGrid grid;
};

/// Of a kernel that is launched on the device, either of the two is there.
struct CudaKernel {
  std::vector<CudaPhase> phases;
  const LtMatmul *product = nullptr;
  size_t operands = 0;
};

class CudaKernels final : public KernelSet {
public:
  /// `folder` holds Plan::kernelFiles.
  static Result<std::shared_ptr<const CudaKernels>> load(std::shared_ptr<cuda::Context> context,
                                                         const plan::Plan &plan, const std::string &folder,
                                                         const FindBlasLt &findBlasLt = cuda::loadBlasLt);
  explicit CudaKernels(std::shared_ptr<cuda::Context> context) : context(std::move(context)) {}
  ~CudaKernels() override;

  Result<std::unique_ptr<KernelLauncher>> makeLauncher(int64_t rank, Stream *stream) const override;

  /// A function of the plan's code that is no kernel of its launches; null: there is none of that name.
  Result<cuda::CuFunction> builtin(const std::string &symbol) const;

  /// What the driver's compiler made of the code, for people: registers, and what it keeps in local memory.
  Result<std::string> describe() const;

  /// What this device adds to the numerics record.
  std::map<std::string, std::string> numerics() const;

private:
  Status compile(const plan::Plan &plan, const std::string &folder);
  Status bind(const plan::Plan &plan);
  Result<CudaKernel> bind(const plan::Kernel &kernel) const;

  std::shared_ptr<cuda::Context> context;
  cuda::CuModule module = nullptr;
  std::string file; ///< for messages
  std::shared_ptr<const LtProducts> products;
  std::vector<CudaKernel> kernels;
};

} // namespace windlass
