// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Enumeration.h - values of decisions that are left open ================//
//
// Duty: enumerates the recomputations and the zeros that candidates may have.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include <vector>

namespace windlass {

/// Whether the planner chooses the recomputation.
bool isOpen(const Recompute &recompute);
/// The recomputation that is asked for. Where it is open: none, then full, for full costs time; full alone
/// where decisions place activation checkpoints by name, or all of them away from the device, or ask for
/// parts of them, for without recomputation there are none.
std::vector<Recompute> recomputeChoices(const Decisions &decisions);
/// The zero that is asked for. Where it is open: 2 and 3 with several ranks, for 0 and 1 move as many bytes
/// as 2 and keep more; 0, then 3, with one rank, whose states are cut into shards only if they must leave the
/// device. Gather, reduction and cadence may leave one value.
std::vector<int64_t> zeroChoices(const TrainingOptions &training);

} // namespace windlass
