// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReferenceExecutor.h - one instruction after another ===================//
//
// Duty: runs every program of a plan in its total order, rank by rank, in the calling thread: the
// oracle of the concurrent executor. Programs take turns where they meet. Waits, lanes and pace mean nothing
// to it.
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
  Status walk(plan::Purpose purpose, StepHost &host) override;

private:
  /// How far a program is.
  struct Cursor {
    const BoundProgram *program;
    const Sequence *sequence;
    size_t run = 0;
    uint32_t instruction = 0;
  };
  const BoundInstruction *headOf(const Cursor &cursor) const;
  const BoundSection &sectionOf(const Cursor &cursor, int64_t rank) const;
  void skipEndedRuns(Cursor &cursor) const;
  void advance(Cursor &cursor) const;
  Status runAlone(Cursor &cursor, StepHost &host);
  bool isMet(size_t channel) const;
  Status meet(size_t channel);

  Status runOnAll(const Cursor &cursor, StepHost &host);
  void finish(const Cursor &cursor, int64_t rank, const Trace::Start &start);
  Status exchangeInGroups(plan::Axes axes);
  KernelLauncher *launcherOf(const BoundInstruction &each) const;
  Status runOn(const BoundInstruction &each, int64_t microBatch, StepHost &host);

  Status addLaunchers(int64_t rank);

  struct Launchers {
    std::unique_ptr<KernelLauncher> device, host; ///< no `host` where one does for both
  };
  std::vector<Launchers> launchers; ///< by place of the rank
  ReferenceCollectives collectives;
  std::vector<Cursor> cursors; ///< per program
  std::vector<const BoundInstruction *>
      sameOnRanks;                               ///< the current instruction, for each rank of who runs it
  std::vector<const BoundInstruction *> members; ///< the same, of one group
};

} // namespace windlass
