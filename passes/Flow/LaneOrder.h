// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LaneOrder.h - the instructions of a section by lane =================//
//
// Duty: lane and ordinal (from 1) of every instruction of a section, how often a step
// runs the section, and which sections may run just before it.
// Threads, ownership: refers to the section.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"
#include <array>
#include <vector>

namespace windlass::flow {

inline constexpr size_t kLaneCount = 8;

inline bool isNvmeLane(Lane lane) { return lane == Lane::NcIn || lane == Lane::NcOut; }

struct LaneOrder {
  explicit LaneOrder(SectionOp section);

  llvm::SmallVector<InstructionOpInterface> instructions;
  std::vector<Lane> lanes;
  std::vector<int64_t> ordinals;
  std::array<std::vector<uint32_t>, kLaneCount> byLane; ///< instruction numbers; ordinal - 1 is the index
};

/// How often a training step runs a section.
int64_t runsOf(SectionOp section, int64_t microBatches);

/// A section, and how many times it runs, one run after the other.
struct RepeatedSection {
  SectionOp section;
  int64_t times = 1;
};
/// What a training step runs, in this order.
llvm::SmallVector<RepeatedSection> sectionsOfStep(mlir::ModuleOp module, int64_t microBatches);

/// `middle` may follow `first` and itself, `last` follows `middle`, or `first` where there is no middle.
llvm::SmallVector<SectionOp> predecessorsOf(SectionOp section);

} // namespace windlass::flow
