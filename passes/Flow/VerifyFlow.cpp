// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold when the flow level ends.

#include "passes/Flow/Passes.h"
#include "passes/Flow/waits/LaneOrder.h"

using namespace mlir;

namespace windlass::flow {

#define GEN_PASS_DEF_VERIFYFLOW
#include "passes/Flow/Passes.h.inc"

namespace {

struct VerifyFlowPass : impl::VerifyFlowBase<VerifyFlowPass> {
  void runOnOperation() override {
    good = true;
    for (auto home : getOperation().getOps<HomeOp>()) {
      if (!home.getTier())
        refuse(home, "home '" + home.getSymName() + "' has no tier");
      else if (static_cast<int64_t>(home.getOffset()) < 0)
        refuse(home, "home '" + home.getSymName() + "' has no offset");
    }
    for (auto section : getOperation().getOps<SectionOp>())
      verifySection(section);
    if (!good)
      signalPassFailure();
  }

private:
  void refuse(Operation *op, const Twine &rule) {
    op->emitError("verify-flow: ") << rule;
    good = false;
  }

  void verifySection(SectionOp section) {
    llvm::SmallPtrSet<Operation *, 32> live;
    for (Operation &op : section.getBody().front()) {
      if (auto alloc = dyn_cast<AllocOp>(op)) {
        live.insert(alloc);
        if (static_cast<int64_t>(alloc.getOffset()) < 0)
          refuse(alloc, "buffer '" + alloc.getName() + "' has no offset");
      }
      if (auto release = dyn_cast<ReleaseOp>(op))
        if (!live.erase(release.getBuffer().getDefiningOp()))
          refuse(release, "releases a buffer that is not live");
      auto instruction = dyn_cast<InstructionOpInterface>(op);
      if (!instruction)
        continue;
      if (!instruction.deriveLane())
        refuse(&op, "has no lane: its operands lie in tiers that no lane can touch together");
      if (!instruction.origin())
        refuse(&op, "has no origin");
      for (Value operand : op.getOperands())
        if (auto alloc = resolveBuffer(operand).root.getDefiningOp<AllocOp>(); alloc && !live.contains(alloc))
          refuse(&op, "uses buffer '" + alloc.getName() + "' outside its lifetime");
    }
    for (Operation *left : live)
      refuse(left, "buffer '" + cast<AllocOp>(left).getName() + "' is never released");
  }

  bool good = true;
};

} // namespace
} // namespace windlass::flow
