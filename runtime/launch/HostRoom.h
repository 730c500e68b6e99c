// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- HostRoom.h - whether hosts have what their ranks need together ========//
//
// Duty: checks that each host has the memory and the disk space that its processes will reserve together.
// Called before any process reserves a byte: later the system would kill a process, or a disk would be full.
// Errors: CannotFit, the same in all processes, with the host, the bytes that are needed and those that are
// free. Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/launch/JobProcess.h"

namespace windlass {

/// What one process will reserve.
struct HostNeed {
  int64_t memoryBytes = 0, scratchBytes = 0;
  std::string scratchFolder;
};

/// The need of this process: the arenas of its ranks in host memory (those of the device, too, on the backend
/// `cpu`), and the staging of sums over processes.
HostNeed needOf(const plan::Plan &plan, const plan::RankSet &ranks, bool isAlone, std::string scratchFolder);

/// Free bytes of memory on this host, or in the part of it that a container may use.
int64_t freeMemory();

/// Compares each host's room with the sum of what its processes need. `mine`: the need of this process. All
/// processes call this together.
Status checkHostRoom(JobProcess &job, const HostNeed &mine);

} // namespace windlass
