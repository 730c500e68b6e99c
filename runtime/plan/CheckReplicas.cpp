#include "runtime/plan/CheckReplicas.h"
#include "runtime/base/StepItems.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionName.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/RangeMap.h"
#include "runtime/plan/Schema.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace windlass::plan {
namespace {

/// What ranks hold that differ in one axis alone; as DTensor's placements, but that a batch and the sums over
/// it are each rank's own. Of several values the last of these counts.
enum class Held : uint8_t { Replicated, Sharded, Own };

std::string_view wordsOf(Held held) {
  return held == Held::Replicated ? "replicated" : held == Held::Sharded ? "sharded" : "of each rank's own";
}

using Spread = std::array<Held, kMostAxes>; ///< per axis

void join(Spread &into, const Spread &more) {
  for (size_t axis = 0; axis < into.size(); ++axis)
    into[axis] = std::max(into[axis], more[axis]);
}

class Replicas {
public:
  Replicas(const Plan &plan, const Timeline &timeline, Findings &findings)
      : plan(plan), timeline(timeline), findings(findings), buffers(plan.buffers.size()) {}

  void run() {
    for (const State &state : plan.states)
      leave(state.home, spreadOf(state));
    for (const Event &event : timeline.events())
      execute(event);
    for (const std::vector<State> *states : {&plan.states, &plan.gradients})
      for (const State &state : *states)
        checkHome(state);
  }

private:
  /// Along the axes it is cut over a rank has its piece; along the others all have the same.
  Spread spreadOf(const State &state) const {
    Spread spread{};
    for (size_t axis = 0; axis < plan.mesh.size(); ++axis)
      if (state.sharded && runsOver(state.axes, axis))
        spread[axis] = Held::Sharded;
    return spread;
  }

  void execute(const Event &event) {
    const Instruction &instruction = event.get();
    if (isCopy(instruction))
      return copy(instruction.operands[0], instruction.operands[1]);
    const std::vector<Operand> operands = operandsOf(instruction);
    Spread spread = readBy(instruction, operands);
    if (isCollective(instruction.op))
      exchange(event, spread);
    if (instruction.op == Opcode::ReduceScatter)
      leave(instruction.operands[0], Spread{}); // zeros, and over them pieces
    for (size_t i = 0; i < operands.size(); ++i)
      if (writes(accessOf(plan, instruction, i)))
        leave(operands[i], spread);
  }

  /// Of a collective's shard only the pieces: padding goes nowhere.
  static std::vector<Operand> operandsOf(const Instruction &instruction) {
    std::vector<Operand> operands = instruction.operands;
    if (isCollective(instruction.op))
      operands[0].bytes =
          std::accumulate(instruction.pieceBytes.begin(), instruction.pieceBytes.end(), int64_t{0});
    return operands;
  }

  Spread readBy(const Instruction &instruction, const std::vector<Operand> &operands) {
    Spread spread{};
    if (instruction.op == Opcode::Feed && isOfRank(instruction.item))
      spread.fill(Held::Own);
    for (size_t i = 0; i < operands.size(); ++i) {
      const Operand &operand = operands[i];
      if (reads(accessOf(plan, instruction, i)))
        join(spread, heldIn(operand));
      for (size_t axis = 0; axis < operand.stride.size(); ++axis) // ranks read different parts
        if (operand.stride[axis] != 0)
          spread[axis] = std::max(spread[axis], Held::Sharded);
    }
    return spread;
  }

  /// A rank's batch, and which rows of the whole batch it is.
  bool isOfRank(const std::string &item) const {
    return item == kRowBlock || std::ranges::find(plan.inputs, item, &Input::name) != plan.inputs.end();
  }

  /// What becomes of the axes that a collective runs over. Where a mesh has several, none has an owner.
  void exchange(const Event &event, Spread &spread) {
    const Instruction &collective = event.get();
    const bool gathers = collective.op == Opcode::AllGather,
               scatters = collective.op == Opcode::ReduceScatter;
    for (size_t axis = 0; axis < plan.mesh.size(); ++axis) {
      if (!runsOver(collective.axes, axis))
        continue;
      if (gathers && spread[axis] != Held::Sharded)
        fault(event, "gathers over", axis, spread[axis]);
      if (scatters && spread[axis] == Held::Sharded)
        fault(event, "sums over", axis, spread[axis]);
      spread[axis] = scatters ? Held::Sharded : Held::Replicated;
    }
  }

  struct Range {
    int64_t begin, end;
  };
  /// What the ranks together touch of a buffer.
  Range rangeOf(const Operand &operand) const {
    return {operand.offset, bufferOffset(plan, operand, plan.ranks() - 1) + operand.bytes};
  }

  /// Whether it moves bytes as they are: the same ones on all ranks.
  bool isCopy(const Instruction &instruction) const {
    const Opcode op = instruction.op;
    return (op == Opcode::Upload || op == Opcode::Offload || op == Opcode::Read || op == Opcode::Write) &&
           !dependsOnRank(plan, instruction.operands[0]) && !dependsOnRank(plan, instruction.operands[1]);
  }

  void copy(const Operand &from, const Operand &to) {
    const auto [begin, end] = rangeOf(from);
    const int64_t away = to.offset - from.offset;
    buffers[from.buffer].visit(begin, end, [&](int64_t first, int64_t behind, const Spread &held) {
      buffers[to.buffer].replace(first + away, behind + away, held);
    });
  }

  Spread heldIn(const Operand &operand) {
    Spread all{};
    const auto [begin, end] = rangeOf(operand);
    buffers[operand.buffer].visit(begin, end, [&](int64_t, int64_t, Spread &held) { join(all, held); });
    return all;
  }

  /// What is written in the same place on all ranks replaces what was there; else some of it stays on each.
  void leave(const Operand &operand, const Spread &spread) {
    RangeMap<Spread> &buffer = buffers[operand.buffer];
    const auto [begin, end] = rangeOf(operand);
    if (dependsOnRank(plan, operand))
      buffer.visit(begin, end, [&](int64_t, int64_t, Spread &held) { join(held, spread); });
    else
      buffer.replace(begin, end, spread);
  }

  void checkHome(const State &state) {
    const Spread wanted = spreadOf(state), found = heldIn(state.home);
    for (size_t axis = 0; axis < plan.mesh.size(); ++axis)
      if (found[axis] > wanted[axis])
        findings.add("the home of state \"" + state.name + "\" (" + std::string(textOf(state.cls)) +
                     ") must be " + std::string(wordsOf(wanted[axis])) + " along axis \"" +
                     plan.mesh[axis].name + "\", but is " + std::string(wordsOf(found[axis])) +
                     " when a step ends");
  }

  void fault(const Event &event, const char *does, size_t axis, Held held) {
    findings.add(nameOf(event.get(), event.ordinal) + " in section " +
                 std::string(textOf(event.section->kind)) + " " + does + " axis \"" + plan.mesh[axis].name +
                 "\" what is " + std::string(wordsOf(held)) + " along it");
  }

  const Plan &plan;
  const Timeline &timeline;
  Findings &findings;
  std::vector<RangeMap<Spread>> buffers; ///< bytes that nobody wrote are replicated: padding is zero
};

} // namespace

void checkReplicas(const Plan &plan, const Timeline &timeline, Findings &findings) {
  if (plan.mesh.size() > 1)
    Replicas(plan, timeline, findings).run();
}

} // namespace windlass::plan
