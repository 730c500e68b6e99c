// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OtherProcesses.h - what a device's parts ask of the rest of a job =====//
//
// Duty: what a device needs to know whose ranks reach ranks of other processes by themselves: the place of
// this process's ranks on its host, and an exchange of texts between all processes before the first step.
// Threads: `tellAll` by one, in one order in all processes. Errors: those of the exchange.
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
  /// Returns what each process passed as `mine`, by process. Empty: there are no other processes.
  std::function<Result<std::vector<std::string>>(std::string mine)> tellAll = {};
};

} // namespace windlass
