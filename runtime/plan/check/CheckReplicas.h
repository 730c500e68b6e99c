// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckReplicas.h - copies of a state stay copies =======================//
//
// Duty: that ranks whose homes must be alike fill them alike, and that collectives run over the right axes of
// the mesh. Byte by byte of each buffer, in the plan's order: along each axis what ranks hold is
// replicated, or sharded, or of each rank's own (what comes from a batch). A gather over an axis needs
// shards along it, a sum needs none, and when a step ends every home must be what its state says.
// What another program sends is spread over ranks as it is there. What an owner has is one copy; what it
// alone writes where every rank has a copy is of each rank's own. A copy takes every byte as it is; any other
// result is no more alike than the least alike of what is read. Where axes have as many ranks, pieces are as
// large in any order of the cuts, so that is followed, too: a reduce-scatter cuts once more, a gather undoes
// the last cut, and what meets is cut in one order. One rank has no copies: nothing is asked then. Ask only
// of plans whose structure, states, waits and meetings are sound.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/check/Findings.h"
#include "runtime/plan/check/Timeline.h"
#include <span>

namespace windlass::plan {

/// `timelines`: of all programs, for one purpose.
void checkReplicas(const Plan &plan, std::span<const Timeline> timelines, Findings &findings);

} // namespace windlass::plan
