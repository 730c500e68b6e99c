// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/checkpoint/CheckpointRoom.h"

#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include <algorithm>
#include <limits>

namespace windlass {

int64_t addedAtOnce(const CheckpointCadence &cadence) {
  const auto &[from, to, every, keep, existing] = cadence;
  const int64_t written = every > 0 ? to / every - from / every + (to % every == 0 ? 0 : 1) : 1;
  const int64_t held = keep > 0 ? std::min(keep + 1, existing + written) : existing + written;
  return std::max<int64_t>(1, held - existing); // the oldest goes only after the newest is whole
}

Result<std::string> checkRoom(const std::string &folder, uint64_t free, int64_t bytes, int64_t checkpoints) {
  const auto fitting = static_cast<int64_t>(free / static_cast<uint64_t>(std::max<int64_t>(bytes, 1)));
  if (fitting >= checkpoints)
    return std::string();
  const std::string has =
      formatBytes(static_cast<int64_t>(std::min<uint64_t>(free, std::numeric_limits<int64_t>::max()))) +
      " are free";
  if (fitting == 0)
    return Status::runFailed(folder + ": a checkpoint takes " + formatBytes(bytes) + ", " + has +
                             ": make room, or say another --out");
  return folder + ": " + has + ", which hold " + formatCount(fitting) + " of the " +
         counted(checkpoints, "checkpoint") + " of " + formatBytes(bytes) +
         " that the run adds before it removes one: make room, or write or keep fewer "
         "(--checkpoint-every, --keep)";
}

} // namespace windlass
