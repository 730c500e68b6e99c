// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/text/InstructionName.h"
#include "runtime/plan/Enums.h"

namespace windlass::plan {

std::string nameOf(const Instruction &instruction, uint32_t ordinal) {
  const Origin &origin = instruction.origin;
  std::string name = std::string(textOf(instruction.lane)) + " " + std::to_string(ordinal) + " (";
  // A launch is known by what it computes, a transfer by what it does to what.
  bool launches = instruction.op == Opcode::Launch;
  if (!launches || origin.what.empty())
    name += textOf(instruction.op);
  if (!origin.what.empty())
    name += (launches ? "" : " ") + origin.what;
  if (!origin.function.empty())
    name += ", " + origin.function;
  return name + ", " + std::string(textOf(origin.phase)) + ")";
}

} // namespace windlass::plan
