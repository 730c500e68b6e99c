// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanKernels.h - times the kernels of a plan =========================//
//
// Duty: what each kernel of a plan takes in the plan's own steps: among the other lanes and ranks, on
// operands where the plan has them, which are in a cache or not as they are in a run. The steps compute with
// zeros and random words; no data, checkpoint or output is read or written. Units: seconds. Threads: makes
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
  double seconds = 0.25;                 ///< steps begin for so long; three at the least
  double deviceSeconds = kDeviceSeconds; ///< as ExecutorOptions::deviceSeconds
};

/// Those that a step launches, in the plan's order; the median of the steps.
Result<std::vector<KernelTime>> timeKernels(const plan::Plan &plan, const PlanSteps &steps);

} // namespace windlass
