// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/Program.h"
#include "runtime/plan/InstructionTable.h"
#include <algorithm>

namespace windlass {

namespace {

BoundInstruction bind(const plan::Plan &plan, const Storage &storage, int64_t rank,
                      const plan::Instruction &instruction) {
  BoundInstruction bound;
  bound.instruction = &instruction;
  bound.rank = rank;
  bound.executes = executes(plan, instruction, rank);
  for (const plan::Operand &operand : instruction.operands) {
    bound.addresses.push_back(storage.address(rank, operand));
    if (tierOf(plan, operand) == plan::Tier::Nvme)
      bound.fileOffset = arenaOffset(plan, operand, rank);
  }
  if (hasRoot(instruction.op))
    bound.root = rootOf(plan, instruction);
  if (isCollective(instruction.op) && !hasRoot(instruction.op))
    bound.pieces = groupRanks(plan, instruction.axes);
  if (isCollective(instruction.op))
    for (size_t t = 0; t < instruction.pieceBytes.size(); ++t)
      bound.whole.push_back({bound.bytes(t + 1), instruction.pieceBytes[t]});
  return bound;
}

BoundSection bind(const plan::Plan &plan, const Storage &storage, int64_t rank,
                  const plan::Section &section) {
  BoundSection bound;
  bound.kind = section.kind;
  for (const plan::Instruction &instruction : section.instructions) {
    BoundInstruction &entry = bound.instructions.emplace_back(bind(plan, storage, rank, instruction));
    entry.index = static_cast<uint32_t>(bound.instructions.size() - 1);
    entry.ordinal = ++at(bound.counts, instruction.lane);
    bound.lanes[static_cast<size_t>(instruction.lane)].push_back(entry.index);
  }
  return bound;
}

} // namespace

Program Program::create(const plan::Plan &plan, const Storage &storage) {
  Program program;
  for (int64_t rank = 0; rank < plan.ranks(); ++rank) {
    std::vector<BoundSection> &sections = program.ranks.emplace_back();
    for (const plan::Section &section : plan.sections)
      sections.push_back(bind(plan, storage, rank, section));
  }
  Result<std::vector<const plan::Section *>> step = stepSections(plan, plan.training.microBatches);
  if (step)
    program.training = program.sequence(plan, *step);
  else
    program.missing = step.status();
  if (const plan::Section *section = findSection(plan, plan::SectionKind::Evaluate))
    program.evaluation = program.sequence(plan, {section});
  if (const plan::Section *section = findSection(plan, plan::SectionKind::Sample))
    program.sampling = program.sequence(plan, {section});
  return program;
}

std::optional<Sequence> Program::sequence(const plan::Plan &plan,
                                          const std::vector<const plan::Section *> &order) const {
  Sequence sequence;
  plan::LaneCounts before{};
  for (const plan::Section *section : order) {
    SectionRun run;
    run.section = static_cast<size_t>(section - plan.sections.data());
    run.microBatch = static_cast<int64_t>(sequence.sections.size());
    run.before = before;
    run.firstEvent = sequence.events;
    const BoundSection &bound = ranks.front()[run.section];
    for (size_t lane = 0; lane < plan::kLanes; ++lane)
      before[lane] += bound.counts[lane];
    sequence.events += bound.instructions.size();
    sequence.sections.push_back(run);
  }
  return sequence;
}

bool Program::usesLane(plan::Lane lane) const {
  return std::ranges::any_of(ranks.front(),
                             [&](const BoundSection &section) { return at(section.counts, lane) > 0; });
}

const Sequence *Program::forward(plan::SectionKind kind) const {
  const std::optional<Sequence> &sequence = kind == plan::SectionKind::Evaluate ? evaluation : sampling;
  return sequence ? &*sequence : nullptr;
}

uint32_t Program::target(const Sequence &sequence, size_t run, const plan::Wait &wait) const {
  if (!wait.isPrevious())
    return at(sequence.sections[run].before, wait.lane) + wait.ordinal;
  if (run == 0)
    return 0; // a sequence begins after a drain
  const SectionRun &previous = sequence.sections[run - 1];
  const BoundSection &section = ranks.front()[previous.section];
  for (auto [kind, ordinal] : wait.previous)
    if (kind == section.kind)
      return at(previous.before, wait.lane) + ordinal;
  return at(sequence.sections[run].before, wait.lane); // not named: all of it, which is always safe
}

size_t Program::mostEvents() const {
  size_t most = 0;
  for (const std::optional<Sequence> &sequence : {training, evaluation, sampling})
    most = std::max(most, sequence ? sequence->events : 0);
  return most;
}

int64_t movedBytes(const BoundInstruction &bound) {
  if (!bound.executes)
    return 0;
  switch (bound.instruction->op) {
  case plan::Opcode::Launch:
  case plan::Opcode::Feed:
  case plan::Opcode::Report:
    return 0;
  case plan::Opcode::Upload:
  case plan::Opcode::Offload:
  case plan::Opcode::Read:
  case plan::Opcode::Write:
    return bound.instruction->operands[0].bytes;
  case plan::Opcode::AllGather:
  case plan::Opcode::ReduceScatter:
  case plan::Opcode::Broadcast:
  case plan::Opcode::Reduce:
    break;
  }
  int64_t bytes = 0;
  for (const WholeTensor &tensor : bound.whole)
    bytes += tensor.pieceBytes * bound.pieces;
  return bytes;
}

} // namespace windlass
