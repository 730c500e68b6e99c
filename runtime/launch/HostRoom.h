// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- HostRoom.h - whether hosts have what their ranks need together =====//
//
// Duty: what the processes of one host reserve there, added up, against the memory and the disk that it has
// left: before any of them reserves a byte, for the system would kill one of them later, or a disk be full.
// Errors: CannotFit, the same in all processes, naming the host, what is needed there, what is left.
// Threads: one.
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

/// Of the host's memory: arenas of this process's ranks, on the device of the backend `cpu` too, and what
/// sums over processes are staged in.
HostNeed needOf(const plan::Plan &plan, const plan::RankSet &ranks, bool isAlone, std::string scratchFolder);

/// Bytes that this host, or the part of it that a container may use, can still give.
int64_t freeMemory();

/// `mine`, and as much as each process brings.
Status checkHostRoom(JobProcess &job, const HostNeed &mine);

} // namespace windlass
