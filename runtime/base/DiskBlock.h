// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DiskBlock.h - the pieces in which the disk is read and written ========//
//
// Duty: the largest request that is sent to the disk; a longer transfer is cut into
// several. The runtime cuts by it, the cost model counts by it. And the smallest:
// past the page cache a disk takes nothing that does not begin and end at a sector.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace windlass {

inline constexpr int64_t kDiskBlockBytes = int64_t{1} << 20;
inline constexpr int64_t kDiskSectorBytes = 4096;

/// How much of a move that came back short is kept: where it goes on, a sector begins.
inline constexpr int64_t wholeSectors(int64_t bytes) { return bytes / kDiskSectorBytes * kDiskSectorBytes; }

/// As often may a move bring no whole sector until it counts as failed.
inline constexpr int kMostStalls = 8;

} // namespace windlass
