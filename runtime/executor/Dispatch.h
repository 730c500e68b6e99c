// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Dispatch.h - the instructions a rank runs by itself ===================//
//
// Duty: does launch, upload, offload, feed and report; the other instructions
// need other ranks or the disk and belong to the executors.
// Threads: one dispatch at a time per RankLane.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/BoundPlan.h"

namespace windlass {

/// Who runs, and with what.
struct RankLane {
  int64_t rank = 0;
  KernelLauncher *kernels = nullptr; ///< null on lanes without launches
  DeviceMemory *device = nullptr;
  Stream *stream = nullptr; ///< what copies are enqueued on; null: they are done on return
};

bool isLocal(plan::Opcode op);
/// `firstMicroBatch`: of the section's run.
Status dispatch(const BoundInstruction &bound, const RankLane &lane, int64_t firstMicroBatch, StepHost &host);

/// Books a completed instruction.
void count(const BoundInstruction &bound, ExecutorCounters &counters);
void add(const ExecutorCounters &more, ExecutorCounters &counters);

} // namespace windlass
