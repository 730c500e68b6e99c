// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/check/Timeline.h"

#include <algorithm>

namespace windlass::plan {
namespace {

void join(LaneCounts &clock, const LaneCounts &other) {
  for (size_t lane = 0; lane < kLanes; ++lane)
    clock[lane] = std::max(clock[lane], other[lane]);
}

} // namespace

Timeline::Timeline(const Plan &plan, const Program &program, Purpose purpose, int64_t most)
    : planned(program), isFor(purpose), runs(unroll(program, purpose, most)) {
  LaneCounts positions{};
  for (uint32_t run = 0; run < runs.size(); ++run) {
    const Section &section = program.sections[runs[run].section];
    beforeRun.push_back(positions);
    for (uint32_t i = 0; i < section.instructions.size(); ++i) {
      const Instruction &instruction = section.instructions[i];
      uint32_t position = ++at(positions, instruction.lane);
      uint32_t ordinal = position - at(beforeRun[run], instruction.lane);
      add({&section, run, i, position, ordinal, runs[run].microBatch + instruction.microBatch}, instruction,
          isNvmeLane(instruction.lane) ? plan.nvmeDepth : 1);
    }
  }
}

void Timeline::add(const Event &event, const Instruction &instruction, int64_t depth) {
  // beforeRun[run - 1] counts everything up to the end of the run two places back.
  LaneCounts clock = event.run >= 2 ? beforeRun[event.run - 1] : LaneCounts{};
  std::vector<uint32_t> &lane = ofLane[static_cast<size_t>(instruction.lane)];
  if (!lane.empty())
    join(clock, clocks[lane.back()]);
  if (event.position > depth)
    joinComplete(clock, instruction.lane, event.position - static_cast<uint32_t>(depth));
  for (const Wait &wait : instruction.waits)
    joinComplete(clock, wait.lane, awaitedPosition(wait, event.run));
  lane.push_back(static_cast<uint32_t>(all.size()));
  all.push_back(event);
  clocks.push_back(clock);
}

/// All of a lane up to a position are complete, and so is whatever they waited for.
void Timeline::joinComplete(LaneCounts &clock, Lane lane, uint32_t position) const {
  if (position == 0)
    return;
  join(clock, clocks[ofLane[static_cast<size_t>(lane)][position - 1]]);
  at(clock, lane) = std::max(at(clock, lane), position);
}

uint32_t Timeline::awaitedPosition(const Wait &wait, uint32_t run) const {
  if (!wait.isPrevious())
    return at(beforeRun[run], wait.lane) + wait.ordinal;
  if (run == 0)
    return 0;
  for (const auto &[section, count] : wait.previous)
    if (section == runs[run - 1].section)
      return at(beforeRun[run - 1], wait.lane) + count;
  return 0;
}

} // namespace windlass::plan
