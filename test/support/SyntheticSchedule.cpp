// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order, memory and waits of a synthetic plan (SyntheticPlan.h), by the simplest correct rules.
#include "runtime/plan/Layout.h"
#include "runtime/plan/SectionSchedule.h"
#include "test/support/SyntheticPlan.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

namespace windlass::test {
namespace {

using namespace windlass::plan;

/// Whether two instructions touch a common buffer and one of them changes it.
bool shareBuffer(const Plan &plan, const Instruction &a, const Instruction &b) {
  for (size_t i = 0; i < a.operands.size(); ++i)
    for (size_t j = 0; j < b.operands.size(); ++j)
      if (a.operands[i].buffer == b.operands[j].buffer &&
          (writes(accessOf(plan, a, i)) || writes(accessOf(plan, b, j))))
        return true;
  return false;
}

/// Whether two instructions touch a common byte on some rank and one of them changes it. `apart`: the number
/// of micro-batches by which the run of `b` begins after that of `a`.
bool shareBytes(const Plan &plan, const Program &program, const Instruction &a, const Instruction &b,
                int64_t apart = 0) {
  for (size_t i = 0; i < a.operands.size(); ++i)
    for (size_t j = 0; j < b.operands.size(); ++j) {
      const Operand &one = a.operands[i], &other = b.operands[j];
      if (plan::tierOf(program, one) != plan::tierOf(program, other) ||
          !(writes(accessOf(plan, a, i)) || writes(accessOf(plan, b, j))))
        continue;
      const int64_t slots = program.buffers[one.buffer].slots;
      if (one.buffer == other.buffer && slots > 0 && (b.microBatch + apart - a.microBatch) % slots != 0)
        continue;
      for (int64_t rank = program.firstRank; rank <= program.lastRank(); ++rank) {
        const int64_t from = arenaOffset(plan, program, one, rank),
                      otherFrom = arenaOffset(plan, program, other, rank);
        if (executes(plan, program, a, rank) && executes(plan, program, b, rank) &&
            isHeld(plan, program, one, rank) && isHeld(plan, program, other, rank) &&
            from < otherFrom + other.bytes && otherFrom < from + one.bytes)
          return true;
      }
    }
  return false;
}

/// The first and the last use of a buffer in one section.
struct Lifetime {
  size_t section, first, last;
};

std::vector<std::vector<Lifetime>> lifetimesOf(const Program &program) {
  std::vector<std::vector<Lifetime>> lifetimes(program.buffers.size());
  for (size_t s = 0; s < program.sections.size(); ++s)
    for (size_t i = 0; i < program.sections[s].instructions.size(); ++i)
      for (const Operand &operand : program.sections[s].instructions[i].operands) {
        std::vector<Lifetime> &lives = lifetimes[operand.buffer];
        if (lives.empty() || lives.back().section != s)
          lives.push_back({s, i, i});
        lives.back().last = i;
      }
  return lifetimes;
}

/// Whether some rank has both buffers. Buffers of different owners may lie at the same offset.
bool shareRank(const Buffer &a, const Buffer &b) {
  return a.owner == kEveryRank || b.owner == kEveryRank || a.owner == b.owner;
}

bool liveTogether(const std::vector<Lifetime> &a, const std::vector<Lifetime> &b) {
  for (const Lifetime &one : a)
    for (const Lifetime &other : b)
      if (one.section == other.section && one.first <= other.last && other.first <= one.last)
        return true;
  return false;
}

/// Builds the waits of one section, with a lane count for each possible predecessor.
class WaitBuilder {
public:
  WaitBuilder(const Plan &plan, Program &program, uint32_t index)
      : plan(plan), program(program), section(program.sections[index]), ordinals(laneOrdinals(section)),
        predecessors(predecessorsOf(program, index)) {}

  void run() {
    for (size_t i = 0; i < section.instructions.size(); ++i)
      addTo(i);
  }

private:
  void addTo(size_t i) {
    Instruction &instruction = section.instructions[i];
    size_t own = static_cast<size_t>(instruction.lane);
    LaneCounts needed{};
    for (size_t j = 0; j < i; ++j)
      if (shareBytes(plan, program, section.instructions[j], instruction))
        at(needed, section.instructions[j].lane) = ordinals[j];
    for (size_t lane = 0; lane < kLanes; ++lane) {
      if (lane == own)
        continue;
      // A lane does not wait again for a point for which it has already waited.
      if (needed[lane] > waited[own][lane])
        instruction.waits.push_back({static_cast<Lane>(lane), needed[lane], {}});
      waited[own][lane] = std::max(waited[own][lane], needed[lane]);
      if (waited[own][lane] == 0)
        addPrevious(instruction, static_cast<Lane>(lane));
    }
  }

  void addPrevious(Instruction &instruction, Lane lane) {
    Wait wait{lane, 0, {}};
    bool isNews = false;
    for (size_t p = 0; p < predecessors.size(); ++p) {
      uint32_t needed = 0, count = 0;
      const Section &earlier = program.sections[predecessors[p]];
      for (const Instruction &before : earlier.instructions)
        if (before.lane == lane && ++count && shareBytes(plan, program, before, instruction, earlier.advance))
          needed = count;
      uint32_t &known = waitedPrevious[p][static_cast<size_t>(instruction.lane)][static_cast<size_t>(lane)];
      isNews |= needed > known;
      known = std::max(known, needed);
      wait.previous.emplace_back(predecessors[p], known);
    }
    if (isNews)
      instruction.waits.push_back(wait);
  }

  const Plan &plan;
  Program &program;
  Section &section;
  std::vector<uint32_t> ordinals;
  std::vector<uint32_t> predecessors;
  std::array<LaneCounts, kLanes> waited{};
  std::array<std::array<LaneCounts, kLanes>, 2> waitedPrevious{}; ///< by predecessor
};

} // namespace

void permuteOrder(plan::Plan &plan, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (Section &section : plan.programs[0].sections) {
    std::vector<Instruction> &order = section.instructions;
    for (size_t swaps = order.size() * order.size(); swaps > 0 && order.size() > 1; --swaps) {
      size_t i = random() % (order.size() - 1);
      if (!shareBuffer(plan, order[i], order[i + 1]))
        std::swap(order[i], order[i + 1]);
    }
  }
}

static void packBuffers(Program &program) {
  std::vector<std::vector<Lifetime>> lifetimes = lifetimesOf(program);
  std::vector<size_t> bySize(program.buffers.size());
  std::iota(bySize.begin(), bySize.end(), size_t{0});
  std::stable_sort(bySize.begin(), bySize.end(),
                   [&](size_t a, size_t b) { return program.buffers[a].bytes > program.buffers[b].bytes; });
  program.arenas = {{Tier::Device, 0, 0, 0}, {Tier::Host, 0, 0, 0}, {Tier::Nvme, 0, 0, 0}};
  std::vector<size_t> placed;
  for (size_t b : bySize) {
    Buffer &buffer = program.buffers[b];
    const int64_t unit = 4096; // the strictest alignment of any tier
    bool moved = true;
    for (buffer.offset = 0; moved;) {
      moved = false;
      for (size_t other : placed) {
        const Buffer &there = program.buffers[other];
        bool meets = there.tier == buffer.tier && shareRank(there, buffer) && buffer.offset < there.end() &&
                     there.offset < buffer.end() &&
                     (buffer.persistent || there.persistent || liveTogether(lifetimes[b], lifetimes[other]));
        if (meets) {
          buffer.offset = (there.end() + unit - 1) / unit * unit;
          moved = true;
        }
      }
    }
    placed.push_back(b);
    Arena &arena = program.arenas[static_cast<size_t>(buffer.tier)];
    arena.bytes = std::max(arena.bytes, (buffer.end() + unit - 1) / unit * unit);
    arena.lowerBound = std::max(arena.lowerBound, buffer.bytes);
    arena.capacity = arena.bytes;
  }
}

void packBuffers(plan::Plan &plan) {
  for (Program &program : plan.programs)
    packBuffers(program);
}

void addWaits(plan::Plan &plan) {
  for (Program &program : plan.programs)
    for (uint32_t section = 0; section < program.sections.size(); ++section)
      WaitBuilder(plan, program, section).run();
}

} // namespace windlass::test
