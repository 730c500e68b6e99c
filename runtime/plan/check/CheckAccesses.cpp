// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/check/CheckAccesses.h"
#include "runtime/plan/check/RangeMap.h"
#include "runtime/plan/text/InstructionName.h"

#include <algorithm>

namespace windlass::plan {
namespace {

/// Whose value a range holds.
struct Content {
  static constexpr int64_t kNothing = -1;
  int64_t buffer = kNothing;
  uint32_t run = 0;       ///< section run that wrote it
  int64_t microBatch = 0; ///< whose it is, in a buffer with slots
};

/// What befell a range; events are indices into the timeline plus one, 0 is none.
struct History {
  Content content;
  uint32_t writer = 0;  ///< newest write
  LaneCounts readers{}; ///< newest read of each lane since that write
};

/// Per event: whether it left values in an arena of a tier, and whether something came of any: on some rank
/// it was read, or rests in the home of a state or gradient when a step ends. All ranks run an instruction,
/// also one that only owners have a use for.
struct Uses {
  explicit Uses(size_t events) : made(events), used(events) {}
  std::vector<bool> made, used;
};

/// The replay of one tier's arena on one rank.
class Replay {
public:
  Replay(const Plan &plan, const Timeline &timeline, Tier tier, int64_t rank, Uses &uses, Findings &findings)
      : plan(plan), program(timeline.program()), timeline(timeline), tier(tier), rank(rank), made(uses.made),
        used(uses.used), findings(findings) {}

  void run();

private:
  struct Range {
    int64_t begin, end;
  };
  Range rangeOf(const Operand &operand, int64_t microBatch = 0) const {
    int64_t begin = arenaOffset(plan, program, operand, rank) + slotOffset(program, operand, microBatch);
    return {begin, begin + operand.bytes};
  }
  /// The whole buffer of a home: the runtime fills its padding with zeros.
  Range rangeOfHome(const State &state) const {
    const Buffer &buffer = program.buffers[state.home.buffer];
    return {buffer.offset, buffer.offset + buffer.bytes};
  }
  void readOperand(uint32_t event, const Operand &operand);
  void writeOperand(uint32_t event, const Operand &operand, Access access);
  void checkHomes();
  void checkGradient(const State &gradient);

  /// Whether `event` overwrites what was computed for the same buffer in the same run and nobody read. Copies
  /// may be overwritten unread (a block is read around what is written into it), and so may constants
  /// (padding is zeroed in whole vectors before the values beside it are written).
  bool isLost(const History &cell, uint32_t event, const Operand &operand) const;
  bool isConstant(const Instruction &instruction) const;
  bool isUnordered(uint32_t earlier, uint32_t later) const {
    return earlier != 0 && earlier != later && !timeline.isOrdered(earlier - 1, later - 1);
  }
  void faultOfPair(uint32_t earlier, uint32_t later, Range range);
  void faultOfLoss(uint32_t earlier, uint32_t later, const Operand &operand, Range range);
  void faultOfContent(uint32_t reader, const History &cell, const Operand &operand, Range range);
  std::string name(uint32_t event) const;
  std::string sectionOf(uint32_t event) const { return timeline.events()[event - 1].section->name; }
  std::string shown(Range range) const;

  const Plan &plan;
  const Program &program;
  const Timeline &timeline;
  Tier tier;
  int64_t rank;
  std::vector<bool> &made, &used;
  Findings &findings;
  RangeMap<History> map;
};

void Replay::run() {
  for (const State &state : program.states)
    if (tierOf(program, state.home) == tier && isHeld(plan, program, state.home, rank)) {
      Range home = rangeOfHome(state);
      map.replace(home.begin, home.end, {.content = {state.home.buffer, 0}});
    }
  const std::span<const Event> events = timeline.events();
  for (uint32_t i = 0; i < events.size() && !findings.full(); ++i) {
    const Instruction &instruction = events[i].get();
    if (!executes(plan, program, instruction, rank))
      continue;
    // An instruction reads all it needs before it leaves anything.
    for (bool writing : {false, true})
      for (size_t o = 0; o < instruction.operands.size(); ++o) {
        const Operand &operand = instruction.operands[o];
        if (tierOf(program, operand) != tier || !isHeld(plan, program, operand, rank))
          continue;
        Access access = accessOf(plan, instruction, o);
        if (!writing && reads(access))
          readOperand(i + 1, operand);
        if (writing && writes(access))
          writeOperand(i + 1, operand, access);
      }
  }
  checkHomes();
  findings.look(std::ssize(events) + map.visited());
}

void Replay::readOperand(uint32_t event, const Operand &operand) {
  const Event &reader = timeline.events()[event - 1];
  const Buffer &buffer = program.buffers[operand.buffer];
  Range range = rangeOf(operand, reader.microBatch);
  map.visit(range.begin, range.end, [&](int64_t begin, int64_t end, History &cell) {
    if (isUnordered(cell.writer, event))
      faultOfPair(cell.writer, event, {begin, end});
    bool isOwn = cell.content.buffer == static_cast<int64_t>(operand.buffer);
    const bool isOther = buffer.slots > 0 && cell.content.microBatch != reader.microBatch;
    if (!isOwn || isOther || (!buffer.persistent && cell.content.run != reader.run))
      faultOfContent(event, cell, operand, {begin, end});
    at(cell.readers, reader.get().lane) = event;
    if (cell.writer != 0)
      used[cell.writer - 1] = true;
  });
}

void Replay::writeOperand(uint32_t event, const Operand &operand, Access access) {
  const Event &writer = timeline.events()[event - 1];
  Range range = rangeOf(operand, writer.microBatch);
  map.visit(range.begin, range.end, [&](int64_t begin, int64_t end, History &cell) {
    if (isUnordered(cell.writer, event))
      faultOfPair(cell.writer, event, {begin, end});
    for (uint32_t reader : cell.readers)
      if (isUnordered(reader, event))
        faultOfPair(reader, event, {begin, end});
    if (isLost(cell, event, operand))
      faultOfLoss(cell.writer, event, operand, {begin, end});
  });
  if (access != Access::Scratch)
    made[event - 1] = true;
  int64_t holder = access == Access::Scratch ? Content::kNothing : static_cast<int64_t>(operand.buffer);
  map.replace(range.begin, range.end, {.content = {holder, writer.run, writer.microBatch}, .writer = event});
}

bool Replay::isLost(const History &cell, uint32_t event, const Operand &operand) const {
  return cell.writer != 0 && cell.content.buffer == static_cast<int64_t>(operand.buffer) &&
         cell.content.run == timeline.events()[event - 1].run && cell.readers == LaneCounts{} &&
         timeline.events()[cell.writer - 1].get().op == Opcode::Launch &&
         !isConstant(timeline.events()[cell.writer - 1].get());
}

/// A launch that reads nothing: what pads.
bool Replay::isConstant(const Instruction &instruction) const {
  for (size_t o = 0; o < instruction.operands.size(); ++o)
    if (reads(accessOf(plan, instruction, o)))
      return false;
  return true;
}

/// What the next step, a checkpoint and an evaluation begin from.
void Replay::checkHomes() {
  for (const State &state : program.states) {
    if (tierOf(program, state.home) != tier || !isHeld(plan, program, state.home, rank))
      continue;
    Range home = rangeOfHome(state);
    map.visit(home.begin, home.end, [&](int64_t begin, int64_t end, History &cell) {
      if (cell.content.buffer != static_cast<int64_t>(state.home.buffer))
        findings.add("the home of state \"" + state.name + "\" (" + std::string(textOf(state.cls)) + ") at " +
                     shown({begin, end}) + " is overwritten by " + name(cell.writer) + " in section " +
                     sectionOf(cell.writer));
      else if (cell.writer != 0)
        used[cell.writer - 1] = true;
    });
  }
  for (const State &gradient : program.gradients)
    if (tierOf(program, gradient.home) == tier && isHeld(plan, program, gradient.home, rank))
      checkGradient(gradient);
}

/// A step ends with all of a gradient where it rests.
void Replay::checkGradient(const State &gradient) {
  if (timeline.purpose() != Purpose::Train)
    return;
  Range home = rangeOf(gradient.home);
  map.visit(home.begin, home.end, [&](int64_t begin, int64_t end, History &cell) {
    if (cell.content.buffer != static_cast<int64_t>(gradient.home.buffer))
      findings.add(
          "the gradient of \"" + gradient.name + "\" is not at " + shown({begin, end}) +
          " when a step ends: " +
          (cell.writer ? name(cell.writer) + " was the last to write there" : "nothing wrote there"));
    else if (cell.writer != 0)
      used[cell.writer - 1] = true;
  });
}

std::string Replay::name(uint32_t event) const {
  const Event &named = timeline.events()[event - 1];
  return nameOf(named.get(), named.ordinal);
}

std::string Replay::shown(Range range) const {
  return std::string(textOf(tier)) + " [" + std::to_string(range.begin) + ", " + std::to_string(range.end) +
         ")" + (rank ? " of rank " + std::to_string(rank) : "");
}

void Replay::faultOfPair(uint32_t earlier, uint32_t later, Range range) {
  std::string section = sectionOf(earlier);
  std::string where = timeline.events()[earlier - 1].run == timeline.events()[later - 1].run
                          ? " unordered in section " + section
                          : " unordered, in section " + section + " and the following " + sectionOf(later);
  findings.add(name(earlier) + " and " + name(later) + " touch " + shown(range) + where);
}

void Replay::faultOfLoss(uint32_t earlier, uint32_t later, const Operand &operand, Range range) {
  findings.add(name(later) + " in section " + sectionOf(later) + " overwrites " + shown(range) +
               " of buffer \"" + program.buffers[operand.buffer].name + "\", which " + name(earlier) +
               " wrote and nothing has read");
}

void Replay::faultOfContent(uint32_t reader, const History &cell, const Operand &operand, Range range) {
  std::string text = name(reader) + " in section " + sectionOf(reader) + " reads " + shown(range) +
                     " of buffer \"" + program.buffers[operand.buffer].name + "\", ";
  if (cell.writer == 0)
    text += "which nothing has written";
  else if (cell.content.buffer == static_cast<int64_t>(operand.buffer) &&
           program.buffers[operand.buffer].slots > 0)
    text += "whose slot holds what " + name(cell.writer) + " wrote for micro-batch " +
            std::to_string(cell.content.microBatch) + ", not for " +
            std::to_string(timeline.events()[reader - 1].microBatch);
  else if (cell.content.buffer == static_cast<int64_t>(operand.buffer))
    text += "which is not persistent and was last written by " + name(cell.writer) +
            " in an earlier section, " + sectionOf(cell.writer);
  else if (cell.content.buffer == Content::kNothing)
    text += "last written as scratch by " + name(cell.writer) + " in section " + sectionOf(cell.writer);
  else
    text += "last written by " + name(cell.writer) + " in section " + sectionOf(cell.writer) +
            " for buffer \"" + program.buffers[static_cast<size_t>(cell.content.buffer)].name + "\"";
  findings.add(text);
}

/// True where ranks differ in what they touch of a tier.
bool ranksDiffer(const Plan &plan, const Timeline &timeline, Tier tier) {
  const Program &program = timeline.program();
  if (hasOwners(program))
    return true;
  auto differs = [&](const Operand &operand) {
    return tierOf(program, operand) == tier && dependsOnRank(plan, operand);
  };
  auto anyDiffers = [&](const Event &event) {
    return std::any_of(event.get().operands.begin(), event.get().operands.end(), differs);
  };
  return std::any_of(timeline.events().begin(), timeline.events().end(), anyDiffers);
}

/// What launches leave unread is the compiler's affair: a map may have more results than are wanted.
void checkUses(const Timeline &timeline, Tier tier, const Uses &uses, Findings &findings) {
  const std::span<const Event> events = timeline.events();
  for (size_t i = 0; i < events.size(); ++i)
    if (uses.made[i] && !uses.used[i] && events[i].get().op != Opcode::Launch)
      findings.add(nameOf(events[i].get(), events[i].ordinal) + " in section " + events[i].section->name +
                   " writes to " + std::string(textOf(tier)) + " what nothing reads");
}

} // namespace

void checkAccesses(const Plan &plan, const Timeline &timeline, Findings &findings) {
  const Program &program = timeline.program();
  for (const Arena &arena : program.arenas) {
    Uses uses(timeline.events().size());
    const int64_t ranks = ranksDiffer(plan, timeline, arena.tier) ? program.ranks : 1;
    for (int64_t rank = program.firstRank; rank < program.firstRank + ranks; ++rank)
      Replay(plan, timeline, arena.tier, rank, uses, findings).run();
    checkUses(timeline, arena.tier, uses, findings);
  }
}

} // namespace windlass::plan
