// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RankGpus.h - which GPU is which rank's =============================//
//
// Duty: the GPUs that a process uses: one that all of its ranks share, or one for each; and on each of them
// the plan's code and its sums. GPUs that would choose other algorithms for
// a plan's products than the first one are refused: ranks would train to other bits than each other.
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
  /// Its part in a transport over a stream.
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
  /// Before any arena: what the driver, the plan's code and other programs take of each, and what the driver
  /// made of that code; for people.
  Result<std::vector<std::string>> sayWhatIsTaken() const;

private:
  plan::RankSet local;
  std::vector<RankGpu> gpus; ///< by place in `local`, or just one
};

} // namespace windlass
