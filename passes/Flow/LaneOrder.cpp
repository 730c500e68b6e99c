// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/LaneOrder.h"

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

int64_t runsOf(SectionOp section, int64_t microBatches) {
  StringRef name = section.getSymName();
  if (name == "evaluate" || name == "sample")
    return 0;
  return name == "middle" ? microBatches - 2 : 1;
}

SmallVector<RepeatedSection> sectionsOfStep(ModuleOp module, int64_t microBatches) {
  SmallVector<RepeatedSection> sections;
  for (StringRef name : {"only", "first", "middle", "last"})
    if (auto section = module.lookupSymbol<SectionOp>(name))
      if (const int64_t times = runsOf(section, microBatches); times > 0)
        sections.push_back({section, times});
  return sections;
}

SmallVector<SectionOp> predecessorsOf(SectionOp section) {
  auto module = section->getParentOfType<ModuleOp>();
  auto first = module.lookupSymbol<SectionOp>("first"), middle = module.lookupSymbol<SectionOp>("middle");
  if (section.getSymName() == "middle")
    return {first, middle};
  if (section.getSymName() == "last")
    return {middle ? middle : first};
  return {};
}

} // namespace windlass::flow
