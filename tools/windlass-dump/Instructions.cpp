// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dump.h"
#include "ProgramTitle.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/text/InstructionName.h"

namespace windlass::dump {
namespace {

using namespace windlass::plan;

/// "r device[4096 +1024] w.full", on the program's first rank; a stride shows what the other ranks add.
std::string operandText(const Plan &plan, const Program &program, const Instruction &instruction, size_t i) {
  const Operand &operand = instruction.operands[i];
  std::string text = std::string(textOf(accessOf(plan, instruction, i))) + " " +
                     std::string(textOf(tierOf(program, operand))) + "[" +
                     std::to_string(arenaOffset(plan, program, operand, program.firstRank)) + " +" +
                     std::to_string(operand.bytes);
  for (size_t axis = 0; axis < operand.stride.size(); ++axis)
    text += ", +" + std::to_string(operand.stride[axis]) + " per " + plan.mesh[axis].name;
  const Buffer &buffer = program.buffers[operand.buffer];
  return text + "] " + buffer.name +
         (buffer.owner == kEveryRank ? "" : " (" + nameOfOwner(plan, buffer.owner) + " alone)");
}

std::string detailText(const Plan &plan, const Instruction &instruction) {
  if (instruction.op == Opcode::Launch) {
    const Kernel &kernel = plan.kernels[static_cast<size_t>(instruction.kernel)];
    return " @" + kernel.symbol + " [" + std::to_string(instruction.begin) + ", " +
           std::to_string(instruction.end) + ")";
  }
  if (isMessage(instruction.op))
    return std::string(instruction.op == Opcode::Send ? " to" : " from") + " program " +
           std::to_string(instruction.peer) + " \"" + instruction.item + "\"";
  if (!instruction.axes.empty())
    return " over " + nameOfAxes(plan, instruction.axes);
  return instruction.item.empty() ? "" : " \"" + instruction.item + "\"";
}

} // namespace

std::string waitText(const Program &program, const Wait &wait) {
  std::string text = std::string(textOf(wait.lane)) + " ";
  if (!wait.isPrevious())
    return text + std::to_string(wait.ordinal);
  text += "of the previous section";
  for (const auto &[section, count] : wait.previous)
    text += ", " + program.sections[section].name + " " + std::to_string(count);
  return text;
}

namespace {

void addProgram(std::string &text, const Plan &plan, const Program &program) {
  for (const Section &section : program.sections) {
    text += "section " + section.name + "\n";
    std::vector<uint32_t> ordinals = laneOrdinals(section);
    for (size_t i = 0; i < section.instructions.size(); ++i) {
      const Instruction &instruction = section.instructions[i];
      text += "  " + nameOf(instruction, ordinals[i]) + detailText(plan, instruction) + "\n";
      for (size_t o = 0; o < instruction.operands.size(); ++o)
        text += "      " + operandText(plan, program, instruction, o) + "\n";
      for (const Wait &wait : instruction.waits)
        text += "      after " + waitText(program, wait) + "\n";
    }
  }
}

} // namespace

std::string instructions(const plan::Plan &plan) {
  std::string text;
  for (size_t number = 0; number < plan.programs.size(); ++number) {
    text += programTitle(plan, number);
    addProgram(text, plan, plan.programs[number]);
  }
  return text;
}

} // namespace windlass::dump
