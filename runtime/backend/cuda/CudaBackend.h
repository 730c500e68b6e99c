// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CudaBackend.h - NVIDIA GPUs as a plan's device ========================//
//
// Duty: where the driver shows a GPU for each rank of the process they have one each, and exchange bytes over
// NCCL, with ranks of other processes, too. Where it shows fewer, and there are no other processes, all share
// the first GPU and exchange bytes where these lie. In both each rank has its arena and a stream for each
// lane. Launches on the host stay the CPU's. Threads, ownership, errors: as Backend.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/backend/Backend.h"
#include "runtime/cuda/Driver.h"
#include "runtime/cuda/Nccl.h"
#include "runtime/kernels/cuda/LtProducts.h"

namespace windlass {

/// Where NVIDIA's library of collectives comes from: of this machine, or a simulation.
using FindNccl = std::function<Result<cuda::Nccl>()>;

/// Where NVIDIA's libraries come from. A library is looked up where a plan asks for it.
struct CudaLibraries {
  cuda::Driver driver;
  FindBlasLt blasLt = cuda::loadBlasLt;
  FindNccl nccl = cuda::loadNccl;
};

/// `makeBackend("cuda")` takes those of this machine.
Result<std::unique_ptr<Backend>> makeCudaBackend(const CudaLibraries &libraries);

} // namespace windlass
