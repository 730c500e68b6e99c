//===- HandOvers.h - what an instruction costs beside its work =============//
//
// Duty: measures what the CPU backend pays for an instruction whatever its size:
// a launch (the library's call), a hand-over from one lane's thread to another's,
// and a collective's meetings of all ranks; the latter two with every core busy so.
// Units: seconds. Threads: makes its own; call from one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tools/windlass-probe/Probe.h"

namespace windlass {

/// `workers` pairs of lanes hand over at once; `ranks` meet in a collective. Takes some `seconds` in all.
Result<std::vector<ProbeLatency>> probeHandOvers(int64_t ranks, int64_t workers, double seconds);

} // namespace windlass
