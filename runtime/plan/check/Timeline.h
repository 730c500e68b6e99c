// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Timeline.h - what is complete when an instruction starts ==============//
//
// Duty: a program's schedule unrolled between two drains, with a vector clock per
// instruction: for every lane, how many of its instructions are surely complete
// before this one starts, however fast the lanes run. The rules of time:
//   - a lane starts its instructions in order; an NVMe lane of depth d starts
//     instruction i when i - d is complete, every other lane has depth 1;
//   - a wait (lane, ordinal) means that all of the lane up to the ordinal are
//     complete, those of earlier sections included;
//   - no instruction starts before the section two places back is complete.
// Ownership: keeps pointers into the plan.
// Threads: const after construction.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Layout.h"
#include "runtime/plan/SectionSchedule.h"
#include <span>

namespace windlass::plan {

/// One instruction in one run of its section.
struct Event {
  const Section *section = nullptr;
  uint32_t run = 0;         ///< place of the section in the schedule
  uint32_t instruction = 0; ///< index in the section
  uint32_t position = 0;    ///< on its lane over all runs, from 1
  uint32_t ordinal = 0;     ///< on its lane in this section, from 1
  int64_t microBatch = 0;   ///< its own
  const Instruction &get() const { return section->instructions[instruction]; }
};

class Timeline {
public:
  /// A program's schedule of a purpose, of whose sections at most `most` runs in a row are looked at. Waits
  /// must have passed checkWaits.
  Timeline(const Plan &plan, const Program &program, Purpose purpose, int64_t most);

  const Program &program() const { return planned; }
  Purpose purpose() const { return isFor; }
  std::span<const Event> events() const { return all; }
  /// True where `before` is complete when `after` starts, whatever happens.
  bool isOrdered(uint32_t before, uint32_t after) const {
    const Event &event = all[before];
    return at(clocks[after], event.get().lane) >= event.position;
  }

private:
  void add(const Event &event, const Instruction &instruction, int64_t depth);
  void joinComplete(LaneCounts &clock, Lane lane, uint32_t position) const;
  uint32_t awaitedPosition(const Wait &wait, uint32_t run) const;

  const Program &planned;
  Purpose isFor;
  std::vector<Event> all;
  std::vector<LaneCounts> clocks;                   ///< per event
  std::array<std::vector<uint32_t>, kLanes> ofLane; ///< events by position - 1
  std::vector<LaneCounts> beforeRun;                ///< lane positions when a run begins
  std::vector<SectionRun> runs;
};

} // namespace windlass::plan
