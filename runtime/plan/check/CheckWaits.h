// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckWaits.h - every wait points backwards at something ===============//
//
// Duty: at most one wait per lane and none on its own; an ordinal of this
// section names an instruction that stands earlier in the total order (the proof
// of no deadlock); a wait for the previous section has a count for each section
// that may be it, and none where a section begins after a drain.
// Threads: pure function of a well-formed plan.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include "runtime/plan/check/Findings.h"

namespace windlass::plan {

void checkWaits(const Program &program, Findings &findings);

} // namespace windlass::plan
