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

namespace windlass {

/// On any driver; `makeBackend("cuda")` takes that of this machine.
Result<std::unique_ptr<Backend>> makeCudaBackend(const cuda::Driver &driver);

} // namespace windlass
