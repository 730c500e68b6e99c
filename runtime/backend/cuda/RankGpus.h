// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RankGpus.h - the GPU of each rank =====================================//
//
// Duty: holds the GPUs of a process (one that all of its ranks share, or one for each rank), and for each GPU
// the loaded code of the plan and the functions of that code that sum. If a GPU has another numerics record
// than the first (its library chooses other algorithms for the plan's products), the plan is refused: ranks
// would compute different bits.
// Ownership: keeps contexts and code. Threads: one, before the first step. Errors: as Backend.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/cuda/CudaKernels.h"
#include "runtime/plan/RankSet.h"
#include "runtime/tiers/DeviceMemory.h"
#include "runtime/transport/nccl/NcclTransport.h"

namespace windlass {

struct RankGpu {
  std::shared_ptr<cuda::Context> context;
  int ordinal = 0; ///< as the driver counts
  std::shared_ptr<const CudaKernels> kernels = {};
  DeviceSums sums = kDeviceSums;

  Result<std::unique_ptr<DeviceMemory>> makeMemory(int64_t bytes, int canary) const;
  Status loadKernels(const plan::Plan &plan, const std::string &folder, const FindBlasLt &findBlasLt);
  /// This rank as a member of a transport whose collectives are enqueued on `stream`.
  NcclMember member(Stream *stream) const;
};

class RankGpus {
public:
  /// All ranks share the GPU of `first` until give().
  explicit RankGpus(std::shared_ptr<cuda::Context> first) { gpus.push_back({std::move(first)}); }

  /// Gives each rank a GPU of its own, from ordinal `begin` of the driver on. Fails if the driver has too
  /// few.
  Status give(const plan::RankSet &ranks, int begin);
  /// Whether `rank` is a rank of this process to which give() gave a GPU.
  bool has(int64_t rank) const { return local.contains(rank); }
  RankGpu &of(int64_t rank) { return gpus[local.isEmpty() ? 0 : local.placeOf(rank)]; }

  Result<std::shared_ptr<const KernelSet>> loadKernels(const plan::Plan &plan, const std::string &folder,
                                                       const FindBlasLt &findBlasLt);
  /// Lines for people. For each GPU: the bytes that the driver, the plan's code and other programs take. Then
  /// what the driver's compiler made of the code. Called after loadKernels() and before any arena is made.
  Result<std::vector<std::string>> sayWhatIsTaken() const;

private:
  plan::RankSet local;
  std::vector<RankGpu> gpus; ///< by place in `local`; one, if all ranks share it
};

} // namespace windlass
