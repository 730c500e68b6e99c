// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SectionWaits.h - what every instruction waits for, from its bytes =====//
//
// Duty: the waits of every instruction of a section. An instruction waits for earlier instructions that touch
// the same bytes, in its own section and in the sections that may run just before; for each lane, the last of
// these instructions stands for all.
// Threads, ownership: refers to the section.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/waits/ArenaHistory.h"
#include "passes/Flow/waits/LaneOrder.h"

namespace windlass::flow {

/// The ordinal to wait for, by lane; 0: no wait.
using LaneOrdinals = std::array<int64_t, plan::kLanes>;

struct InstructionWaits {
  LaneOrdinals here{};                            ///< in its own section
  llvm::SmallVector<LaneOrdinals, 2> before = {}; ///< in each of SectionWaits::predecessors
};

struct SectionWaits {
  /// `mesh`: ranks along each axis.
  SectionWaits(SectionOp section, const HomeTable &homes, llvm::ArrayRef<int64_t> mesh, Buffers buffers);

  LaneOrder order;
  llvm::SmallVector<SectionOp> predecessors;
  std::vector<InstructionWaits> waits; ///< by instruction
};

} // namespace windlass::flow
