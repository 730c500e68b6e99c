// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GpuLinks.h - measures what GPUs do with each other ==================//
//
// Duty: the rate at which the GPUs of this machine gather each other's bytes over NCCL, as the ranks of a run
// do (runtime/transport/nccl), the best of growing sizes; and what an exchange of next to nothing takes.
// Units: bytes per second into one of them, seconds. Threads: one of its own for each GPU, while it measures.
// Errors: whatever keeps it from measuring is a notice of the report.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Nccl.h"
#include "tools/windlass-probe/GpuRates.h"

namespace windlass {

/// Between `gpus` of them, the first ones that the driver shows.
void probeGpuLinks(const GpuProbe &probe, const Result<cuda::Nccl> &nccl, int64_t gpus, ProbeReport &report);

} // namespace windlass
