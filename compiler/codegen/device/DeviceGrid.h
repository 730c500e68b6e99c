// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceGrid.h - the blocks and threads of a launch =====================//
//
// Duty: the blocks and threads of a kernel whose work is a number of tasks for each index of its range. All
// blocks are along x, which allows the most blocks. A part of the range has fewer blocks. Threads: values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace windlass::codegen {

/// `across` blocks for each `perBlock` indices of the range; the last may have fewer indices.
struct DeviceGrid {
  int64_t perBlock = 1;
  int64_t across = 1;
  int64_t threads = 256;

  int64_t blocks(int64_t range) const { return across * ((range + perBlock - 1) / perBlock); }
  bool operator==(const DeviceGrid &) const = default;
};

/// Threads of a block of a map: eight warps, so that a multiprocessor holds several blocks.
inline constexpr int64_t kMapThreads = 256;

/// The grid of a kernel with `tasks` tasks for each index of its range, in blocks of `blockTasks` tasks and
/// `threads` threads.
DeviceGrid gridOf(int64_t tasks, int64_t blockTasks, int64_t threads);

} // namespace windlass::codegen
