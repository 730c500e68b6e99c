// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/compiler/driver/StepUsers.h"

#include <algorithm>

namespace windlass::test {
namespace {

bool isTransfer(const plan::Instruction &instruction) {
  switch (instruction.op) {
  case plan::Opcode::AllGather:
  case plan::Opcode::ReduceScatter:
  case plan::Opcode::Broadcast:
  case plan::Opcode::Reduce:
  case plan::Opcode::Send:
  case plan::Opcode::Recv:
  case plan::Opcode::Upload:
  case plan::Opcode::Offload:
  case plan::Opcode::Read:
  case plan::Opcode::Write:
    return true;
  case plan::Opcode::Launch:
  case plan::Opcode::Feed:
  case plan::Opcode::Report:
    return false;
  }
  return false;
}

/// The end of an operand's bytes on the last rank, from the start of its buffer.
int64_t endOf(const plan::Plan &plan, const plan::Operand &operand) {
  int64_t end = operand.offset + operand.bytes;
  for (size_t axis = 0; axis < operand.stride.size(); ++axis)
    end += operand.stride[axis] * (plan.mesh[axis].size - 1);
  return end;
}

} // namespace

StepUsers::StepUsers(const plan::Plan &plan)
    : timeline(plan, plan.programs[0], plan::Purpose::Train, plan.training.microBatches),
      readers(events().size()), users(events().size()), producers(events().size()),
      previous(events().size()) {
  std::array<std::optional<uint32_t>, plan::kLanes> last;
  for (uint32_t event = 0; event < events().size(); ++event) {
    if (event > 0 && events()[event].run != events()[event - 1].run)
      pieces.clear();
    const plan::Instruction &instruction = events()[event].get();
    if (instruction.op == plan::Opcode::Launch)
      previous[event] = std::exchange(last[static_cast<size_t>(instruction.lane)], event);
    for (bool writes : {false, true})
      for (size_t i = 0; i < instruction.operands.size(); ++i) {
        plan::Access access = accessOf(plan, instruction, i);
        const plan::Operand &operand = instruction.operands[i];
        if (!writes && plan::reads(access))
          read(event, operand, endOf(plan, operand));
        if (writes && plan::writes(access))
          write(event, operand, endOf(plan, operand));
      }
  }
  for (uint32_t event = static_cast<uint32_t>(events().size()); event-- > 0;)
    if (isTransfer(events()[event].get()))
      for (uint32_t reader : readers[event]) {
        std::optional<uint32_t> user = isTransfer(events()[reader].get()) ? users[reader] : reader;
        if (user && events()[*user].get().op == plan::Opcode::Launch)
          users[event] = std::min(users[event].value_or(*user), *user);
      }
}

void StepUsers::read(uint32_t event, const plan::Operand &operand, int64_t end) {
  for (const Piece &piece : pieces[operand.buffer]) {
    if (piece.begin >= end || operand.offset >= piece.end)
      continue;
    readers[piece.writer].push_back(event);
    std::optional<uint32_t> made =
        isTransfer(events()[piece.writer].get()) ? producers[piece.writer] : piece.writer;
    if (made)
      producers[event] = std::max(producers[event].value_or(*made), *made);
  }
}

void StepUsers::write(uint32_t event, const plan::Operand &operand, int64_t end) {
  std::vector<Piece> kept;
  for (const Piece &piece : pieces[operand.buffer]) {
    if (piece.begin < operand.offset)
      kept.push_back({piece.begin, std::min(piece.end, operand.offset), piece.writer});
    if (piece.end > end)
      kept.push_back({std::max(piece.begin, end), piece.end, piece.writer});
  }
  kept.push_back({operand.offset, end, event});
  pieces[operand.buffer] = std::move(kept);
}

} // namespace windlass::test
