// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- InstructionTable.h - what Instructions.def says of an opcode ==========//
//
// Duty: the rows of Instructions.def, ready to ask: which lanes, which access
// and tier each operand has.
// Threads: pure functions over constant tables.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Enums.h"
#include <string_view>

namespace windlass::plan {

/// A set of lanes, written Lane::A | Lane::B.
class LaneSet {
public:
  constexpr LaneSet(Lane lane) : bits(1u << static_cast<unsigned>(lane)) {}
  constexpr bool holds(Lane lane) const { return bits >> static_cast<unsigned>(lane) & 1; }
  friend constexpr LaneSet operator|(LaneSet a, LaneSet b) {
    a.bits |= b.bits;
    return a;
  }

private:
  unsigned bits;
};
constexpr LaneSet operator|(Lane a, Lane b) { return LaneSet(a) | LaneSet(b); }

struct InstructionRow {
  std::string_view text;
  LaneSet lanes;
  std::string_view operands; ///< "rd wd*", or "kernel"
  std::string_view doc;
};

const InstructionRow &rowOf(Opcode op);

/// True for those that all ranks execute together: a shard first, then whole tensors.
constexpr bool isCollective(Opcode op) {
  return op == Opcode::AllGather || op == Opcode::ReduceScatter || op == Opcode::Broadcast ||
         op == Opcode::Reduce;
}
/// True for what goes from one program to another.
constexpr bool isMessage(Opcode op) { return op == Opcode::Send || op == Opcode::Recv; }
/// True for collectives whose shard is that of one rank, its owner.
constexpr bool hasRoot(Opcode op) { return op == Opcode::Broadcast || op == Opcode::Reduce; }

/// Access and tier that a row asks of one operand.
struct OperandRule {
  Access access;
  Tier tier;
};

/// How many operands an instruction must have; `more` allows any number above.
struct OperandCount {
  size_t least = 0;
  bool more = false;
};

/// Both ask for a row that is not "kernel".
OperandCount operandCount(Opcode op);
OperandRule operandRule(Opcode op, size_t operand);

} // namespace windlass::plan
