// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GpuLinks.h - measures links between GPUs ==============================//
//
// Duty: measures the rate at which the GPUs of this machine gather bytes from each other over NCCL, as the
// ranks of a run do (runtime/transport/nccl), as the best of growing sizes; and the seconds of a tiny
// exchange. Units: bytes per second into one GPU, seconds. Threads: one of its own for each GPU during the
// measurement. Errors: failures become notices of the report.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Nccl.h"
#include "tools/windlass-probe/GpuRates.h"

namespace windlass {

/// Measures between the first `gpus` GPUs of the driver.
void probeGpuLinks(const GpuProbe &probe, const Result<cuda::Nccl> &nccl, int64_t gpus, ProbeReport &report);

} // namespace windlass
