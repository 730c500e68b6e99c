// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LocalProcesses.h - a job of processes on this machine =================//
//
// Duty: what a launcher does, on one machine: starts the same program so many times, each told by its
// environment which one it is (Launch.h), hands on signals that ask to stop, and collects them all. Where one
// ended with a failure, those that have not ended three seconds later are killed. They end with this process,
// whatever ends it.
// Threads: one, and no other in the process. Errors: RunFailed where the system starts no process,
// and where signals ended all.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <string>
#include <vector>

namespace windlass {

/// The exit code of the job: of the process that first ended with a failure; 4 where that was killed.
Result<int> runLocalProcesses(int64_t processes, const std::vector<std::string> &arguments);

} // namespace windlass
