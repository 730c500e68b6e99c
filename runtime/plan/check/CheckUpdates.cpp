// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/check/CheckUpdates.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/check/CheckStates.h"
#include "runtime/plan/check/RangeMap.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace windlass::plan {
namespace {

/// Where a byte's value comes from.
struct Value {
  static constexpr int64_t kResult = -1;
  int64_t home = kResult; ///< the buffer it was copied from; kResult: a launch or another rank made it
  int64_t shift = 0;      ///< the offset in that buffer minus the offset in this buffer
  int64_t updates = 0;    ///< how often it was changed in place
};

/// A home of a unit, which its members share.
struct Home {
  const State *state; ///< one of them
  bool isUpdated;     ///< by a step: the optimizer or, of statistics, batches change it
  int64_t elements;   ///< of the unit; no step need update the padding behind them
};

/// One rank's values.
class Updates {
public:
  Updates(const Plan &plan, const Timeline &timeline, int64_t rank, Findings &findings)
      : plan(plan), program(timeline.program()), timeline(timeline), rank(rank), findings(findings),
        buffers(program.buffers.size()) {}

  void run(const std::vector<Home> &homes) {
    for (const Home &home : homes) {
      const uint32_t buffer = home.state->home.buffer;
      if (isHeld(plan, program, home.state->home, rank))
        buffers[buffer].replace(0, program.buffers[buffer].bytes, {.home = buffer});
    }
    for (const Event &event : timeline.events())
      if (executes(plan, program, event.get(), rank)) {
        microBatch = event.microBatch;
        execute(event.get());
      }
    for (const Home &home : homes)
      if (isHeld(plan, program, home.state->home, rank))
        checkHome(home);
    findings.look(std::ssize(timeline.events()));
    for (const RangeMap<Value> &buffer : buffers)
      findings.look(buffer.visited());
  }

private:
  struct Range {
    int64_t begin, end;
  };
  Range rangeOf(const Operand &operand) const {
    const int64_t begin = bufferOffset(plan, operand, rank) + slotOffset(program, operand, microBatch);
    return {begin, begin + operand.bytes};
  }

  void execute(const Instruction &instruction) {
    switch (instruction.op) {
    case Opcode::Upload:
    case Opcode::Offload:
    case Opcode::Read:
    case Opcode::Write:
      return copy(instruction.operands[0], instruction.operands[1]);
    case Opcode::AllGather:
    case Opcode::Broadcast:
      return gather(instruction);
    case Opcode::Launch:
    case Opcode::ReduceScatter:
    case Opcode::Reduce:
    case Opcode::Send:
    case Opcode::Recv:
    case Opcode::Feed:
    case Opcode::Report:
      for (size_t i = 0; i < instruction.operands.size(); ++i)
        if (writes(accessOf(plan, instruction, i)) && isHeld(plan, program, instruction.operands[i], rank))
          leave(instruction, i);
    }
  }

  void copy(const Operand &from, const Operand &to) {
    const auto [begin, end] = rangeOf(from);
    const int64_t away = rangeOf(to).begin - begin;
    buffers[from.buffer].visit(begin, end, [&](int64_t first, int64_t behind, Value value) {
      value.shift -= value.home == Value::kResult ? 0 : away;
      buffers[to.buffer].replace(first + away, behind + away, value);
    });
  }

  /// Other ranks' pieces are of the same home as this one's, and as old.
  void gather(const Instruction &gather) {
    int64_t at = rangeOf(gather.operands[0]).begin;
    for (size_t i = 1; i < gather.operands.size(); ++i) {
      const Operand &whole = gather.operands[i];
      const auto [begin, end] = rangeOf(whole);
      const int64_t piece = gather.pieceBytes[i - 1];
      Value made;
      if (isHeld(plan, program, gather.operands[0], rank))
        buffers[gather.operands[0].buffer].visit(at, at + piece, [&](int64_t, int64_t, const Value &value) {
          if (value.home != Value::kResult && (made.home == Value::kResult || value.updates < made.updates))
            made = {.home = value.home, .updates = value.updates};
        });
      buffers[whole.buffer].replace(begin, end, made);
      at += piece;
    }
  }

  /// What is changed in its place stays what it was of; anything else is new.
  void leave(const Instruction &instruction, size_t result) {
    const Operand &operand = instruction.operands[result];
    const auto [begin, end] = rangeOf(operand);
    if (!isChanged(instruction, result))
      return buffers[operand.buffer].replace(begin, end, Value());
    buffers[operand.buffer].visit(begin, end, [](int64_t, int64_t, Value &value) {
      value.updates += value.home == Value::kResult ? 0 : 1;
    });
  }

  bool isChanged(const Instruction &instruction, size_t result) const {
    if (accessOf(plan, instruction, result) == Access::ReadWrite)
      return true;
    const Operand &written = instruction.operands[result];
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const Operand &read = instruction.operands[i];
      if (i != result && read.buffer == written.buffer && read.offset == written.offset &&
          accessOf(plan, instruction, i) == Access::Read && instruction.op == Opcode::Launch)
        return true; // in place: the same bytes, for no others may meet (CheckInstruction)
    }
    return false;
  }

  void checkHome(const Home &home) {
    const State &state = *home.state;
    const int64_t begin = rangeOf(state.home).begin;
    buffers[state.home.buffer].visit(
        begin, begin + usedBytes(home), [&](int64_t first, int64_t behind, const Value &value) {
          if (const char *fault = faultOf(home, value))
            findings.add("the home of state \"" + state.name + "\" (" + std::string(textOf(state.cls)) +
                         ") " + fault + ": bytes [" + std::to_string(first) + ", " + std::to_string(behind) +
                         ") of buffer \"" + program.buffers[state.home.buffer].name + "\"" +
                         (rank ? " on rank " + std::to_string(rank) : ""));
        });
  }

  /// What a home holds of its unit's elements.
  int64_t usedBytes(const Home &home) const {
    const State &state = *home.state;
    const int64_t before = state.sharded ? placeInGroup(plan, state.axes, rank) * state.pieceElements : 0;
    return std::clamp<int64_t>((home.elements - before) * bytesOf(state.type), 0, state.home.bytes);
  }

  static const char *faultOf(const Home &home, const Value &value) {
    const bool isResult = value.home == Value::kResult;
    if (!isResult && (value.home != home.state->home.buffer || value.shift != 0))
      return "ends up with what another place held";
    if (!home.isUpdated)
      return isResult || value.updates > 0 ? "is changed by what must leave it as it is" : nullptr;
    if (!isResult && value.updates == 0)
      return "is not updated by a step";
    return value.updates > 1 ? "is updated more than once by a step" : nullptr;
  }

  const Plan &plan;
  const Program &program;
  const Timeline &timeline;
  int64_t rank;
  int64_t microBatch = 0; ///< of the instruction under way
  Findings &findings;
  std::vector<RangeMap<Value>> buffers; ///< bytes that nobody wrote are results: nobody reads them
};

/// The homes of all units. What has moments is the optimizer's; a step alone updates anything.
std::vector<Home> homesOf(const Program &program, bool isStep) {
  std::set<std::pair<std::string, Slice>> trained;
  for (const State &state : program.states)
    if (state.cls == StateClass::Momentum)
      trained.emplace(state.name, state.slice);
  std::map<std::tuple<uint32_t, int64_t, int64_t>, size_t> known;
  std::vector<Home> homes;
  for (const State &state : program.states) {
    const bool isUpdated =
        isStep && (state.group == kStatisticsGroup || trained.contains({state.name, state.slice}));
    const auto [place, isNew] =
        known.try_emplace({state.home.buffer, state.home.offset, state.home.bytes}, homes.size());
    if (isNew)
      homes.push_back({&state, isUpdated, 0});
    Home &home = homes[place->second];
    home.elements =
        std::max(home.elements, state.unitOffset + std::accumulate(state.shape.begin(), state.shape.end(),
                                                                   int64_t(1), std::multiplies<>()));
  }
  return homes;
}

bool ranksDiffer(const Plan &plan, const Timeline &timeline) {
  return hasOwners(timeline.program()) || std::ranges::any_of(timeline.events(), [&](const Event &event) {
           return std::ranges::any_of(event.get().operands,
                                      [&](const Operand &operand) { return dependsOnRank(plan, operand); });
         });
}

} // namespace

void checkUpdates(const Plan &plan, const Timeline &timeline, Findings &findings) {
  const Program &program = timeline.program();
  const std::vector<Home> homes = homesOf(program, timeline.purpose() == Purpose::Train);
  const int64_t ranks = ranksDiffer(plan, timeline) ? program.ranks : 1;
  for (int64_t rank = program.firstRank; rank < program.firstRank + ranks; ++rank)
    Updates(plan, timeline, rank, findings).run(homes);
}

} // namespace windlass::plan
