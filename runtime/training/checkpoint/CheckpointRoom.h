// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckpointRoom.h - whether a run's checkpoints fit on the disk ========//
//
// Duty: how many checkpoints a run adds to a folder before it removes one, and whether there is room for
// them: asked before the first step, for the disk would be full after hours of them.
// Errors: RunFailed where not even one fits, naming the folder and the sizes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <string>

namespace windlass {

struct CheckpointCadence {
  int64_t from = 0, to = 0; ///< steps done before the run, and after it
  int64_t every = 0;        ///< steps; 0: after the last one only
  int64_t keep = 0;         ///< of the newest; 0: all
  int64_t existing = 0;     ///< checkpoints that exist and count among the newest
};

/// The most checkpoints that exist at a time besides the existing ones.
int64_t addedAtOnce(const CheckpointCadence &cadence);

/// "", or what a person should know of a disk that will be full. `bytes`: of each.
Result<std::string> checkRoom(const std::string &folder, uint64_t free, int64_t bytes, int64_t checkpoints);

} // namespace windlass
