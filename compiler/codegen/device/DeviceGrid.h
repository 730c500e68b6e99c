// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceGrid.h - which thread of a launch does what =====================//
//
// Duty: blocks and threads for a kernel whose work is one task for each index of its range
// and each of some tasks of it. All blocks lie along x, where the most of them may be; a
// range that is cut has fewer.
// Threads: values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace windlass::codegen {

/// `across` blocks for each `perBlock` of the range, the last of them cut short.
struct DeviceGrid {
  int64_t perBlock = 1;
  int64_t across = 1;
  int64_t threads = 256;

  int64_t blocks(int64_t range) const { return across * ((range + perBlock - 1) / perBlock); }
  bool operator==(const DeviceGrid &) const = default;
};

/// Threads of a block of a map: eight warps, of which a device holds several such blocks.
inline constexpr int64_t kMapThreads = 256;

/// Of a kernel with so many tasks for each index of its range, in blocks that do `blockTasks` of them.
DeviceGrid gridOf(int64_t tasks, int64_t blockTasks, int64_t threads);

} // namespace windlass::codegen
