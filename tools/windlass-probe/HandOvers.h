// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- HandOvers.h - what an instruction costs beside its work =============//
//
// Duty: measures what the CPU backend pays for an instruction whatever its size:
// a launch (the library's call, and waking the threads it is cut for), a hand-over from one lane's thread to
// another's, and a collective's meetings of all ranks; the latter two with every core busy so. Units:
// seconds. Threads: makes its own; call from one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tools/windlass-probe/Probe.h"

namespace windlass {

/// Who hands over: all ranks at once, each with the threads of its launches, on so many cores.
struct HandOverLoad {
  int64_t ranks = 1, threadsPerRank = 1, cores = 1;
};

/// Takes some `seconds` in all.
Result<std::vector<ProbeLatency>> probeHandOvers(const HandOverLoad &load, double seconds);

} // namespace windlass
