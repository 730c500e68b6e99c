#include "runtime/plan/CheckReplicas.h"
#include "runtime/plan/CheckStructure.h"
#include "runtime/plan/InstructionName.h"
#include "runtime/plan/InstructionTable.h"

#include <algorithm>

namespace windlass::plan {
namespace {

/// What ranks hold that differ in one axis alone. Of several values the last of these counts.
enum class Held : uint8_t { Same, Pieces, Own };

std::string_view wordsOf(Held held) {
  return held == Held::Same ? "alike" : held == Held::Pieces ? "cut into pieces" : "of each rank's own";
}

using Spread = std::vector<Held>; ///< per axis

class Replicas {
public:
  Replicas(const Plan &plan, const Timeline &timeline, Findings &findings)
      : plan(plan), timeline(timeline), findings(findings),
        buffers(plan.buffers.size(), Spread(plan.mesh.size(), Held::Same)) {}

  void run() {
    for (const State &state : plan.states)
      buffers[state.home.buffer] = spreadOf(state);
    for (const Event &event : timeline.events())
      execute(event);
    for (const std::vector<State> *states : {&plan.states, &plan.gradients})
      for (const State &state : *states)
        checkHome(state);
  }

private:
  /// Along the axes it is cut over a rank has its piece; along the others all have the same.
  Spread spreadOf(const State &state) const {
    Spread spread(plan.mesh.size(), Held::Same);
    for (size_t axis = 0; axis < spread.size(); ++axis)
      if (state.sharded && runsOver(state.axes, axis))
        spread[axis] = Held::Pieces;
    return spread;
  }

  void execute(const Event &event) {
    const Instruction &instruction = event.get();
    Spread spread = readBy(instruction);
    if (isCollective(instruction.op))
      exchange(event, spread);
    for (size_t i = 0; i < instruction.operands.size(); ++i)
      if (writes(accessOf(plan, instruction, i)))
        leave(instruction.operands[i], spread);
  }

  Spread readBy(const Instruction &instruction) const {
    Spread spread(plan.mesh.size(), Held::Same);
    if (instruction.op == Opcode::Feed && isBatch(instruction.item))
      spread.assign(spread.size(), Held::Own);
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const Operand &operand = instruction.operands[i];
      if (reads(accessOf(plan, instruction, i)))
        join(spread, buffers[operand.buffer]);
      for (size_t axis = 0; axis < operand.stride.size(); ++axis) // ranks read different parts
        if (operand.stride[axis] != 0)
          spread[axis] = std::max(spread[axis], Held::Pieces);
    }
    return spread;
  }

  bool isBatch(const std::string &item) const {
    return std::any_of(plan.inputs.begin(), plan.inputs.end(),
                       [&](const Input &input) { return input.name == item; });
  }

  /// What becomes of the axes that a collective runs over.
  void exchange(const Event &event, Spread &spread) {
    const Instruction &collective = event.get();
    const bool gathers = collective.op == Opcode::AllGather,
               scatters = collective.op == Opcode::ReduceScatter;
    for (size_t axis = 0; axis < spread.size(); ++axis) {
      if (!runsOver(collective.axes, axis))
        continue;
      if (gathers && spread[axis] != Held::Pieces)
        fault(event, "gathers over", axis, spread[axis]);
      if (scatters && spread[axis] == Held::Pieces)
        fault(event, "sums over", axis, spread[axis]);
      spread[axis] = scatters ? Held::Pieces : collective.op == Opcode::Reduce ? Held::Own : Held::Same;
    }
  }

  /// Whoever writes a buffer but for its padding leaves nothing of what it held.
  void leave(const Operand &operand, const Spread &spread) {
    const bool covers =
        operand.offset == 0 && operand.bytes > plan.buffers[operand.buffer].bytes - kNvmeAlignment;
    Spread &held = buffers[operand.buffer];
    if (covers)
      held = spread;
    else
      join(held, spread);
  }

  void checkHome(const State &state) {
    const Spread wanted = spreadOf(state);
    const Spread &found = buffers[state.home.buffer];
    for (size_t axis = 0; axis < wanted.size(); ++axis)
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

  static bool runsOver(const std::vector<int64_t> &axes, size_t axis) {
    return axes.empty() || std::find(axes.begin(), axes.end(), static_cast<int64_t>(axis)) != axes.end();
  }

  static void join(Spread &into, const Spread &more) {
    for (size_t axis = 0; axis < into.size(); ++axis)
      into[axis] = std::max(into[axis], more[axis]);
  }

  const Plan &plan;
  const Timeline &timeline;
  Findings &findings;
  std::vector<Spread> buffers;
};

} // namespace

void checkReplicas(const Plan &plan, const Timeline &timeline, Findings &findings) {
  if (plan.mesh.size() > 1)
    Replicas(plan, timeline, findings).run();
}

} // namespace windlass::plan
