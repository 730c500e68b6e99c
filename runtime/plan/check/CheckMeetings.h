// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckMeetings.h - programs wait for each other in one order ===========//
//
// Duty: a message, or a collective over ranks of several programs, is a meeting of these. Programs meet on
// channels (Meetings.h), each in its own order: the first meeting of a channel in one program is the first in
// the others. Both ends of a message name the same value of the same micro-batch, with as many bytes; all
// ends of a collective are alike. And one order of all meetings agrees with every program's: then no plan can
// deadlock, for within a program everything else points forward.
// Schedules are unrolled for all their runs. Threads: pure function of a plan whose structure is sound.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include "runtime/plan/check/Findings.h"

namespace windlass::plan {

void checkMeetings(const Plan &plan, Purpose purpose, Findings &findings);

} // namespace windlass::plan
