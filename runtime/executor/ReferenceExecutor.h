// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReferenceExecutor.h - one instruction after another ================//
//
// Duty: runs a plan in its total order, rank by rank, in the calling thread: the
// oracle of the concurrent executor. Waits, lanes and pace mean nothing to it.
// Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/ExecutorBase.h"
#include "runtime/executor/ReferenceCollectives.h"

namespace windlass {

class ReferenceExecutor final : public ExecutorBase {
public:
  static Result<std::unique_ptr<Executor>> create(ExecutorParts parts);
  explicit ReferenceExecutor(ExecutorParts parts);

protected:
  Status walk(const Sequence &sequence, StepHost &host) override;

private:
  Status runOnAll(const Sequence &sequence, size_t run, uint32_t instruction, StepHost &host);
  Status exchangeInGroups(plan::Axes axes);
  KernelLauncher *launcherOf(int64_t rank, const BoundInstruction &bound) const;
  Status runOn(int64_t rank, const BoundInstruction &bound, int64_t microBatch, StepHost &host);

  Status addLaunchers(int64_t rank);

  struct Launchers {
    std::unique_ptr<KernelLauncher> device, host; ///< no `host` where one does for both
  };
  std::vector<Launchers> launchers; ///< per rank
  ReferenceCollectives collectives;
  std::vector<const BoundInstruction *> sameOnRanks; ///< the current instruction, per rank
  std::vector<const BoundInstruction *> members;     ///< the same, of one group
};

} // namespace windlass
