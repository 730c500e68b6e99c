//===- CheckReplicas.h - copies of a state stay copies ====================//
//
// Duty: where states are cut over some axes of the mesh and copied along the others, that collectives run
// over the right ones. Byte by byte of each buffer, in the plan's order: along each axis what ranks hold is
// replicated, or sharded, or of each rank's own (what comes from a batch). A gather over an axis needs
// shards along it, a sum needs none, and when a step ends every home must be what its state says.
// A copy takes every byte as it is; any other result is no more alike than the least alike of what is read.
// Where axes have as many ranks, pieces are as large in any order of the cuts, so that is followed, too: a
// reduce-scatter cuts once more, a gather undoes the last cut, and what meets is cut in one order.
// A mesh of one axis has one group, and sizes tell all there is: nothing is asked then.
// Ask only of plans whose structure, states and waits are sound.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Findings.h"
#include "runtime/plan/Timeline.h"

namespace windlass::plan {

void checkReplicas(const Plan &plan, const Timeline &timeline, Findings &findings);

} // namespace windlass::plan
