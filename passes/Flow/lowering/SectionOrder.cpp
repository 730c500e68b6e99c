// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/lowering/SectionOrder.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace windlass::flow {

void placeReleases(SectionOp section) {
  Block &body = section.getBody().front();
  for (auto release : llvm::make_early_inc_range(body.getOps<ReleaseOp>()))
    release.erase();
  llvm::MapVector<Value, Operation *> lastUser;
  for (Operation &op : body)
    if (auto instruction = dyn_cast<InstructionOpInterface>(op))
      for (Value operand : op.getOperands())
        if (Value root = resolveBuffer(operand).root; root.getDefiningOp<AllocOp>())
          lastUser[root] = &op;
  OpBuilder builder(section.getContext());
  for (auto &[root, op] : lastUser) {
    builder.setInsertionPointAfter(op);
    ReleaseOp::create(builder, section.getLoc(), root);
  }
}

void placeInOrder(SectionOp section, ArrayRef<InstructionOpInterface> instructions) {
  Block &body = section.getBody().front();
  for (auto release : llvm::make_early_inc_range(body.getOps<ReleaseOp>()))
    release.erase();
  llvm::SmallPtrSet<Operation *, 32> placed;
  auto place = [&](auto &self, Operation *op) -> void {
    if (!placed.insert(op).second)
      return;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        self(self, producer);
    op->moveBefore(&body, body.end());
  };
  for (auto use : llvm::to_vector(body.getOps<UseOp>()))
    place(place, use);
  for (InstructionOpInterface instruction : instructions)
    place(place, instruction);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isa<ViewOp, AllocOp, UseOp>(op) && op.use_empty())
      op.erase();
  placeReleases(section);
}

} // namespace windlass::flow
