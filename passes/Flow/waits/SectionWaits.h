// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SectionWaits.h - what every instruction waits for, from its bytes ===//
//
// Duty: for every instruction of a section the instructions that touch the same bytes before it, in its own
// section and in the sections that may run just before; of each lane the last.
// Threads, ownership: refers to the section.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/waits/ArenaHistory.h"
#include "passes/Flow/waits/LaneOrder.h"

namespace windlass::flow {

/// An ordinal by lane; 0: none.
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
