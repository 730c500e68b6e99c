// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/AlikeLaunches.h"

#include "runtime/base/StepItems.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/check/RangeMap.h"
#include <algorithm>
#include <set>
#include <string>
#include <tuple>

namespace windlass::model {
namespace {

using plan::Instruction;
using plan::Opcode;
using plan::Operand;

/// The axes of the mesh whose ranks share out operations.
std::vector<size_t> tensorAxes(const plan::Plan &plan) {
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < plan.mesh.size(); ++axis)
    if (plan.mesh[axis].kind == plan::AxisKind::Tensor && plan.mesh[axis].size > 1)
      axes.push_back(axis);
  return axes;
}

/// Messages that bring other values to each rank of a group: by sender, receiver and name.
using DifferingMessages = std::set<std::tuple<int64_t, int64_t, std::string>>;

/// Follows the values of one program through a step. Of a byte it knows whether the ranks of a group differ
/// in it.
class Walk {
public:
  Walk(const plan::Plan &plan, size_t number, DifferingMessages &messages)
      : plan(plan), program(plan.programs[number]), number(static_cast<int64_t>(number)),
        axes(tensorAxes(plan)), messages(messages), differs(program.buffers.size()) {
    for (const plan::State &state : program.states)
      if (!state.split.whole.empty())
        leave(state.home, true);
  }

  /// Executes all that the step runs twice, since what is left by one run of a section is read by the next.
  void run(std::vector<std::vector<bool>> &alike) {
    for (int again = 0; again < 2; ++again)
      for (const auto &[section, times] : program.train)
        for (int64_t run = 0; run < std::min<int64_t>(2, times); ++run)
          execute(program.sections[section], alike[section]);
  }

private:
  void execute(const plan::Section &section, std::vector<bool> &alike) {
    alike.resize(section.instructions.size());
    for (size_t i = 0; i < section.instructions.size(); ++i)
      alike[i] = !execute(section.instructions[i]);
  }

  /// Whether the ranks of a group do not leave the same values.
  bool execute(const Instruction &instruction) {
    bool differing = isMadeDiffering(instruction);
    if (!isMadeAlike(instruction))
      for (size_t i = 0; i < instruction.operands.size(); ++i)
        if (plan::reads(plan::accessOf(plan, instruction, i)))
          differing |= isDiffering(instruction.operands[i]);
    if (instruction.op == Opcode::Send && differing)
      messages.emplace(number, instruction.peer, instruction.item);
    for (size_t i = 0; i < instruction.operands.size(); ++i)
      if (plan::writes(plan::accessOf(plan, instruction, i)))
        leave(instruction.operands[i], differing);
    return differing;
  }

  /// A gather over these ranks brings all of them the same.
  bool isMadeAlike(const Instruction &instruction) const {
    return (instruction.op == Opcode::AllGather || instruction.op == Opcode::Broadcast) &&
           runsOverRanks(instruction);
  }

  /// Whether the ranks differ in it whatever it reads: each has a coordinate, or its part of a sum.
  bool isMadeDiffering(const Instruction &instruction) const {
    return (instruction.op == Opcode::Feed && instruction.item == kTensorCoordinate) ||
           (instruction.op == Opcode::Recv &&
            messages.contains({instruction.peer, number, instruction.item})) ||
           ((instruction.op == Opcode::ReduceScatter || instruction.op == Opcode::Reduce) &&
            runsOverRanks(instruction));
  }

  bool runsOverRanks(const Instruction &collective) const {
    return std::ranges::any_of(axes, [&](size_t axis) { return plan::runsOver(collective.axes, axis); });
  }

  bool isInPlacesOfTheirOwn(const Operand &operand) const {
    return std::ranges::any_of(
        axes, [&](size_t axis) { return axis < operand.stride.size() && operand.stride[axis] != 0; });
  }

  bool isDiffering(const Operand &operand) {
    bool any = isInPlacesOfTheirOwn(operand);
    differs[operand.buffer].visit(operand.offset, operand.offset + operand.bytes,
                                  [&](int64_t, int64_t, bool differing) { any |= differing; });
    return any;
  }

  void leave(const Operand &operand, bool differing) {
    if (operand.bytes > 0)
      differs[operand.buffer].replace(operand.offset, operand.offset + operand.bytes,
                                      differing || isInPlacesOfTheirOwn(operand));
  }

  const plan::Plan &plan;
  const plan::Program &program;
  int64_t number;
  std::vector<size_t> axes;
  DifferingMessages &messages;
  std::vector<plan::RangeMap<bool>> differs; ///< by buffer, whose slots are alike
};

} // namespace

AlikeLaunches::AlikeLaunches(const plan::Plan &plan) {
  for (size_t axis : tensorAxes(plan))
    ranks *= plan.mesh[axis].size;
  if (ranks == 1)
    return;
  for (const plan::Program &program : plan.programs)
    alike.emplace_back(program.sections.size());
  DifferingMessages messages;
  size_t known = 0;
  do { // until no program learns of more messages
    known = messages.size();
    for (size_t program = 0; program < plan.programs.size(); ++program)
      Walk(plan, program, messages).run(alike[program]);
  } while (messages.size() != known);
}

} // namespace windlass::model
