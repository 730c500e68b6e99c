// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProcessorTime.h - clocks of processor time ============================//
//
// Duty: the time for which a thread, or all threads of the process, had a core. Time of the kernel on their
// behalf counts, waiting does not. Rates of a core measured with these clocks are hardly lower on a machine
// that does other work at the same time. Units: seconds. Threads: any.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <ctime>

namespace windlass {

inline double clockSeconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

inline double threadSeconds() { return clockSeconds(CLOCK_THREAD_CPUTIME_ID); }
inline double processSeconds() { return clockSeconds(CLOCK_PROCESS_CPUTIME_ID); }

} // namespace windlass
