//===- Trace.h - when every instruction ran ===============================//
//
// Duty: a slot for each instruction of the newest run, reserved before it, and
// the clock all of them read.
// Units: seconds since the run began. Threads: each slot is written by the
// thread that runs its instruction; read after the drain.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Program.h"
#include <chrono>

namespace windlass {

class Trace {
public:
  Trace(const Program &program, bool keep);

  void begin(const Sequence &sequence);
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began).count(); }
  void record(size_t run, int64_t rank, uint32_t instruction, double start);
  std::span<const TraceEvent> events() const { return {slots.data(), recorded}; }

private:
  using Clock = std::chrono::steady_clock;
  const Program &program;
  const Sequence *sequence = nullptr;
  Clock::time_point began;
  std::vector<TraceEvent> slots; ///< empty: no trace is kept
  size_t recorded = 0;
};

} // namespace windlass
