// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StopSignal.h - a signal as a wish =====================================//
//
// Duty: while one lives, the first SIGINT or SIGTERM only asks to stop after the step,
// and says so on stderr; the second ends the process as usual. SIGHUP asks too, however
// often it comes: a session that ends sends it twice. Where it is ignored (nohup), it stays so.
// Threads: one object per process; received() from any thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <csignal>

namespace windlass {

class StopSignal {
public:
  /// What follows the step after which the run stops; the note on stderr names it.
  enum class Then { Checkpoint, Nothing };
  explicit StopSignal(Then then = Then::Checkpoint);
  ~StopSignal();
  StopSignal(const StopSignal &) = delete;
  StopSignal &operator=(const StopSignal &) = delete;

  /// The signal that came, or 0.
  int received() const;

private:
  struct sigaction oldInterrupt, oldTerminate, oldHangup;
};

} // namespace windlass
