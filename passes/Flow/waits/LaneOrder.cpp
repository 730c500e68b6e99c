// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/waits/LaneOrder.h"

using namespace mlir;

namespace windlass::flow {

LaneOrder::LaneOrder(SectionOp section) {
  for (Operation &op : section.getBody().front()) {
    auto instruction = dyn_cast<InstructionOpInterface>(op);
    if (!instruction)
      continue;
    Lane lane = *instruction.deriveLane();
    auto &mine = byLane[static_cast<size_t>(lane)];
    mine.push_back(instructions.size());
    instructions.push_back(instruction);
    lanes.push_back(lane);
    ordinals.push_back(mine.size());
  }
}

} // namespace windlass::flow
