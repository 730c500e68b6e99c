// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanKernels.h - times the kernels of a plan =========================//
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
  double seconds = 0;                   ///< of a core, or of the device, for one of these
};

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
