//===- ReferenceCollectives.h - what the collectives mean =================//
//
// Duty: the collectives for all ranks at once, element by element; shares
// nothing with the transports, whose oracle it is.
// Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Program.h"

namespace windlass {

/// `ranks[r]` is the same instruction, a collective, bound for rank r.
Status exchangeAll(std::span<const BoundInstruction *const> ranks);

} // namespace windlass
