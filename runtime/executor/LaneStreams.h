// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LaneStreams.h - the streams of every rank's lanes =====================//
//
// Duty: one stream per rank and lane that runs on the device, where the device
// has streams.
// Ownership: the memories they were made of must outlive them. Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Storage.h"
#include <array>

namespace windlass {

/// Instructions a lane may have on its stream before the first of them is complete.
inline constexpr int64_t kStreamDepth = 64;

/// By place of the rank and lane; null where a call of the lane is done when it returns.
using LaneStreams = std::vector<std::array<std::unique_ptr<Stream>, plan::kLanes>>;

Result<LaneStreams> makeLaneStreams(const Storage &storage);

} // namespace windlass
