// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Backend.h - what a plan's device is made of ========================//
//
// Duty: makes the three parts that differ from one kind of device to another, so that they fit each other:
// memory with its copies and streams, kernels, collectives. A plan names its backend; the executors know no
// other way to a device.
// Ownership: outlives what it makes. Threads: one, before the first step.
// Errors: CannotFit where this machine, or this build, has not what the plan asks for.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/KernelSet.h"
#include "runtime/plan/Plan.h"
#include "runtime/tiers/DeviceMemory.h"
#include "runtime/transport/Transport.h"
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace windlass {

/// A plan's kernels where operands lie on the device, and where they lie on the host: one set, if both are
/// the same processor's.
struct PlanKernels {
  std::shared_ptr<const KernelSet> device, host;
  std::vector<std::string>
      notices; ///< lines for the user: what is done in another way than the plan suggests
};

class Backend {
public:
  virtual ~Backend() = default;

  /// What this machine adds to a plan's numerics record: libraries and the instructions they use.
  virtual Result<std::map<std::string, std::string>> numerics(const plan::Plan &plan) = 0;

  /// Reserves the device tier of a rank. `canary` in 0..255 fills every byte; any other value leaves zeros.
  virtual Result<std::unique_ptr<DeviceMemory>> makeMemory(int64_t rank, int64_t bytes, int canary) = 0;

  /// `folder` holds Plan::kernelFiles.
  virtual Result<PlanKernels> loadKernels(const plan::Plan &plan, const std::string &folder) = 0;

  /// Between some ranks, which the transport numbers by their place in `members`. `streams` are what their
  /// collectives are enqueued on; null where a member's memory has no streams. They are gone, and so is all
  /// work on them, when the transport is.
  virtual Result<std::unique_ptr<Transport>> makeTransport(std::span<const int64_t> members,
                                                           std::span<Stream *const> streams) = 0;
};

/// The backend of that name; CannotFit naming those built in, where there is none.
Result<std::unique_ptr<Backend>> makeBackend(std::string_view name);

} // namespace windlass
