// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckUpdates.h - a step updates every state, once =====================//
//
// Duty: follows what every home holds, and copies of it, through a timeline: from which byte of which home a
// byte was copied, and how often it was changed in place since. When a step ends
//   - every byte of a state that the optimizer updates was updated: changed in its place once, or replaced by
//     a result. So chunks of an update leave no gap and do not overlap, and whole parameters are refreshed on
//     every rank that holds them;
//   - a state that it leaves alone holds what it held;
//   - no home holds what is another's.
// Evaluate and sample change nothing. A rank at a time, where ranks differ in what they touch.
// Threads: pure function of a plan whose structure, states and waits are sound.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/check/Findings.h"
#include "runtime/plan/check/Timeline.h"

namespace windlass::plan {

void checkUpdates(const Plan &plan, const Timeline &timeline, Findings &findings);

} // namespace windlass::plan
