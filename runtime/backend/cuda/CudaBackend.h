// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CudaBackend.h - an NVIDIA GPU as a plan's device ===================//
//
// Duty: ranks are threads of one process that share the first GPU that the driver shows: each has its arena
// there and a stream for each lane, and they exchange bytes where these lie. Launches on the host stay the
// CPU's.
// Threads, ownership, errors: as Backend.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/backend/Backend.h"
#include "runtime/cuda/Driver.h"
#include "runtime/kernels/cuda/LtProducts.h"

namespace windlass {

/// Where NVIDIA's libraries come from. A library is looked up where a plan asks for it.
struct CudaLibraries {
  cuda::Driver driver;
  FindBlasLt blasLt = cuda::loadBlasLt;
};

/// `makeBackend("cuda")` takes those of this machine.
Result<std::unique_ptr<Backend>> makeCudaBackend(const CudaLibraries &libraries);

} // namespace windlass
