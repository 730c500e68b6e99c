// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/ReferenceExecutor.h"
#include "runtime/plan/InstructionName.h"
#include "runtime/plan/InstructionTable.h"

namespace windlass {

ReferenceExecutor::ReferenceExecutor(ExecutorParts given)
    : ExecutorBase(std::move(given)), collectives(*parts.storage, program.rankCount()),
      sameOnRanks(program.rankCount()) {
  members.reserve(sameOnRanks.size());
}

Result<std::unique_ptr<Executor>> ReferenceExecutor::create(ExecutorParts parts) {
  auto executor = std::make_unique<ReferenceExecutor>(std::move(parts));
  for (int64_t rank = 0; rank < executor->program.rankCount(); ++rank)
    WINDLASS_TRY(executor->addLaunchers(rank));
  return std::unique_ptr<Executor>(std::move(executor));
}

Status ReferenceExecutor::addLaunchers(int64_t rank) {
  Launchers &made = launchers.emplace_back();
  Result<std::unique_ptr<KernelLauncher>> device = parts.kernels.device->makeLauncher(rank, nullptr);
  if (!device)
    return device.status();
  made.device = device.take();
  if (parts.kernels.host == parts.kernels.device)
    return Status::ok();
  Result<std::unique_ptr<KernelLauncher>> host = parts.kernels.host->makeLauncher(rank, nullptr);
  if (!host)
    return host.status();
  made.host = host.take();
  return Status::ok();
}

Status ReferenceExecutor::walk(const Sequence &sequence, StepHost &host) {
  for (size_t run = 0; run < sequence.runs.size(); ++run) {
    const BoundSection &section = program.section(0, sequence.runs[run]);
    for (const BoundInstruction &bound : section.instructions)
      WINDLASS_TRY(runOnAll(sequence, run, bound.index, host));
  }
  return Status::ok();
}

Status ReferenceExecutor::runOnAll(const Sequence &sequence, size_t run, uint32_t instruction,
                                   StepHost &host) {
  const BoundRun &at = sequence.runs[run];
  int64_t ranks = program.rankCount();
  for (int64_t rank = 0; rank < ranks; ++rank)
    sameOnRanks[rank] = &program.section(rank, at).instructions[instruction];
  Trace::Start start = timeline.start();
  const bool collective = plan::isCollective(sameOnRanks[0]->instruction->op);
  if (collective)
    WINDLASS_TRY(exchangeInGroups(sameOnRanks[0]->instruction->axes));
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const BoundInstruction &bound = *sameOnRanks[rank];
    if (!collective && bound.executes) {
      start = timeline.start(launcherOf(rank, bound));
      if (Status status = runOn(rank, bound, at.microBatch, host); !status.isOk())
        return status.in("rank " + std::to_string(rank) + ", " + nameOf(*bound.instruction, bound.ordinal));
    }
    count(bound, totals);
    timeline.record(run, rank, instruction, start);
  }
  return Status::ok();
}

/// Each group by itself, its ranks in order.
Status ReferenceExecutor::exchangeInGroups(plan::Axes axes) {
  for (int64_t group = 0; group < program.rankCount() / groupRanks(*parts.plan, axes); ++group) {
    members.clear();
    for (int64_t rank = 0; rank < program.rankCount(); ++rank)
      if (groupOf(*parts.plan, axes, rank) == group)
        members.push_back(sameOnRanks[rank]);
    WINDLASS_TRY(collectives.exchange(members));
  }
  return Status::ok();
}

Status ReferenceExecutor::runOn(int64_t rank, const BoundInstruction &bound, int64_t microBatch,
                                StepHost &host) {
  switch (bound.instruction->op) {
  case plan::Opcode::Read:
    return parts.storage->nvme(rank).read(bound.fileOffset, bound.span(1));
  case plan::Opcode::Write:
    return parts.storage->nvme(rank).write(bound.fileOffset, bound.span(0));
  default:
    return dispatch(bound, {rank, launcherOf(rank, bound), &parts.storage->device(rank)}, microBatch, host);
  }
}

KernelLauncher *ReferenceExecutor::launcherOf(int64_t rank, const BoundInstruction &bound) const {
  const auto &[device, onHost] = launchers[rank];
  return bound.instruction->lane == plan::Lane::HostCompute && onHost ? onHost.get() : device.get();
}

} // namespace windlass
