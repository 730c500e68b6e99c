// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ExecutorBase.h - what both executors own ==============================//
//
// Duty: storage, kernels, program, counters and trace: everything of the
// Executor seam but the walk over a sequence.
// Threads: as Executor.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Dispatch.h"
#include "runtime/executor/Trace.h"

namespace windlass {

/// The parts every executor is made of.
struct ExecutorParts {
  const plan::Plan *plan = nullptr;
  ExecutorOptions options;
  std::unique_ptr<Backend> backend;
  PlanKernels kernels;
  std::unique_ptr<Storage> storage;
  std::vector<std::string> notices;

  /// Tests bring a disk, or a backend, of their own; empty or null: what options and plan name.
  static Result<ExecutorParts> create(const plan::Plan &plan, const ExecutorOptions &options,
                                      const EngineFactory &factory,
                                      std::unique_ptr<Backend> backend = nullptr);
};

class ExecutorBase : public Executor {
public:
  explicit ExecutorBase(ExecutorParts parts);

  Status run(plan::Purpose purpose, StepHost &host) final;
  Status readBytes(int64_t rank, const plan::Operand &operand, int64_t at, std::span<std::byte> out) final;
  Status writeBytes(int64_t rank, const plan::Operand &operand, int64_t at,
                    std::span<const std::byte> in) final;
  plan::RankSet ranks() const final { return bound.ranks(); }
  const ExecutorCounters &counters() const final { return totals; }
  std::span<const TraceEvent> trace() const final { return timeline.events(); }
  std::span<const std::byte> arena(int64_t rank, plan::Tier tier) const final;
  std::span<const std::string> notices() const final { return parts.notices; }

protected:
  /// Runs every program's schedule of the purpose and drains.
  virtual Status walk(plan::Purpose purpose, StepHost &host) = 0;

  ExecutorParts parts;
  BoundPlan bound;
  Trace timeline;
  ExecutorCounters totals;

private:
  Status broken; ///< after a failed run nothing is known of the states
};

} // namespace windlass
