// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/check/CheckReplicas.h"
#include "runtime/base/StepItems.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/check/RangeMap.h"
#include "runtime/plan/file/Schema.h"
#include "runtime/plan/text/InstructionName.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

namespace windlass::plan {
namespace {

/// What ranks hold that differ in one axis alone; as DTensor's placements, but that a batch and the sums over
/// it are each rank's own. Of several values the last of these counts.
enum class Held : uint8_t { Replicated, Sharded, Own };

std::string_view wordsOf(Held held) {
  return held == Held::Replicated ? "replicated" : held == Held::Sharded ? "sharded" : "of each rank's own";
}

using Cut = std::vector<int64_t>; ///< axes, coarsest first

/// Whether one cut is the other, or is cut further.
bool begins(const Cut &coarse, const Cut &fine) {
  return coarse.size() <= fine.size() && std::equal(coarse.begin(), coarse.end(), fine.begin());
}

Cut without(Cut cut, const Cut &axes) {
  std::erase_if(cut, [&](int64_t axis) { return std::ranges::find(axes, axis) != axes.end(); });
  return cut;
}

/// What ranks hold.
struct Spread {
  std::array<Held, kMostAxes> along{}; ///< by axis
  Cut cut = {}; ///< the sharded axes: what is cut over the first is cut over the second, and so on

  Held &operator[](int64_t axis) { return along[static_cast<size_t>(axis)]; }
};

/// What is made of both: along each axis the worse, cut as the one that is cut further.
void join(Spread &into, const Spread &more) {
  for (size_t axis = 0; axis < kMostAxes; ++axis)
    into.along[axis] = std::max(into.along[axis], more.along[axis]);
  if (into.cut.size() < more.cut.size())
    into.cut = more.cut;
  std::erase_if(into.cut, [&](int64_t axis) { return into[axis] != Held::Sharded; });
}

/// What a message brings: by sender, receiver and name, the same in every micro-batch.
using Messages = std::map<std::tuple<int64_t, int64_t, std::string>, Spread>;

class Replicas {
public:
  Replicas(const Plan &plan, const Timeline &timeline, Messages &messages, Findings &findings)
      : plan(plan), program(timeline.program()), timeline(timeline), messages(messages), findings(findings),
        buffers(program.buffers.size()) {
    for (const State &state : program.states)
      visit(state.home, [&](Spread &held) { join(held, spreadOf(state)); });
  }

  /// Goes on up to a message that nobody has sent yet. False: it stands where it stood.
  bool proceed() {
    const size_t before = next;
    for (; next < timeline.events().size(); ++next) {
      const Event &event = timeline.events()[next];
      if (event.get().op == Opcode::Recv && !messages.contains(messageOf(event.get())))
        break;
      execute(event);
    }
    return next > before;
  }

  /// Of a program that has gone through all.
  void conclude() {
    for (const std::vector<State> *states : {&program.states, &program.gradients})
      for (const State &state : *states)
        checkHome(state);
    findings.look(std::ssize(timeline.events()));
    for (const RangeMap<Spread> &buffer : buffers)
      findings.look(buffer.visited());
  }

private:
  std::tuple<int64_t, int64_t, std::string> messageOf(const Instruction &message) const {
    const int64_t mine = &program - plan.programs.data();
    return message.op == Opcode::Send ? std::tuple(mine, message.peer, message.item)
                                      : std::tuple(message.peer, mine, message.item);
  }

  /// All that is sent under one name is spread alike, so that the first says it of all.
  void send(const Event &event, const Spread &spread) {
    auto [known, fresh] = messages.try_emplace(messageOf(event.get()), spread);
    if (!fresh && (known->second.along != spread.along || known->second.cut != spread.cut))
      findings.add(where(event) + " sends what is spread over ranks otherwise than it was before");
  }

  /// Along the axes it is cut over a rank has its piece; along that of a split each has a part of its own;
  /// along the others all have the same.
  Spread spreadOf(const State &state) const {
    Spread spread;
    if (!state.split.whole.empty())
      spread[state.split.axis] = Held::Own;
    if (state.sharded)
      spread.cut = axesOf(state.axes);
    for (int64_t axis : spread.cut)
      spread[axis] = Held::Sharded;
    return spread;
  }

  void execute(const Event &event) {
    const Instruction &instruction = event.get();
    microBatch = event.microBatch;
    if (isCopy(instruction))
      return copy(instruction.operands[0], instruction.operands[1]);
    const std::vector<Operand> operands = operandsOf(instruction);
    Spread spread = readBy(event, operands);
    if (instruction.op == Opcode::Launch)
      makeOwn(spread);
    if (hasRoot(instruction.op))
      exchangeWithOwner(event, spread);
    else if (isCollective(instruction.op))
      exchange(event, spread);
    else if (runsAlone(instruction))
      forEachDataAxis([&](int64_t axis) { spread[axis] = Held::Own; }); // on other ranks stays what was there
    if (instruction.op == Opcode::Send)
      send(event, spread);
    if (instruction.op == Opcode::ReduceScatter)
      leave(event, instruction.operands[0], Spread{}); // zeros, and over them pieces
    for (size_t i = 0; i < operands.size(); ++i)
      if (writes(accessOf(plan, instruction, i)))
        leave(event, operands[i], spread);
  }

  /// Of a collective's shard only the pieces: padding goes nowhere.
  static std::vector<Operand> operandsOf(const Instruction &instruction) {
    std::vector<Operand> operands = instruction.operands;
    if (isCollective(instruction.op))
      operands[0].bytes =
          std::accumulate(instruction.pieceBytes.begin(), instruction.pieceBytes.end(), int64_t{0});
    return operands;
  }

  /// What is computed of parts that ranks have which share out operations is each rank's own: a part of a
  /// result, or its term of a sum.
  void makeOwn(Spread &spread) const {
    for (size_t axis = 0; axis < plan.mesh.size(); ++axis)
      if (plan.mesh[axis].kind == AxisKind::Tensor && spread.along[axis] == Held::Sharded)
        spread.along[axis] = Held::Own;
    std::erase_if(spread.cut, [&](int64_t axis) { return spread[axis] != Held::Sharded; });
  }

  Spread readBy(const Event &event, const std::vector<Operand> &operands) {
    const Instruction &instruction = event.get();
    Spread spread;
    if (instruction.op == Opcode::Recv)
      spread = messages.at(messageOf(instruction));
    if (instruction.op == Opcode::Feed)
      spread = fed(instruction.item);
    for (size_t i = 0; i < operands.size(); ++i) {
      Spread mine;
      if (reads(accessOf(plan, instruction, i)))
        visit(operands[i], [&](const Spread &held) { meet(event, mine, held); });
      cutByStrides(operands[i], mine);
      if (instruction.op == Opcode::Launch && !runsAlone(instruction))
        keepApart(event, spread, mine);
      meet(event, spread, mine);
    }
    return spread;
  }

  /// A sum over data ranks leaves shards of gradients, which meet shards of states. Nothing is computed of
  /// one and of a rank's own batch: the sum was to be over ranks that share out operations.
  void keepApart(const Event &event, const Spread &one, const Spread &other) {
    for (size_t axis = 0; axis < plan.mesh.size(); ++axis)
      if (plan.mesh[axis].kind == AxisKind::Data &&
          std::max(one.along[axis], other.along[axis]) == Held::Own &&
          std::min(one.along[axis], other.along[axis]) == Held::Sharded)
        findings.add(where(event) + " computes of a shard over axis \"" + plan.mesh[axis].name +
                     "\" and of what is of each rank's own along it");
  }

  /// Ranks whose strides differ touch different parts: the longer the stride, the coarser the cut.
  void cutByStrides(const Operand &operand, Spread &spread) const {
    Cut strided;
    for (size_t axis = 0; axis < operand.stride.size(); ++axis)
      if (operand.stride[axis] != 0 && plan.mesh[axis].size > 1 && spread.along[axis] == Held::Replicated) {
        spread.along[axis] = Held::Sharded;
        strided.push_back(static_cast<int64_t>(axis));
      }
    std::ranges::stable_sort(strided, std::greater(),
                             [&](int64_t axis) { return operand.stride[static_cast<size_t>(axis)]; });
    spread.cut.insert(spread.cut.end(), strided.begin(), strided.end());
  }

  /// A batch is a data rank's own, and those that share out its operations have the same; a coordinate tells
  /// these apart.
  Spread fed(const std::string &item) const {
    Spread spread;
    const bool isBatch = isOfRank(item), isCoordinate = item == kTensorCoordinate;
    for (size_t axis = 0; axis < plan.mesh.size(); ++axis)
      if (plan.mesh[axis].size > 1 && (plan.mesh[axis].kind == AxisKind::Tensor ? isCoordinate : isBatch))
        spread.along[axis] = Held::Own;
    return spread;
  }

  /// A rank's batch, and which rows of the whole batch it is.
  bool isOfRank(const std::string &item) const {
    return item == kRowBlock || std::ranges::find(plan.inputs, item, &Input::name) != plan.inputs.end();
  }

  /// Whether one rank alone executes it: the owner of something that it touches.
  bool runsAlone(const Instruction &instruction) const {
    return std::ranges::any_of(instruction.operands,
                               [&](const Operand &operand) { return isOwned(operand); });
  }
  bool isOwned(const Operand &operand) const { return program.buffers[operand.buffer].owner != kEveryRank; }

  /// What goes to an owner, or comes from it, is one value along the axes of data.
  void exchangeWithOwner(const Event &event, Spread &spread) {
    forEachDataAxis([&](int64_t axis) {
      if (event.get().op == Opcode::Reduce && spread[axis] == Held::Sharded)
        fault(event, "sums over", axis, spread[axis]);
    });
    keepOne(spread);
  }

  template <typename Visit> void forEachDataAxis(Visit visit) const {
    for (size_t axis = 0; axis < plan.mesh.size(); ++axis)
      if (plan.mesh[axis].kind == AxisKind::Data)
        visit(static_cast<int64_t>(axis));
  }

  /// Of a value that there is once along the axes of data.
  void keepOne(Spread &spread) const {
    forEachDataAxis([&](int64_t axis) { spread[axis] = Held::Replicated; });
    std::erase_if(spread.cut, [&](int64_t axis) { return spread[axis] != Held::Sharded; });
  }

  /// What becomes of the axes that a collective runs over: a gather undoes the last cut, a reduce-scatter
  /// makes one more. Ranks that share out operations gather what each has of its own, all of it, and sum
  /// nothing that all of them have: it would count several times.
  void exchange(const Event &event, Spread &spread) {
    const Instruction &collective = event.get();
    const bool gathers = collective.op == Opcode::AllGather,
               scatters = collective.op == Opcode::ReduceScatter;
    const Cut axes = axesOf(collective.axes);
    for (int64_t axis : axes) {
      const bool sharesOperations = plan.mesh[static_cast<size_t>(axis)].kind == AxisKind::Tensor;
      const bool isOwnPart = sharesOperations && spread[axis] == Held::Own && spread.cut.empty();
      if (gathers && spread[axis] != Held::Sharded && !isOwnPart)
        fault(event, "gathers over", axis, spread[axis]);
      if (scatters &&
          (spread[axis] == Held::Sharded || (sharesOperations && spread[axis] == Held::Replicated)))
        fault(event, "sums over", axis, spread[axis]);
      spread[axis] = scatters ? Held::Sharded : Held::Replicated;
    }
    Cut coarse = without(spread.cut, axes), fine = coarse;
    fine.insert(fine.end(), axes.begin(), axes.end());
    if (gathers && spread.cut != fine && std::ranges::is_permutation(spread.cut, fine))
      findings.add(where(event) + " gathers over " + nameOfAxes(plan, axes) + " what is cut over " +
                   nameOfAxes(plan, spread.cut) + ", the last of them first");
    spread.cut = scatters ? fine : coarse;
  }

  struct Range {
    int64_t begin, end;
  };
  /// What the ranks together touch of a buffer.
  Range rangeOf(const Operand &operand) const {
    const int64_t slot = slotOffset(program, operand, microBatch);
    return {slot + operand.offset, slot + bufferOffset(plan, operand, program.lastRank()) + operand.bytes};
  }

  /// Calls visit(spread) for what is held in each part of it.
  template <typename Visit> void visit(const Operand &operand, Visit visit) {
    const auto [begin, end] = rangeOf(operand);
    buffers[operand.buffer].visit(begin, end, [&](int64_t, int64_t, Spread &held) { visit(held); });
  }

  /// Whether it moves bytes as they are: the same ones on all ranks.
  bool isCopy(const Instruction &instruction) const {
    const Opcode op = instruction.op;
    return (op == Opcode::Upload || op == Opcode::Offload || op == Opcode::Read || op == Opcode::Write) &&
           !runsAlone(instruction) && !dependsOnRank(plan, instruction.operands[0]) &&
           !dependsOnRank(plan, instruction.operands[1]);
  }

  void copy(const Operand &from, const Operand &to) {
    const auto [begin, end] = rangeOf(from);
    const int64_t away = rangeOf(to).begin - begin;
    buffers[from.buffer].visit(begin, end, [&](int64_t first, int64_t behind, const Spread &held) {
      buffers[to.buffer].replace(first + away, behind + away, held);
    });
  }

  /// What is written in the same place on all ranks replaces what was there. Where they write in places of
  /// their own, some of that stays on each, and all of them differ. An owner's buffer has no copy along data
  /// that could.
  void leave(const Event &event, const Operand &operand, Spread spread) {
    if (isOwned(operand))
      keepOne(spread);
    const auto [begin, end] = rangeOf(operand);
    if (!dependsOnRank(plan, operand))
      return buffers[operand.buffer].replace(begin, end, spread);
    for (size_t axis = 0; axis < operand.stride.size(); ++axis)
      if (operand.stride[axis] != 0)
        spread.along[axis] = Held::Own;
    visit(operand, [&](Spread &held) { meet(event, held, spread); });
  }

  void checkHome(const State &state) {
    const Spread wanted = spreadOf(state);
    Spread found;
    const Cut *other = nullptr;
    visit(state.home, [&](const Spread &held) {
      join(found, held);
      other = begins(held.cut, wanted.cut) ? other : &held.cut;
    });
    const std::string home =
        "the home of state \"" + state.name + "\" (" + std::string(textOf(state.cls)) + ") must be ";
    for (size_t axis = 0; axis < plan.mesh.size(); ++axis)
      if (plan.mesh[axis].kind != AxisKind::Pipeline && found.along[axis] > wanted.along[axis]) {
        findings.add(home + std::string(wordsOf(wanted.along[axis])) + " along axis \"" +
                     plan.mesh[axis].name + "\", but is " + std::string(wordsOf(found.along[axis])) +
                     " when a step ends");
        other = nullptr;
      }
    if (other)
      findings.add(home + "cut over " + nameOfAxes(plan, wanted.cut) + ", but is over " +
                   nameOfAxes(plan, *other) + " when a step ends");
  }

  /// A join of what must have one order of cuts.
  void meet(const Event &event, Spread &into, const Spread &more) {
    if (!begins(into.cut, more.cut) && !begins(more.cut, into.cut))
      findings.add(where(event) + " brings together what is cut over " + nameOfAxes(plan, into.cut) +
                   " and what is cut over " + nameOfAxes(plan, more.cut));
    join(into, more);
  }

  static std::string where(const Event &event) {
    return nameOf(event.get(), event.ordinal) + " in section " + event.section->name;
  }

  void fault(const Event &event, const char *does, int64_t axis, Held held) {
    findings.add(where(event) + " " + does + " axis \"" + plan.mesh[static_cast<size_t>(axis)].name +
                 "\" what is " + std::string(wordsOf(held)) + " along it");
  }

  /// Axes by number, none standing for all, but for those of the pipeline and of one rank: the program's
  /// ranks are at one place along these.
  Cut axesOf(const Cut &axes) const {
    Cut inside = axes;
    if (axes.empty()) {
      inside.resize(plan.mesh.size());
      std::iota(inside.begin(), inside.end(), 0);
    }
    std::erase_if(inside, [&](int64_t axis) {
      const MeshAxis &known = plan.mesh[static_cast<size_t>(axis)];
      return known.kind == AxisKind::Pipeline || known.size == 1;
    });
    return inside;
  }

  const Plan &plan;
  const Program &program;
  const Timeline &timeline;
  Messages &messages;
  Findings &findings;
  size_t next = 0;                       ///< event to execute
  int64_t microBatch = 0;                ///< of the instruction under way
  std::vector<RangeMap<Spread>> buffers; ///< bytes that nobody wrote are replicated: padding is zero
};

} // namespace

void checkReplicas(const Plan &plan, std::span<const Timeline> timelines, Findings &findings) {
  if (timelines.front().program().ranks == 1)
    return;
  Messages messages;
  std::vector<Replicas> programs;
  programs.reserve(timelines.size());
  for (const Timeline &timeline : timelines)
    programs.emplace_back(plan, timeline, messages, findings);
  for (bool any = true; any;) {
    any = false;
    for (Replicas &program : programs)
      any |= program.proceed();
  }
  for (Replicas &program : programs)
    program.conclude();
}

} // namespace windlass::plan
