// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GpuRates.h - measures the GPU of this machine =========================//
//
// Duty: measures this machine's GPU with the backend "cuda": products per type by cuBLASLt, device memory (by
// copies within it), copies to and from pinned memory, each way and both at once, and the time of enqueuing a
// launch. Every rate is the best of growing sizes, until one of them takes a large part of the time. Units:
// per second, seconds. Threads: one. Errors: CannotFit if the machine lacks driver, GPU or memory; RunFailed
// from the device, or if it hangs. Without cuBLASLt, products are left out, with a notice.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/BlasLt.h"
#include "runtime/cuda/Context.h"
#include "tools/windlass-probe/Probe.h"
#include <functional>
#include <span>

namespace windlass {

struct GpuProbe {
  std::shared_ptr<cuda::Context> context;
  Result<cuda::BlasLt> library = Status::cannotFit("not looked up");
  double seconds = 0.25;       ///< for each measurement
  std::function<double()> now; ///< seconds since some moment
};

/// Adds findings, latencies and notices to a report.
Status probeGpu(const GpuProbe &probe, ProbeReport &report);

/// Host memory that the device copies to and from by itself, as long as the result lives.
Result<std::shared_ptr<void>> pinFor(std::shared_ptr<cuda::Context> context, std::span<std::byte> memory);

/// Finds the GPU of this machine. `deviceSeconds`: the most that the GPU may take for work that a measurement
/// waits for.
Result<GpuProbe> findGpu(double seconds, double deviceSeconds);

} // namespace windlass
