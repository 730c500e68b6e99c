// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- HandOvers.h - measures the overhead of instructions ===================//
//
// Duty: measures the overhead of instructions of the CPU backend, which does not depend on their size: of a
// launch (the call of the library, and waking its threads), of a hand-over from one lane's thread to
// another's, and of a collective, in which all ranks meet. The last two are measured with all cores busy with
// the same. Units: seconds. Threads: makes its own; call from one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tools/windlass-probe/Probe.h"

namespace windlass {

/// The load of a measurement: all ranks at once, each with the threads of its launches, and the number of
/// cores.
struct HandOverLoad {
  int64_t ranks = 1, threadsPerRank = 1, cores = 1;
};

/// Measures for about `seconds` in total.
Result<std::vector<ProbeLatency>> probeHandOvers(const HandOverLoad &load, double seconds);

} // namespace windlass
