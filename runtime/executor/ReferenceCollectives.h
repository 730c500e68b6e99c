// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReferenceCollectives.h - what the collectives mean ====================//
//
// Duty: the collectives for all ranks of a group at once, element by element, on the host,
// through a block of memory per rank; shares nothing with the transports, whose
// oracle it is.
// Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/BoundPlan.h"

namespace windlass {

class ReferenceCollectives {
public:
  /// One instruction, a collective, bound for each rank of a group.
  using Ranks = std::span<const BoundInstruction *const>;

  ReferenceCollectives(const Storage &storage, int64_t ranks);
  Status exchange(Ranks ranks);
  /// Copies the message of a send to the buffer of its receive.
  Status deliver(const BoundInstruction &send, const BoundInstruction &receive);

private:
  /// Bytes in the device memory of a rank.
  struct Place {
    int64_t rank = 0;
    std::byte *at = nullptr;
  };

  Status gatherAll(Ranks ranks);
  Status broadcastAll(Ranks ranks);
  Status reduceAll(Ranks ranks);
  Status reduceTo(Ranks ranks, const BoundInstruction &to, int64_t piece);
  Status sumRange(Ranks ranks, size_t tensor, int64_t offset, int64_t bytes, Place to);
  Status copy(Place from, Place to, int64_t bytes);
  Status clear(Place to, int64_t bytes);

  const Storage &storage;
  std::vector<std::vector<std::byte>> blocks; ///< one per rank, and one for sums
};

} // namespace windlass
