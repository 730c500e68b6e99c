//===- DiskBlock.h - the pieces in which the disk is read and written ======//
//
// Duty: the largest request that is sent to the disk; a longer transfer is cut into
// several. The runtime cuts by it, the cost model counts by it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace windlass {

inline constexpr int64_t kDiskBlockBytes = int64_t{1} << 20;

} // namespace windlass
