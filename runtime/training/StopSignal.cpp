// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/StopSignal.h"
#include <cerrno>
#include <string_view>
#include <unistd.h>

namespace windlass {
namespace {

volatile std::sig_atomic_t lastSignal = 0;

constexpr std::string_view kCheckpoint =
    "note: finishing the step, then a checkpoint; again to leave at once\n";
constexpr std::string_view kNothing = "note: finishing the step; again to leave at once\n";
std::string_view heard = kCheckpoint; ///< changes while no signal is asked for

/// A step may take minutes: whoever waits for its end is told at once.
void noteSignal(int signal) {
  lastSignal = signal;
  const int before = errno;
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, heard.data(), heard.size());
  errno = before;
}

/// A terminal that is gone could show nothing.
void noteHangup(int signal) { lastSignal = signal; }

} // namespace

StopSignal::StopSignal(Then then) {
  lastSignal = 0;
  heard = then == Then::Checkpoint ? kCheckpoint : kNothing;
  struct sigaction action = {};
  action.sa_handler = noteSignal;
  action.sa_flags = SA_RESTART | SA_RESETHAND;
  sigaction(SIGINT, &action, &oldInterrupt);
  sigaction(SIGTERM, &action, &oldTerminate);
  sigaction(SIGHUP, nullptr, &oldHangup);
  if (oldHangup.sa_handler == SIG_IGN)
    return;
  action.sa_handler = noteHangup;
  action.sa_flags = SA_RESTART;
  sigaction(SIGHUP, &action, nullptr);
}

StopSignal::~StopSignal() {
  sigaction(SIGINT, &oldInterrupt, nullptr);
  sigaction(SIGTERM, &oldTerminate, nullptr);
  sigaction(SIGHUP, &oldHangup, nullptr);
}

int StopSignal::received() const { return lastSignal; }

} // namespace windlass
