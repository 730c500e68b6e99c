// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/InstructionTable.h"

#include <algorithm>

namespace windlass::plan {

const InstructionRow &rowOf(Opcode op) {
  static constexpr InstructionRow rows[] = {
#define WINDLASS_INSTRUCTION(Id, Text, Lanes, Operands, Doc) {Text, Lanes, Operands, Doc},
#include "runtime/plan/Instructions.def"
  };
  return rows[static_cast<size_t>(op)];
}

OperandCount operandCount(Opcode op) {
  std::string_view spec = rowOf(op).operands;
  size_t pairs = 1 + static_cast<size_t>(std::count(spec.begin(), spec.end(), ' '));
  return {pairs, spec.ends_with('*')};
}

OperandRule operandRule(Opcode op, size_t operand) {
  // Each pair is two letters and a space; the last one stands for all that follow.
  std::string_view spec = rowOf(op).operands;
  std::string_view pair = spec.substr(3 * std::min(operand, operandCount(op).least - 1), 2);
  Access access = pair[0] == 'r' ? Access::Read : Access::Write;
  Tier tier = pair[1] == 'd' ? Tier::Device : pair[1] == 'h' ? Tier::Host : Tier::Nvme;
  return {access, tier};
}

} // namespace windlass::plan
