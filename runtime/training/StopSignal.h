//===- StopSignal.h - SIGINT and SIGTERM as a wish =========================//
//
// Duty: while one lives, the first signal only asks to stop after the step; the
// second ends the process as usual.
// Threads: one object per process; received() from any thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <csignal>

namespace windlass {

class StopSignal {
public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal &) = delete;
  StopSignal &operator=(const StopSignal &) = delete;

  /// The signal that came, or 0.
  int received() const;

private:
  struct sigaction oldInterrupt, oldTerminate;
};

} // namespace windlass
