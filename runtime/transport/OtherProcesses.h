// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OtherProcesses.h - what a device's parts ask of the rest of a job ===//
//
// Duty: for a device whose ranks reach ranks of other processes by themselves: which of the ranks on this
// host are this process's, and a way for all processes to tell each other something before the first step.
// Threads: `tellAll` by one, in one order in all processes. Errors: those of whoever tells.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace windlass {

struct OtherProcesses {
  int64_t ranksBefore = 0; ///< on this host, of processes before this one
  int64_t ranksOnHost = 0; ///< of all processes
  /// What each process brings, by process. Empty: there are no others.
  std::function<Result<std::vector<std::string>>(std::string mine)> tellAll;
};

} // namespace windlass
