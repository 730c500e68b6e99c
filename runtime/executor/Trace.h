// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Trace.h - when every instruction ran ==================================//
//
// Duty: a slot for each instruction of the newest run, reserved before it, the
// clock all of them read, and each thread's clock of its own work and of its kernels' helpers.
// Units: seconds since the run began. Threads: each slot is written by the
// thread that runs its instruction; read after the drain.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/BoundPlan.h"
#include <chrono>
#include <optional>

namespace windlass {

class Trace {
public:
  /// When an instruction starts, and how long its thread and the helpers of its launches have worked until
  /// then; no thread of ours does the work of the disk and of streams.
  struct Start {
    double seconds = 0;
    std::optional<double> work = {};
    const KernelLauncher *kernels = nullptr;
  };

  Trace(const BoundPlan &bound, const ExecutorOptions &options);

  void begin(plan::Purpose purpose);
  /// Taken by the thread that does the work, and records it; `kernels`: what it launches with, if anything.
  Start start(const KernelLauncher *kernels = nullptr) const {
    return {seconds(), workSeconds(kernels), kernels};
  }
  /// Of work that is done elsewhere, and that any thread records.
  Start startElsewhere() const { return {seconds()}; }
  /// Returns when it ended.
  double record(size_t run, int64_t rank, uint32_t instruction, const Start &start);
  std::span<const TraceEvent> events() const { return {slots.data(), recorded}; }

private:
  using Clock = std::chrono::steady_clock;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - began).count(); }
  double workSeconds(const KernelLauncher *kernels) const;

  /// Instructions of all ranks in a run of the purpose's schedule.
  size_t eventsOf(plan::Purpose purpose) const;

  const BoundPlan &bound;
  plan::Purpose purpose = plan::Purpose::Train;
  Clock::time_point began;
  std::vector<TraceEvent> slots;   ///< empty: no trace is kept
  std::vector<size_t> firstOfRank; ///< where a rank's slots begin, by its place
  size_t recorded = 0;
  bool recordsWork;
};

} // namespace windlass
