// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/PlanFaults.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Layout.h"

#include <algorithm>
#include <utility>

namespace windlass::test {
namespace {

using namespace windlass::plan;
using Random = std::mt19937_64;

Wait *drawWait(Instruction &instruction, Random &random, bool previous) {
  std::vector<Wait *> candidates;
  for (Wait &wait : instruction.waits)
    if (wait.isPrevious() == previous)
      candidates.push_back(&wait);
  return candidates.empty() ? nullptr : candidates[random() % candidates.size()];
}

bool dropWait(Plan &, Section &section, size_t i, Random &random) {
  std::vector<Wait> &waits = section.instructions[i].waits;
  if (waits.empty())
    return false;
  waits.erase(waits.begin() + static_cast<long>(random() % waits.size()));
  return true;
}

bool waitEarlier(Plan &, Section &section, size_t i, Random &random) {
  Wait *wait = drawWait(section.instructions[i], random, false);
  if (!wait)
    return false;
  wait->ordinal -= static_cast<uint32_t>(1 + random() % wait->ordinal);
  return true;
}

bool waitLater(Plan &, Section &section, size_t i, Random &random) {
  Wait *wait = drawWait(section.instructions[i], random, false);
  if (!wait)
    return false;
  wait->ordinal += static_cast<uint32_t>(1 + random() % 3);
  return true;
}

bool waitForAnotherLane(Plan &, Section &section, size_t i, Random &random) {
  Wait *wait = drawWait(section.instructions[i], random, random() % 2 == 0);
  if (!wait)
    return false;
  wait->lane = static_cast<Lane>((static_cast<size_t>(wait->lane) + 1 + random() % (kLanes - 1)) % kLanes);
  return true;
}

bool wrongPreviousCount(Plan &, Section &section, size_t i, Random &random) {
  Wait *wait = drawWait(section.instructions[i], random, true);
  if (!wait)
    return false;
  uint32_t &count = wait->previous[random() % wait->previous.size()].second;
  count = count > 0 && random() % 4 ? static_cast<uint32_t>(random() % count)
                                    : count + 1 + static_cast<uint32_t>(random() % 3);
  return true;
}

bool missingPreviousSection(Plan &, Section &section, size_t i, Random &random) {
  Wait *wait = drawWait(section.instructions[i], random, true);
  if (!wait || wait->previous.size() < 2)
    return false;
  wait->previous.erase(wait->previous.begin() + static_cast<long>(random() % wait->previous.size()));
  return true;
}

uint32_t drawBuffer(const Instruction &instruction, Random &random) {
  return instruction.operands[random() % instruction.operands.size()].buffer;
}

bool swapBufferOffsets(Plan &plan, Section &section, size_t i, Random &random) {
  uint32_t one = drawBuffer(section.instructions[i], random);
  uint32_t other = static_cast<uint32_t>(random() % plan.programs[0].buffers.size());
  if (plan.programs[0].buffers[one].tier != plan.programs[0].buffers[other].tier ||
      plan.programs[0].buffers[one].offset == plan.programs[0].buffers[other].offset)
    return false;
  std::swap(plan.programs[0].buffers[one].offset, plan.programs[0].buffers[other].offset);
  return true;
}

bool moveBuffer(Plan &plan, Section &section, size_t i, Random &random) {
  Buffer &buffer = plan.programs[0].buffers[drawBuffer(section.instructions[i], random)];
  int64_t unit = buffer.tier == Tier::Nvme ? 4096 : 64;
  int64_t places = (arenaOf(plan.programs[0], buffer.tier)->bytes - buffer.bytes) / unit + 1;
  int64_t offset = static_cast<int64_t>(random() % static_cast<uint64_t>(places)) * unit;
  return std::exchange(buffer.offset, offset) != offset;
}

bool shortenBuffer(Plan &plan, Section &section, size_t i, Random &random) {
  plan.programs[0].buffers[drawBuffer(section.instructions[i], random)].bytes -= 64;
  return true;
}

bool shortenOperand(Plan &, Section &section, size_t i, Random &random) {
  std::vector<Operand> &operands = section.instructions[i].operands;
  if (section.instructions[i].op == Opcode::Report)
    return false; // a report may have any size
  operands[random() % operands.size()].bytes -= 64;
  return true;
}

/// Whether an instruction computes a new value of a buffer from its old one, in one operand or in place.
bool updates(const Plan &plan, const Instruction &instruction, uint32_t buffer) {
  bool isRead = false, isWritten = false;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    if (instruction.operands[i].buffer != buffer)
      continue;
    Access access = accessOf(plan, instruction, i);
    isRead |= reads(access);
    isWritten |= access != Access::Scratch && writes(access);
  }
  return isRead && isWritten;
}

/// Whether after a swap of two instructions one of them reads an older or newer value that is as valid: the
/// result is another sound program, and no fault of a plan.
bool orderGivesMeaning(const Plan &plan, const Instruction &a, const Instruction &b) {
  for (size_t i = 0; i < a.operands.size(); ++i)
    for (size_t j = 0; j < b.operands.size(); ++j) {
      Access one = accessOf(plan, a, i), other = accessOf(plan, b, j);
      const uint32_t buffer = a.operands[i].buffer;
      bool common = buffer == b.operands[j].buffer;
      bool updated =
          updates(plan, a, buffer) || updates(plan, b, buffer) || plan.programs[0].buffers[buffer].persistent;
      if (common && updated && (writes(one) || writes(other)))
        return true;
    }
  return false;
}

/// Swaps the instruction with the next one on its lane. On gg this reorders collectives.
bool swapOnLane(Plan &plan, Section &section, size_t i, Random &) {
  std::vector<Instruction> &order = section.instructions;
  for (size_t j = i + 1; j < order.size(); ++j) {
    if (orderGivesMeaning(plan, order[i], order[j]))
      return false;
    if (order[j].lane == order[i].lane) {
      for (size_t between = i + 1; between < j; ++between)
        if (orderGivesMeaning(plan, order[between], order[j]))
          return false;
      std::swap(order[i], order[j]);
      return true;
    }
  }
  return false;
}

bool moveEarlier(Plan &plan, Section &section, size_t i, Random &random) {
  std::vector<Instruction> &order = section.instructions;
  size_t most = 0;
  while (most < i && !orderGivesMeaning(plan, order[i - most - 1], order[i]))
    ++most;
  if (most == 0)
    return false;
  auto from = order.begin() + static_cast<long>(i);
  std::rotate(from - static_cast<long>(1 + random() % most), from, from + 1);
  return true;
}

bool wrongPiece(Plan &, Section &section, size_t i, Random &random) {
  std::vector<int64_t> &pieces = section.instructions[i].pieceBytes;
  if (pieces.empty())
    return false;
  pieces[random() % pieces.size()] += random() % 2 ? 64 : -64;
  return true;
}

/// Gives a collective some other axes of the mesh.
bool wrongAxes(Plan &plan, Section &section, size_t i, Random &random) {
  Instruction &instruction = section.instructions[i];
  if (instruction.pieceBytes.empty() || plan.mesh.size() < 2)
    return false;
  const std::vector<int64_t> right = instruction.axes;
  while (instruction.axes == right) {
    instruction.axes.clear();
    for (size_t axis = 0; axis < plan.mesh.size(); ++axis)
      if (random() % 2)
        instruction.axes.push_back(static_cast<int64_t>(axis));
  }
  return true;
}

bool forgetBetweenSections(Plan &plan, Section &section, size_t i, Random &random) {
  Buffer &buffer = plan.programs[0].buffers[drawBuffer(section.instructions[i], random)];
  return std::exchange(buffer.persistent, false);
}

/// Gives a buffer with an owner to another rank, or to all ranks.
bool wrongOwner(Plan &plan, Section &section, size_t i, Random &random) {
  Buffer &buffer = plan.programs[0].buffers[drawBuffer(section.instructions[i], random)];
  int64_t owner = static_cast<int64_t>(random() % static_cast<uint64_t>(plan.ranks() + 1)) - 1;
  return buffer.owner != kEveryRank && std::exchange(buffer.owner, owner) != owner;
}

/// Whether an instruction writes over the zeros of padding, which a launch without reads wrote before.
bool writesOverPadding(const Plan &plan, const Section &section, size_t i) {
  auto writesInto = [&](const Instruction &one, const Operand &there) {
    for (size_t o = 0; o < one.operands.size(); ++o)
      if (const Operand &here = one.operands[o];
          writes(accessOf(plan, one, o)) && here.buffer == there.buffer &&
          here.offset < there.offset + there.bytes && there.offset < here.offset + here.bytes)
        return true;
    return false;
  };
  return std::any_of(section.instructions.begin(), section.instructions.begin() + static_cast<long>(i),
                     [&](const Instruction &earlier) {
                       return earlier.op == Opcode::Launch && earlier.operands.size() == 1 &&
                              writesInto(section.instructions[i], earlier.operands[0]);
                     });
}

/// Drops an instruction. Waits for it become waits for the instruction before it on its lane. Does not drop
/// an instruction that changes something in place that is no state, or one that leaves zeros of padding in
/// its place, as the rest would be a sound plan of another sum.
bool dropInstruction(Plan &plan, Section &section, size_t i, Random &) {
  const Instruction dropped = section.instructions[i];
  for (const Operand &operand : dropped.operands)
    if (updates(plan, dropped, operand.buffer) && !plan.programs[0].buffers[operand.buffer].persistent &&
        plan.programs[0].buffers[operand.buffer].cls != BufferClass::Staging)
      return false;
  if (writesOverPadding(plan, section, i))
    return false;
  const uint32_t ordinal = laneOrdinals(section)[i];
  section.instructions.erase(section.instructions.begin() + static_cast<long>(i));
  for (Section &other : plan.programs[0].sections)
    for (size_t j = 0; j < other.instructions.size(); ++j)
      std::erase_if(other.instructions[j].waits, [&](Wait &wait) {
        if (wait.lane != dropped.lane)
          return false;
        for (auto &[before, count] : wait.previous)
          count -= &plan.programs[0].sections[before] == &section && count >= ordinal ? 1 : 0;
        if (&other != &section || wait.isPrevious() || j < i || wait.ordinal < ordinal)
          return false;
        return --wait.ordinal == 0;
      });
  return true;
}

/// Gives a launch other indices than those of its operands or its kernel.
bool wrongRange(Plan &, Section &section, size_t i, Random &random) {
  Instruction &launch = section.instructions[i];
  if (launch.op != Opcode::Launch)
    return false;
  if (random() % 3 == 0)
    ++launch.begin;
  else
    launch.end += random() % 2 ? 1 : -1;
  return true;
}

/// Gives a matmul other extents than those of its operands.
bool wrongExtents(Plan &plan, Section &section, size_t i, Random &random) {
  const Instruction &launch = section.instructions[i];
  if (launch.op != Opcode::Launch ||
      plan.kernels[static_cast<size_t>(launch.kernel)].kind != KernelKind::Matmul)
    return false;
  MatmulSpec &matmul = plan.kernels[static_cast<size_t>(launch.kernel)].matmul;
  int64_t *extents[] = {&matmul.m, &matmul.n, &matmul.k, &matmul.batch};
  *extents[random() % 4] += random() % 2 ? 1 : -1;
  return true;
}

State *drawState(Plan &plan, Random &random) {
  return plan.programs[0].states.empty()
             ? nullptr
             : &plan.programs[0].states[random() % plan.programs[0].states.size()];
}

/// Whether to draw a fault of a state at instruction `i`. Such faults belong to no instruction, so that some
/// instructions stand for draws.
bool isDraw(size_t i) { return i % 8 == 0; }

bool dropState(Plan &plan, Section &, size_t i, Random &random) {
  if (!isDraw(i) || !drawState(plan, random))
    return false;
  plan.programs[0].states.erase(plan.programs[0].states.begin() +
                                static_cast<long>(random() % plan.programs[0].states.size()));
  return true;
}

bool renameState(Plan &plan, Section &, size_t i, Random &random) {
  State *state = isDraw(i) ? drawState(plan, random) : nullptr;
  if (state)
    state->name += ".renamed";
  return state;
}

/// Gives a state another type with as many bytes, or half its length.
bool reshapeState(Plan &plan, Section &, size_t i, Random &random) {
  State *state = isDraw(i) ? drawState(plan, random) : nullptr;
  if (!state || state->shape.empty() || state->shape[0] < 2)
    return false;
  if (random() % 2) {
    state->shape[0] /= 2;
    return true;
  }
  state->type = bytesOf(state->type) == 2 ? ElementType::F32 : ElementType::BF16;
  state->pieceElements = state->home.bytes / bytesOf(state->type) /
                         (state->sharded ? 1 : plan.ranks() / (plan.mesh.size() > 1 ? plan.mesh[0].size : 1));
  return true;
}

/// Moves a gradient into the home of a state.
bool moveGradient(Plan &plan, Section &, size_t i, Random &random) {
  State *state = isDraw(i) ? drawState(plan, random) : nullptr;
  if (!state || plan.programs[0].gradients.empty())
    return false;
  plan.programs[0].gradients[random() % plan.programs[0].gradients.size()].home.buffer = state->home.buffer;
  return true;
}

/// Renames an item to one that the training loop does not know, or to another known one.
bool wrongItem(Plan &, Section &section, size_t i, Random &random) {
  std::string &item = section.instructions[i].item;
  if (item.empty())
    return false;
  item = section.instructions[i].op == Opcode::Report ? (item == "loss" ? "grad_norm" : "loss")
         : random() % 2                               ? "learning_rat"
                                                      : "loss";
  return true;
}

/// Changes the micro-batch of a feed or report to another one, or to one that does not exist.
bool wrongMicroBatch(Plan &, Section &section, size_t i, Random &random) {
  const std::string &item = section.instructions[i].item;
  if (item != "loss" && item != "features" && item != "tokens" && item != "labels")
    return false;
  section.instructions[i].microBatch += random() % 2 ? 1 : -1;
  return true;
}

/// Gives a buffer of all ranks to one rank.
bool takeOwner(Plan &plan, Section &section, size_t i, Random &random) {
  if (section.instructions[i].operands.empty() || plan.ranks() == 1)
    return false;
  Buffer &buffer = plan.programs[0].buffers[drawBuffer(section.instructions[i], random)];
  if (buffer.owner != kEveryRank || buffer.persistent)
    return false;
  buffer.owner = static_cast<int64_t>(random() % static_cast<uint64_t>(plan.ranks()));
  return true;
}

} // namespace

std::span<const FaultKind> faultKinds() {
  static constexpr FaultKind kinds[] = {
      {"dropped wait", dropWait},
      {"wait for an earlier ordinal", waitEarlier},
      {"wait for a later ordinal", waitLater},
      {"wait for another lane", waitForAnotherLane},
      {"wrong count of the previous section", wrongPreviousCount},
      {"previous section not named", missingPreviousSection},
      {"swapped buffer offsets", swapBufferOffsets},
      {"memory reused too early", moveBuffer},
      {"shortened buffer", shortenBuffer},
      {"shortened operand", shortenOperand},
      {"reordered on its lane", swapOnLane},
      {"moved earlier", moveEarlier},
      {"wrong piece", wrongPiece},
      {"wrong axes", wrongAxes},
      {"forgotten between sections", forgetBetweenSections},
      {"wrong owner", wrongOwner},
      {"dropped instruction", dropInstruction},
      {"wrong range", wrongRange},
      {"wrong extents", wrongExtents},
      {"dropped state", dropState},
      {"renamed state", renameState},
      {"reshaped state", reshapeState},
      {"gradient in a state's home", moveGradient},
      {"wrong item", wrongItem},
      {"wrong micro-batch", wrongMicroBatch},
      {"owner of everybody's buffer", takeOwner},
  };
  return kinds;
}

} // namespace windlass::test
