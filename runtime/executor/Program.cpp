// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/Program.h"
#include "runtime/base/TrainingLimits.h"
#include "runtime/plan/InstructionTable.h"
#include <algorithm>
#include <numeric>

namespace windlass {

namespace {

/// No run begins with a micro-batch as late: so many turns are one for each of them.
constexpr int64_t kMostTurns = 4 * kMostMicroBatches;

/// `microBatch`: the first of the section's run.
BoundInstruction bind(const plan::Plan &plan, const Storage &storage, int64_t rank,
                      const plan::Instruction &instruction, int64_t microBatch) {
  BoundInstruction bound;
  bound.instruction = &instruction;
  bound.rank = rank;
  bound.executes = executes(plan, instruction, rank);
  for (const plan::Operand &operand : instruction.operands) {
    const int64_t slot = slotOffset(plan, operand, microBatch + instruction.microBatch);
    auto *address = static_cast<std::byte *>(storage.address(rank, operand));
    bound.addresses.push_back(address ? address + slot : nullptr);
    if (tierOf(plan, operand) == plan::Tier::Nvme)
      bound.fileOffset = arenaOffset(plan, operand, rank) + slot;
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

BoundSection bind(const plan::Plan &plan, const Storage &storage, int64_t rank, const plan::SectionRun &run) {
  BoundSection bound;
  for (const plan::Instruction &instruction : plan.sections[run.section].instructions) {
    BoundInstruction &entry =
        bound.instructions.emplace_back(bind(plan, storage, rank, instruction, run.microBatch));
    entry.index = static_cast<uint32_t>(bound.instructions.size() - 1);
    entry.ordinal = ++at(bound.counts, instruction.lane);
    bound.lanes[static_cast<size_t>(instruction.lane)].push_back(entry.index);
  }
  return bound;
}

} // namespace

Program Program::create(const plan::Plan &plan, const Storage &storage) {
  Program program;
  program.ranks.resize(static_cast<size_t>(plan.ranks()));
  for (const plan::Buffer &buffer : plan.buffers)
    program.turns = std::min(std::lcm(program.turns, std::max<int64_t>(1, buffer.slots)), kMostTurns);
  for (plan::Purpose purpose : plan::kPurposes)
    program.sequences[static_cast<size_t>(purpose)] = program.walkThrough(plan, storage, purpose);
  return program;
}

size_t Program::boundFor(const plan::Plan &plan, const Storage &storage, const plan::SectionRun &run) {
  const auto [known, isNew] =
      boundOf.try_emplace({run.section, run.microBatch % turns}, ranks.front().size());
  for (size_t rank = 0; isNew && rank < ranks.size(); ++rank)
    ranks[rank].push_back(bind(plan, storage, static_cast<int64_t>(rank), run));
  return known->second;
}

Sequence Program::walkThrough(const plan::Plan &plan, const Storage &storage, plan::Purpose purpose) {
  Sequence sequence;
  plan::LaneCounts before{};
  for (const plan::SectionRun &run : unroll(plan, purpose)) {
    sequence.runs.push_back({run, boundFor(plan, storage, run), before, sequence.events});
    const BoundSection &bound = section(0, sequence.runs.back());
    for (size_t lane = 0; lane < plan::kLanes; ++lane)
      before[lane] += bound.counts[lane];
    sequence.events += bound.instructions.size();
  }
  return sequence;
}

bool Program::usesLane(plan::Lane lane) const {
  return std::ranges::any_of(ranks.front(),
                             [&](const BoundSection &section) { return at(section.counts, lane) > 0; });
}

uint32_t Program::target(const Sequence &sequence, size_t run, const plan::Wait &wait) const {
  if (!wait.isPrevious())
    return at(sequence.runs[run].before, wait.lane) + wait.ordinal;
  if (run == 0)
    return 0; // a sequence begins after a drain
  const BoundRun &previous = sequence.runs[run - 1];
  for (auto [section, ordinal] : wait.previous)
    if (section == previous.section)
      return at(previous.before, wait.lane) + ordinal;
  return at(sequence.runs[run].before, wait.lane); // not named: all of it, which is always safe
}

size_t Program::mostEvents() const {
  size_t most = 0;
  for (const Sequence &sequence : sequences)
    most = std::max(most, sequence.events);
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
