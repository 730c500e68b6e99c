// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/BoundPlan.h"
#include "runtime/base/TrainingLimits.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/text/InstructionName.h"
#include <algorithm>
#include <map>
#include <numeric>

namespace windlass {

namespace {

/// The most of ProgramBinder::turns. No run begins with so late a micro-batch, so with this many turns each
/// first micro-batch has a binding of its own.
constexpr int64_t kMostTurns = 4 * kMostMicroBatches;

/// `microBatch`: the first of the section's run.
BoundInstruction bind(const plan::Plan &plan, const plan::Program &program, const Storage &storage,
                      int64_t rank, const plan::Instruction &instruction, int64_t microBatch) {
  BoundInstruction bound;
  bound.instruction = &instruction;
  bound.rank = rank;
  bound.executes = executes(plan, program, instruction, rank);
  for (const plan::Operand &operand : instruction.operands) {
    const int64_t slot = slotOffset(program, operand, microBatch + instruction.microBatch);
    auto *address = static_cast<std::byte *>(storage.address(rank, operand));
    bound.addresses.push_back(address ? address + slot : nullptr);
    if (tierOf(program, operand) == plan::Tier::Nvme)
      bound.fileOffset = arenaOffset(plan, program, operand, rank) + slot;
  }
  if (hasRoot(instruction.op)) {
    bound.root = rootOf(program, instruction);
    bound.hasShard = isHeld(plan, program, instruction.operands.front(), rank);
  }
  if (isCollective(instruction.op) && !hasRoot(instruction.op))
    bound.pieces = groupRanks(plan, instruction.axes);
  if (isCollective(instruction.op))
    for (size_t t = 0; t < instruction.pieceBytes.size(); ++t)
      bound.whole.push_back({bound.bytes(t + 1), instruction.pieceBytes[t]});
  return bound;
}

BoundSection bind(const plan::Plan &plan, const plan::Program &program, const Storage &storage, int64_t rank,
                  const plan::SectionRun &run) {
  BoundSection bound;
  for (const plan::Instruction &instruction : program.sections[run.section].instructions) {
    BoundInstruction &entry =
        bound.instructions.emplace_back(bind(plan, program, storage, rank, instruction, run.microBatch));
    entry.index = static_cast<uint32_t>(bound.instructions.size() - 1);
    entry.ordinal = ++at(bound.counts, instruction.lane);
    bound.lanes[static_cast<size_t>(instruction.lane)].push_back(entry.index);
  }
  return bound;
}

} // namespace

/// Binds one program, for the ranks of the program that this process runs.
class ProgramBinder {
public:
  ProgramBinder(BoundPlan &into, const plan::Plan &plan, size_t number, const Storage &storage)
      : into(into), plan(plan), number(number), program(plan.programs[number]), storage(storage),
        ranks(into.local.in(plan::RankSet::of(program))) {
    for (const plan::Buffer &buffer : program.buffers)
      turns = std::min(std::lcm(turns, std::max<int64_t>(1, buffer.slots)), kMostTurns);
  }

  void run() {
    if (ranks.isEmpty())
      return;
    for (int64_t rank : ranks)
      sectionsOf(rank).program = into.bound.size();
    BoundProgram bound{number, ranks, {}, {}};
    for (plan::Purpose purpose : plan::kPurposes)
      bound.sequences[static_cast<size_t>(purpose)] = walkThrough(purpose);
    for (const BoundSection &section : sectionsOf(ranks.front()).sections)
      for (size_t lane = 0; lane < plan::kLanes; ++lane)
        bound.usesLane[lane] |= section.counts[lane] > 0;
    into.bound.push_back(std::move(bound));
  }

private:
  BoundPlan::RankSections &sectionsOf(int64_t rank) const { return into.ofRank[into.local.placeOf(rank)]; }

  Sequence walkThrough(plan::Purpose purpose) {
    Sequence sequence;
    plan::LaneCounts before{};
    for (const plan::SectionRun &run : unroll(program, purpose)) {
      sequence.runs.push_back({run, boundFor(run), before, sequence.events});
      const BoundSection &section = into.section(ranks.front(), sequence.runs.back());
      for (size_t lane = 0; lane < plan::kLanes; ++lane)
        before[lane] += section.counts[lane];
      sequence.events += section.instructions.size();
    }
    return sequence;
  }

  size_t boundFor(const plan::SectionRun &run) {
    const auto [known, isNew] =
        boundOf.try_emplace({run.section, run.microBatch % turns}, sectionsOf(ranks.front()).sections.size());
    if (isNew)
      for (int64_t rank : ranks) {
        sectionsOf(rank).sections.push_back(bind(plan, program, storage, rank, run));
        for (BoundInstruction &bound : sectionsOf(rank).sections.back().instructions)
          bound.channel = channelOf(*bound.instruction);
      }
    return known->second;
  }

  int64_t channelOf(const plan::Instruction &instruction) const {
    if (!isMeeting(plan, instruction))
      return kNoChannel;
    return std::ranges::lower_bound(into.met, plan::channelOf(plan, number, instruction)) - into.met.begin();
  }

  BoundPlan &into;
  const plan::Plan &plan;
  const size_t number;
  const plan::Program &program;
  const Storage &storage;
  const plan::RankSet ranks;
  int64_t turns = 1; ///< micro-batches after which the slots of all buffers begin again
  std::map<std::pair<uint32_t, int64_t>, size_t> boundOf; ///< by section and slot
};

std::string placeOf(const BoundInstruction &bound) {
  return "rank " + std::to_string(bound.rank) + ", " + nameOf(*bound.instruction, bound.ordinal);
}

BoundPlan BoundPlan::create(const plan::Plan &plan, const Storage &storage) {
  BoundPlan bound(storage.ranks());
  bound.met = channelsOf(plan);
  for (size_t number = 0; number < plan.programs.size(); ++number)
    ProgramBinder(bound, plan, number, storage).run();
  return bound;
}

uint32_t targetOf(const Sequence &sequence, size_t run, const plan::Wait &wait) {
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
  case plan::Opcode::Send:
  case plan::Opcode::Recv:
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
