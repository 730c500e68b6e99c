// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckAccesses.h - no race, no unwritten read, no lost write ===========//
//
// Duty: replays the accesses of a timeline on a map of each arena. Two accesses
// to a byte, one of them a write, must be ordered; a byte that is read must
// have been written last through the same buffer, in this run of the section or,
// where the buffer is persistent, earlier in the step. What a launch makes of operands
// must be read before the same buffer takes something else in the same run, or
// it is lost; and of what a transfer, a collective or a feed writes in a tier something must be
// read, or rest in the home of a state or of a gradient when the step ends. Buffers that hold states' homes
// are written before the first section, padding included, and must still hold them after the last. Scratch
// operands need no contents and leave none. One rank stands for all, unless
// operands lie elsewhere on other ranks.
// Threads: pure function of a plan whose structure is sound.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/check/Findings.h"
#include "runtime/plan/check/Timeline.h"

namespace windlass::plan {

void checkAccesses(const Plan &plan, const Timeline &timeline, Findings &findings);

} // namespace windlass::plan
