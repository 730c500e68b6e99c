// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LaneRunner.h - one lane of one rank ===================================//
//
// Duty: walks the lane's instructions of a sequence in order: waits, runs,
// publishes. An NVMe lane, and one whose device has streams, keeps `depth`
// instructions in flight and so has two threads: `issue` starts them, `complete`
// takes them back in order.
// Threads: `issue` from one, `complete` from another; `moved` after both.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Dispatch.h"
#include "runtime/executor/Pace.h"
#include "runtime/executor/RunState.h"
#include "runtime/executor/Trace.h"

namespace windlass {

class LaneRunner {
public:
  struct Config {
    int64_t rank = 0;
    plan::Lane lane = plan::Lane::Compute;
    std::unique_ptr<KernelLauncher> kernels; ///< lanes with launches
    DeviceMemory *device = nullptr;
    NvmeQueue *queue = nullptr; ///< NVMe lanes
    Stream *stream = nullptr;   ///< lanes of a device that has streams
    int64_t depth = 1;          ///< with a queue or a stream
    Pace *pace = nullptr;       ///< or none
  };
  LaneRunner(Config config, RunState &state, Trace &trace);

  /// Whether instructions are complete later than started, so that `complete` is needed.
  bool isAsynchronous() const { return config.queue || config.stream; }
  void issue();
  void complete();
  /// What the newest run moved.
  const ExecutorCounters &moved() const { return counters; }

private:
  /// An instruction between its start and its place in the trace.
  struct InFlight {
    Trace::Start start;
    Pace::Clock::time_point due{};
  };
  /// Calls visit(run, instruction, count), count from 1 over the whole sequence, until it returns false.
  template <typename Visit> void forEach(Visit visit);
  bool runOne(size_t run, const BoundInstruction &bound);
  bool start(size_t run, const BoundInstruction &bound, uint32_t count);
  Status startTransfer(const BoundInstruction &bound);
  Status enqueue(size_t run, const BoundInstruction &bound, uint32_t count);
  Status await(uint32_t count);
  Status execute(size_t run, const BoundInstruction &bound);
  Pace::Clock::time_point book(const BoundInstruction &bound);
  double finish(size_t run, const BoundInstruction &bound, const InFlight &flight);

  Config config;
  RunState &state;
  Trace &trace;
  std::vector<InFlight> inFlight; ///< a ring of `depth`
  ExecutorCounters counters;
};

} // namespace windlass
