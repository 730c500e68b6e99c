// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Backend.h - what a plan's device is made of ===========================//
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

/// The kernels of a plan: a set for launches on the device and a set for launches on the host. A backend
/// whose device is the host has one set for both.
struct PlanKernels {
  std::shared_ptr<const KernelSet> device, host;
  std::vector<std::string> notices; ///< lines for people, about how this machine runs the kernels
};

class Backend {
public:
  virtual ~Backend() = default;

  /// Limits how long the host waits for work of the device that is on no lane (a copy between steps, say).
  /// Called before memory, kernels and transports are made.
  virtual void limitWaits(double /*seconds*/) {}

  /// The entries that this machine adds to a plan's numerics record: libraries and the instructions that they
  /// use.
  virtual Result<std::map<std::string, std::string>> numerics(const plan::Plan &plan) = 0;

  /// Sets the plan's ranks that this process runs. Called before memory, kernels and transports are made.
  /// CannotFit if the machine has no room for so many ranks, or if the device cannot reach the ranks of other
  /// processes.
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
  /// If spansProcesses(), `members` may be ranks of other processes, with null streams. All processes then
  /// call this for the same members in the same order. A process that runs none of the members gets a null
  /// transport.
  virtual Result<std::unique_ptr<Transport>> makeTransport(std::span<const int64_t> members,
                                                           std::span<Stream *const> streams) = 0;

  /// Whether its transports reach ranks of other processes. If not, such ranks exchange bytes over the host
  /// (ExchangeTransport.h).
  virtual bool spansProcesses() const { return false; }

  /// Whether a rank may have only one collective or message under way at a time, over all of its transports.
  /// The executor then runs them in the plan's total order, in which the ranks of all meetings reach each
  /// other; in another order streams of the device could wait for each other forever.
  virtual bool exchangesOneByOne() const { return false; }
};

/// The backend of this name. CannotFit, naming the backends that are built in, if there is none.
Result<std::unique_ptr<Backend>> makeBackend(std::string_view name);

} // namespace windlass
