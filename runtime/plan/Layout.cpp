// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/Layout.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"
#include <algorithm>
#include <optional>

namespace windlass::plan {

std::vector<int64_t> meshCoordinates(const Plan &plan, int64_t rank) {
  std::vector<int64_t> coordinates(plan.mesh.size());
  for (size_t axis = plan.mesh.size(); axis-- > 0;) {
    coordinates[axis] = rank % plan.mesh[axis].size;
    rank /= plan.mesh[axis].size;
  }
  return coordinates;
}

int64_t bufferOffset(const Plan &plan, const Operand &operand, int64_t rank) {
  int64_t offset = operand.offset;
  for (size_t axis = operand.stride.size(); axis-- > 0;) {
    offset += rank % plan.mesh[axis].size * operand.stride[axis];
    rank /= plan.mesh[axis].size;
  }
  return offset;
}

int64_t arenaOffset(const Plan &plan, const Program &program, const Operand &operand, int64_t rank) {
  return program.buffers[operand.buffer].offset + bufferOffset(plan, operand, rank);
}

int64_t slotOffset(const Program &program, const Operand &operand, int64_t microBatch) {
  const Buffer &buffer = program.buffers[operand.buffer];
  return buffer.slots < 2 ? 0 : microBatch % buffer.slots * buffer.bytes;
}

bool dependsOnRank(const Plan &plan, const Operand &operand) {
  for (size_t axis = 0; axis < operand.stride.size(); ++axis)
    if (operand.stride[axis] != 0 && plan.mesh[axis].size > 1)
      return true;
  return false;
}

const Program &programOf(const Plan &plan, int64_t rank) {
  const auto behind = std::ranges::upper_bound(plan.programs, rank, {}, &Program::firstRank);
  return *std::prev(behind);
}

Tier tierOf(const Program &program, const Operand &operand) { return program.buffers[operand.buffer].tier; }

bool isHeld(const Plan &plan, const Program &program, const Operand &operand, int64_t rank) {
  int64_t owner = program.buffers[operand.buffer].owner;
  return owner == kEveryRank || owner == dataPlace(plan, rank);
}

bool executes(const Plan &plan, const Program &program, const Instruction &instruction, int64_t rank) {
  if (isCollective(instruction.op))
    return true;
  for (const Operand &operand : instruction.operands)
    if (!isHeld(plan, program, operand, rank))
      return false;
  return true;
}

int64_t rootOf(const Program &program, const Instruction &collective) {
  return program.buffers[collective.operands.front().buffer].owner;
}

bool hasOwners(const Program &program) {
  for (const Buffer &buffer : program.buffers)
    if (buffer.owner != kEveryRank)
      return true;
  return false;
}

std::string nameOfOwner(const Plan &plan, int64_t owner) {
  return (plan.ranks() == dataRanks(plan) ? "rank " : "data rank ") + std::to_string(owner);
}

Access accessOf(const Plan &plan, const Instruction &instruction, size_t operand) {
  if (instruction.op == Opcode::Launch)
    return plan.kernels[static_cast<size_t>(instruction.kernel)].args[operand];
  if (instruction.staged && operand + 1 == instruction.operands.size())
    return Access::Scratch;
  return operandRule(instruction.op, operand).access;
}

const Arena *arenaOf(const Program &program, Tier tier) {
  for (const Arena &arena : program.arenas)
    if (arena.tier == tier)
      return &arena;
  return nullptr;
}

int64_t stagedChunk(int64_t bytes, int64_t ranks) { return ranks < 2 ? 0 : bytes / (ranks - 1) / 256 * 256; }

ByteSpan pinnedPool(const Program &program) {
  std::optional<ByteSpan> pool;
  for (const Section &section : program.sections)
    for (const Instruction &instruction : section.instructions)
      for (const Operand &operand : instruction.operands) {
        const Buffer &buffer = program.buffers[operand.buffer];
        if (!isNvmeLane(instruction.lane) || buffer.tier != Tier::Host)
          continue;
        const ByteSpan span{buffer.offset, buffer.end()};
        pool = pool ? ByteSpan{std::min(pool->begin, span.begin), std::max(pool->end, span.end)} : span;
      }
  return pool.value_or(ByteSpan());
}

const KernelFile *kernelFileFor(const Plan &plan, std::string_view target) {
  for (const KernelFile &file : plan.kernelFiles)
    if (file.target == target)
      return &file;
  return nullptr;
}

std::vector<bool> launchedOn(const Plan &plan, std::initializer_list<Lane> lanes) {
  std::vector<bool> launched(plan.kernels.size());
  forEachInstruction(plan, [&](const Instruction &instruction) {
    if (instruction.op == Opcode::Launch && std::ranges::find(lanes, instruction.lane) != lanes.end())
      launched[static_cast<size_t>(instruction.kernel)] = true;
  });
  return launched;
}

std::vector<uint32_t> laneOrdinals(const Section &section) {
  LaneCounts counts{};
  std::vector<uint32_t> ordinals;
  ordinals.reserve(section.instructions.size());
  for (const Instruction &instruction : section.instructions)
    ordinals.push_back(++at(counts, instruction.lane));
  return ordinals;
}

LaneCounts laneCounts(const Section &section) {
  LaneCounts counts{};
  for (const Instruction &instruction : section.instructions)
    ++at(counts, instruction.lane);
  return counts;
}

} // namespace windlass::plan
