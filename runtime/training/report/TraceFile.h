// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TraceFile.h - a step as a timeline ====================================//
//
// Duty: the executor's trace as Chrome trace events (chrome://tracing, Perfetto):
// one process per rank, one track per lane, slices in microseconds with bytes,
// origin and the seconds of a core they took on all threads ("tdur"); and how much of the transfers ran under
// computation. Of a job of several processes the first one gathers the events of all.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Executor.h"
#include "runtime/launch/JobProcess.h"
#include <vector>

namespace windlass {

/// Events of one message between processes, about 7 MB.
inline constexpr size_t kEventsAtOnce = size_t{1} << 17;

/// The events of all ranks, in the first process; in the others none. All processes of the job call it, each
/// with the events of its own ranks, be they more than one message holds. Errors: the verdict of the job.
Result<std::vector<TraceEvent>> gatherTrace(std::span<const TraceEvent> mine, JobProcess &job,
                                            size_t atOnce = kEventsAtOnce);

Status writeTrace(const std::string &path, const plan::Plan &plan, std::span<const TraceEvent> events);

/// Of the time transfers took, the share during which the same rank computed.
struct HiddenShare {
  double transferSeconds = 0; ///< summed over ranks and lanes
  double share = 0;           ///< 0 to 1
};
HiddenShare hiddenTransfers(const plan::Plan &plan, std::span<const TraceEvent> events);

} // namespace windlass
