// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Backend.h - what a plan's device is made of ========================//
//
// Duty: makes the three parts that depend on the kind of device: memory (with copies and streams), kernels,
// and collectives. The parts of one backend fit each other. A plan names its backend, and executors reach a
// device through it alone.
// Ownership: outlives the parts that it makes. Threads: one, before the first step. Errors: CannotFit where
// this machine, or this build, lacks what the plan needs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/KernelSet.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/RankSet.h"
#include "runtime/tiers/DeviceMemory.h"
#include "runtime/transport/OtherProcesses.h"
#include "runtime/transport/Transport.h"
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace windlass {

/// The kernels of a plan: one set for operands on the device, one for operands on the host. If one processor
/// runs both, both are the same set.
struct PlanKernels {
  std::shared_ptr<const KernelSet> device, host;
  std::vector<std::string>
      notices; ///< lines for the user, one for each respect in which kernels run otherwise than the plan says
};

class Backend {
public:
  virtual ~Backend() = default;

  /// The most that the device may take for what the host waits for, outside of lanes; before anything is
  /// made.
  virtual void limitWaits(double /*seconds*/) {}

  /// The entries that this machine adds to a plan's numerics record: libraries and the instructions that they
  /// use.
  virtual Result<std::map<std::string, std::string>> numerics(const plan::Plan &plan) = 0;

  /// Says which of the plan's ranks this process runs, before anything is made for them. CannotFit where the
  /// machine has no room for so many, or where the device has no way to those of other processes.
  virtual Status settle(const plan::Plan & /*plan*/, const plan::RankSet & /*local*/,
                        const OtherProcesses & /*others*/) {
    return Status::ok();
  }

  /// Reserves the device tier of a rank. `canary` in 0..255 fills every byte; any other value leaves zeros.
  virtual Result<std::unique_ptr<DeviceMemory>> makeMemory(int64_t rank, int64_t bytes, int canary) = 0;

  /// `folder` holds Plan::kernelFiles.
  virtual Result<PlanKernels> loadKernels(const plan::Plan &plan, const std::string &folder) = 0;

  /// The transport between some ranks, which it numbers 0, 1, ... in the order of `members`. `streams`: per
  /// member, the stream on which its collectives are enqueued; null where its memory has no streams. The
  /// streams, and all work on them, are gone before the transport is.
  /// Where the backend spans processes members may be other processes' ranks, whose streams are null: then
  /// all processes call it for the same members, and of one that runs none of them the transport is null.
  virtual Result<std::unique_ptr<Transport>> makeTransport(std::span<const int64_t> members,
                                                           std::span<Stream *const> streams) = 0;

  /// Whether its transports reach the ranks of other processes. Else bytes of the host do, where the device
  /// has such.
  virtual bool spansProcesses() const { return false; }

  /// Whether what a rank exchanges, over all of its transports, must go one by one, in an order in which the
  /// ranks that meet come to an end: else streams of the device could wait for each other.
  virtual bool exchangesOneByOne() const { return false; }
};

/// The backend of a name. Errors: CannotFit, naming the backends that are built in, where there is none.
Result<std::unique_ptr<Backend>> makeBackend(std::string_view name);

} // namespace windlass
