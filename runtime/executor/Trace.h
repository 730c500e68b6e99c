//===- Trace.h - when every instruction ran ===============================//
//
// Duty: a slot for each instruction of the newest run, reserved before it, the
// clock all of them read, and each thread's clock of its own work.
// Units: seconds since the run began. Threads: each slot is written by the
// thread that runs its instruction; read after the drain.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Program.h"
#include <chrono>
#include <optional>

namespace windlass {

class Trace {
public:
  /// When an instruction starts, and how long its thread has worked until then; no thread of ours does the
  /// work of the disk and of streams.
  struct Start {
    double seconds = 0;
    std::optional<double> work = {};
  };

  Trace(const Program &program, const ExecutorOptions &options);

  void begin(const Sequence &sequence);
  /// Taken by the thread that does the work, and records it.
  Start start() const { return {seconds(), threadSeconds()}; }
  /// Of work that is done elsewhere, and that any thread records.
  Start startElsewhere() const { return {seconds()}; }
  /// Returns when it ended.
  double record(size_t run, int64_t rank, uint32_t instruction, const Start &start);
  std::span<const TraceEvent> events() const { return {slots.data(), recorded}; }

private:
  using Clock = std::chrono::steady_clock;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - began).count(); }
  double threadSeconds() const;

  const Program &program;
  const Sequence *sequence = nullptr;
  Clock::time_point began;
  std::vector<TraceEvent> slots; ///< empty: no trace is kept
  size_t recorded = 0;
  bool recordsWork;
};

} // namespace windlass
