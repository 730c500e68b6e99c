//===- CheckReplicas.h - copies of a state stay copies ====================//
//
// Duty: where states are cut over some axes of the mesh and copied along the others, that collectives run
// over the right ones. Buffer by buffer, in the plan's order: along each axis ranks hold the same, or their
// pieces of one thing, or something of their own (what comes from a batch). A gather over an axis needs
// pieces along it, a sum needs none, and when a step ends every home must be what its state says.
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
