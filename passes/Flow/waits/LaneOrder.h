// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LaneOrder.h - the instructions of a section by lane ===================//
//
// Duty: lane and ordinal (from 1) of every instruction of a section.
// Threads, ownership: refers to the section.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"
#include <array>
#include <vector>

namespace windlass::flow {

inline bool isNvmeLane(Lane lane) { return lane == Lane::NcIn || lane == Lane::NcOut; }

struct LaneOrder {
  explicit LaneOrder(SectionOp section);

  llvm::SmallVector<InstructionOpInterface> instructions;
  std::vector<Lane> lanes;
  std::vector<int64_t> ordinals;
  std::array<std::vector<uint32_t>, plan::kLanes> byLane; ///< instruction numbers; ordinal - 1 is the index
};

} // namespace windlass::flow
