// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TraceFile.h - a step as a timeline ==================================//
//
// Duty: the executor's trace as Chrome trace events (chrome://tracing, Perfetto):
// one process per rank, one track per lane, slices in microseconds with bytes,
// origin and the seconds of a core they took on all threads ("tdur"); and how much of the transfers ran under
// computation.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Executor.h"
#include <vector>

namespace windlass {

Status writeTrace(const std::string &path, const plan::Plan &plan, std::span<const TraceEvent> events);

/// Of the time transfers took, the share during which the same rank computed.
struct HiddenShare {
  double transferSeconds = 0; ///< summed over ranks and lanes
  double share = 0;           ///< 0 to 1
};
HiddenShare hiddenTransfers(const plan::Plan &plan, std::span<const TraceEvent> events);

} // namespace windlass
