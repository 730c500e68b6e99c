#include "runtime/executor/ReferenceExecutor.h"
#include "runtime/executor/ReferenceCollectives.h"
#include "runtime/plan/InstructionName.h"
#include "runtime/plan/InstructionTable.h"

namespace windlass {

Result<std::unique_ptr<Executor>> ReferenceExecutor::create(ExecutorParts parts) {
  auto executor = std::make_unique<ReferenceExecutor>(std::move(parts));
  Result<std::unique_ptr<KernelRunner>> kernels = KernelRunner::create(*executor->parts.kernels);
  if (!kernels)
    return kernels.status();
  executor->kernels = kernels.take();
  executor->sameOnRanks.resize(executor->program.rankCount());
  return std::unique_ptr<Executor>(std::move(executor));
}

Status ReferenceExecutor::run(const Sequence &sequence, StepHost &host) {
  for (size_t run = 0; run < sequence.sections.size(); ++run) {
    const BoundSection &section = program.section(0, sequence.sections[run].section);
    for (const BoundInstruction &bound : section.instructions)
      WINDLASS_TRY(runOnAll(sequence, run, bound.index, host));
  }
  return Status::ok();
}

Status ReferenceExecutor::runOnAll(const Sequence &sequence, size_t run, uint32_t instruction,
                                   StepHost &host) {
  const SectionRun &section = sequence.sections[run];
  int64_t ranks = program.rankCount();
  for (int64_t rank = 0; rank < ranks; ++rank)
    sameOnRanks[rank] = &program.section(rank, section.section).instructions[instruction];
  Trace::Start start = timeline.start();
  const bool collective = plan::isCollective(sameOnRanks[0]->instruction->op);
  if (collective)
    WINDLASS_TRY(exchangeAll(sameOnRanks));
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const BoundInstruction &bound = *sameOnRanks[rank];
    if (!collective && bound.executes) {
      start = timeline.start();
      if (Status status = runOn(rank, bound, section.microBatch, host); !status.isOk())
        return status.in("rank " + std::to_string(rank) + ", " + nameOf(*bound.instruction, bound.ordinal));
    }
    count(bound, ranks, totals);
    timeline.record(run, rank, instruction, start);
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
    return dispatch(bound, {rank, kernels.get()}, microBatch, host);
  }
}

} // namespace windlass
