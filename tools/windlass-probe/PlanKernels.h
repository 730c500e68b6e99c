// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanKernels.h - times the kernels of a plan ===========================//
//
// Duty: measures the time of each kernel of a plan within the plan's own steps: with all other lanes and
// ranks, and with operands at the plan's places, so that caches behave as in a run. The steps compute with
// zeros and random tokens; no data, checkpoint or output is read or written. Units: seconds. Threads: makes
// its own; call from one. Errors: as Executor::create and Executor::run.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DeviceTimeout.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <string>
#include <vector>

namespace windlass {

struct KernelTime {
  const plan::Kernel *kernel = nullptr; ///< of the plan
  double launches = 0;                  ///< of the whole range, per step of a rank
  double seconds = 0;                   ///< for one of these, as model::Machine::kernels has them
};

/// The cores on which launches of all ranks run at the same time.
struct LaunchCores {
  int64_t ranks = 1, threadsPerRank = 1, cores = 1;
  bool areDevices = true; ///< of the plan's ranks; false: these have devices of their own
};

/// What a launch on cores takes that began `elapsed` seconds before its slowest thread was done, and whose
/// threads worked for `work` seconds of a core together. Where threads have a core each, the launch takes
/// these cores until it ends; where they share cores, what its threads worked. The result is in seconds of a
/// core if cores are the devices, and else in seconds of a rank's share of the cores: the model divides only
/// the former by the threads of a rank.
double secondsOfLaunch(const LaunchCores &on, double elapsed, double work);

struct PlanSteps {
  std::string kernelsFolder;             ///< the plan's
  std::string scratchFolder;             ///< for its NVMe tier
  int64_t cores = 1;                     ///< that this process may use
  double seconds = 0.25;                 ///< time in which steps are begun; at least three are
  double deviceSeconds = kDeviceSeconds; ///< as ExecutorOptions::deviceSeconds
};

/// The times of the kernels that a step launches, in the plan's order, as medians over the steps.
Result<std::vector<KernelTime>> timeKernels(const plan::Plan &plan, const PlanSteps &steps);

} // namespace windlass
