// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Probe.h - measures this machine for a hardware file ===================//
//
// Duty: measures the rates of Rates.def on this machine, with the instruction set of plans compiled for it,
// while as many ranks, each with its threads, work as can work at once. Device, cg and gg rates are of one
// core, host and NVMe rates of all cores together; the host's are measured with all of them busy. Also
// measures the overheads of a launch, of a hand-over between lanes and of a collective, and the time of cores
// that a disk request takes. Times of cores are times in which a thread had a core, so that other processes
// matter little. If the hardware file's backend has devices of its own, their rates are measured there
// (GpuRates.h), and the disk's to and from pinned memory. Units: per second, seconds. Threads: makes its own;
// call from one. Errors: BadInput for a folder that cannot be written, RunFailed from disk or device,
// CannotFit without the GPU to measure.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Machine.h"
#include "runtime/base/DeviceTimeout.h"
#include "tools/windlass-probe/PlanKernels.h"
#include <optional>
#include <string>
#include <vector>

namespace windlass {

struct ProbeOptions {
  int64_t threadsPerRank = 1;            ///< as the training file has them
  double seconds = 0.25;                 ///< for each measurement
  double deviceSeconds = kDeviceSeconds; ///< the most that a GPU may take for awaited work
  std::string nvmeFolder;                ///< empty: the disk is left alone
  int64_t nvmeBytes = int64_t(256) << 20;
  const plan::Plan *plan = nullptr; ///< whose kernels are timed, for its target and with its threads; or none
  std::string planFolder;           ///< where it lies
};

struct ProbeFinding {
  model::RateId id;
  double perSecond = 0;
};

struct ProbeLatency {
  std::string_view path; ///< as in model::latencyKeys()
  double seconds = 0;
};

struct ProbeReport {
  std::string device;     ///< the GPU that was measured; empty: cores of the host are the devices
  int64_t cores = 1;      ///< this process may use
  int64_t busy = 1;       ///< of them, while rates were measured
  int64_t busyOnHost = 1; ///< of them, while those of the host's memory were measured
  std::string library;    ///< the instruction set that the matmul library was limited to
  std::vector<ProbeFinding> findings;
  std::vector<ProbeLatency> latencies;
  std::vector<KernelTime> kernels;  ///< of the plan
  std::vector<std::string> notices; ///< measurements that failed, or were made in another way
};

Result<ProbeReport> probe(const model::Machine &machine, const ProbeOptions &options);

/// The description with a `measured` object that holds the findings. Both are JSON text.
Result<std::string> addMeasured(const std::string &description, const ProbeReport &report);

} // namespace windlass
