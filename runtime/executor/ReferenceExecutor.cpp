// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/ReferenceExecutor.h"
#include "runtime/plan/Collectives.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/text/InstructionName.h"

namespace windlass {

ReferenceExecutor::ReferenceExecutor(ExecutorParts given)
    : ExecutorBase(std::move(given)),
      collectives(*parts.storage, static_cast<int64_t>(bound.ranks().size())) {
  sameOnRanks.reserve(bound.ranks().size());
  members.reserve(bound.ranks().size());
}

Result<std::unique_ptr<Executor>> ReferenceExecutor::create(ExecutorParts parts) {
  if (std::ssize(parts.storage->ranks()) != parts.plan->ranks())
    return Status::badInput("--executor reference runs all ranks in one process");
  const Result<plan::Collectives> collectives = plan::collectivesOf(*parts.plan);
  WINDLASS_TRY(collectives.status());
  if (*collectives != plan::Collectives::Ordered && parts.plan->ranks() > 1)
    return Status::badInput("the reference executor sums rank by rank; the plan's sums are those of '" +
                            std::string(plan::textOf(*collectives)) + "'");
  auto executor = std::make_unique<ReferenceExecutor>(std::move(parts));
  for (int64_t rank : executor->bound.ranks())
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

Status ReferenceExecutor::walk(plan::Purpose purpose, StepHost &host) {
  cursors.clear();
  for (const BoundProgram &program : bound.programs())
    skipEndedRuns(cursors.emplace_back(Cursor{&program, &program.sequence(purpose)}));
  for (bool met = true; met;) {
    for (Cursor &cursor : cursors)
      WINDLASS_TRY(runAlone(cursor, host));
    met = false;
    for (size_t channel = 0; channel < bound.channels().size(); ++channel)
      if (isMet(channel)) {
        WINDLASS_TRY(meet(channel));
        met = true;
      }
  }
  for (const Cursor &cursor : cursors)
    if (const BoundInstruction *waiting = headOf(cursor))
      return Status::internal(nameOf(*waiting->instruction, waiting->ordinal) + " waits for another program");
  return Status::ok();
}

/// The next instruction of a program, on its first rank; null at the end.
const BoundInstruction *ReferenceExecutor::headOf(const Cursor &cursor) const {
  if (cursor.run == cursor.sequence->runs.size())
    return nullptr;
  return &sectionOf(cursor, cursor.program->ranks.front()).instructions[cursor.instruction];
}

const BoundSection &ReferenceExecutor::sectionOf(const Cursor &cursor, int64_t rank) const {
  return bound.section(rank, cursor.sequence->runs[cursor.run]);
}

/// Sections may have no instructions.
void ReferenceExecutor::skipEndedRuns(Cursor &cursor) const {
  while (cursor.run < cursor.sequence->runs.size() &&
         cursor.instruction == sectionOf(cursor, cursor.program->ranks.front()).instructions.size()) {
    ++cursor.run;
    cursor.instruction = 0;
  }
}

void ReferenceExecutor::advance(Cursor &cursor) const {
  ++cursor.instruction;
  skipEndedRuns(cursor);
}

/// What a program does before it must meet others.
Status ReferenceExecutor::runAlone(Cursor &cursor, StepHost &host) {
  for (const BoundInstruction *head = headOf(cursor); head && head->channel == kNoChannel;
       head = headOf(cursor)) {
    WINDLASS_TRY(runOnAll(cursor, host));
    advance(cursor);
  }
  return Status::ok();
}

bool ReferenceExecutor::isMet(size_t channel) const {
  return std::ranges::all_of(bound.channels()[channel].programs, [&](size_t program) {
    const BoundInstruction *head = headOf(cursors[program]);
    return head && head->channel == static_cast<int64_t>(channel);
  });
}

/// What the programs of a channel do together.
Status ReferenceExecutor::meet(size_t channel) {
  const std::vector<size_t> &programs = bound.channels()[channel].programs;
  const Trace::Start start = timeline.start();
  sameOnRanks.clear();
  for (size_t program : programs)
    for (int64_t rank : cursors[program].program->ranks)
      sameOnRanks.push_back(&sectionOf(cursors[program], rank).instructions[cursors[program].instruction]);
  if (bound.channels()[channel].carriesMessages())
    for (size_t i = 0; i < sameOnRanks.size() / 2; ++i) // senders, then who receives
      WINDLASS_TRY(collectives.deliver(*sameOnRanks[i], *sameOnRanks[i + sameOnRanks.size() / 2])
                       .in(placeOf(*sameOnRanks[i])));
  else
    WINDLASS_TRY(exchangeInGroups(sameOnRanks[0]->instruction->axes));
  for (size_t program : programs) {
    for (int64_t rank : cursors[program].program->ranks)
      finish(cursors[program], rank, start);
    advance(cursors[program]);
  }
  return Status::ok();
}

Status ReferenceExecutor::runOnAll(const Cursor &cursor, StepHost &host) {
  const BoundRun &run = cursor.sequence->runs[cursor.run];
  sameOnRanks.clear();
  for (int64_t rank : cursor.program->ranks)
    sameOnRanks.push_back(&sectionOf(cursor, rank).instructions[cursor.instruction]);
  Trace::Start start = timeline.start();
  const bool collective = plan::isCollective(sameOnRanks[0]->instruction->op);
  if (collective)
    WINDLASS_TRY(exchangeInGroups(sameOnRanks[0]->instruction->axes));
  for (const BoundInstruction *each : sameOnRanks) {
    if (!collective && each->executes) {
      start = timeline.start(launcherOf(*each));
      if (Status status = runOn(*each, run.microBatch, host); !status.isOk())
        return status.in(placeOf(*each));
    }
    finish(cursor, each->rank, start);
  }
  return Status::ok();
}

void ReferenceExecutor::finish(const Cursor &cursor, int64_t rank, const Trace::Start &start) {
  count(sectionOf(cursor, rank).instructions[cursor.instruction], totals);
  timeline.record(cursor.run, rank, cursor.instruction, start);
}

/// Each group by itself, its ranks in order.
Status ReferenceExecutor::exchangeInGroups(plan::Axes axes) {
  const int64_t groups = parts.plan->ranks() / groupRanks(*parts.plan, axes);
  for (int64_t group = 0; group < groups; ++group) {
    members.clear();
    for (const BoundInstruction *each : sameOnRanks)
      if (groupOf(*parts.plan, axes, each->rank) == group)
        members.push_back(each);
    if (!members.empty())
      WINDLASS_TRY(collectives.exchange(members).in(placeOf(*members[0])));
  }
  return Status::ok();
}

Status ReferenceExecutor::runOn(const BoundInstruction &each, int64_t microBatch, StepHost &host) {
  switch (each.instruction->op) {
  case plan::Opcode::Read:
    return parts.storage->nvme(each.rank).read(each.fileOffset, each.span(1));
  case plan::Opcode::Write:
    return parts.storage->nvme(each.rank).write(each.fileOffset, each.span(0));
  default:
    return dispatch(each, {each.rank, launcherOf(each), &parts.storage->device(each.rank)}, microBatch, host);
  }
}

KernelLauncher *ReferenceExecutor::launcherOf(const BoundInstruction &each) const {
  const auto &[device, onHost] = launchers[bound.ranks().placeOf(each.rank)];
  return each.instruction->lane == plan::Lane::HostCompute && onHost ? onHost.get() : device.get();
}

} // namespace windlass
