// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts the backward pass into gradients of inputs, which another stage waits for, and gradients of weights.

#include "passes/Flow/Passes.h"
#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/lowering/SectionLowering.h"
#include "passes/Flow/lowering/StepPasses.h"
#include "passes/Flow/waits/Schedules.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace windlass::flow {

#define GEN_PASS_DEF_SPLITBACKWARD
#include "passes/Flow/Passes.h.inc"

namespace {

/// What the instructions read and write that stay in the backward pass.
class Needs {
public:
  explicit Needs(const HomeTable &homes) : homes(homes) {}

  /// Whether one of them, all of which stand behind `op`, reads what it writes, or changes what it touches.
  bool conflictWith(InstructionOpInterface op) const {
    return llvm::any_of(op.getWrites(), [&](Value buffer) { return read.contains(rootOf(buffer)); }) ||
           llvm::any_of(op->getOperands(), [&](Value buffer) { return written.contains(rootOf(buffer)); });
  }

  void add(InstructionOpInterface op) {
    insert(op.getReads(), read);
    insert(op.getWrites(), written);
  }

private:
  static Value rootOf(Value buffer) { return resolveBuffer(buffer).root; }
  /// Scratch of a library carries nothing from one instruction to the next.
  void insert(ArrayRef<Value> buffers, llvm::DenseSet<Value> &roots) {
    for (Value buffer : buffers)
      if (HomeOp home = homes.behind(buffer); !home || home.getBufferClass() != BufferClass::Workspace)
        roots.insert(rootOf(buffer));
  }

  const HomeTable &homes;
  llvm::DenseSet<Value> read, written;
};

/// Reports and messages are what others wait for, those to this stage, too: its neighbour stands at them.
bool isWaitedFor(InstructionOpInterface op) { return isa<SendOp, RecvOp, ReportOp>(op.getOperation()); }

/// Moves what no message needs behind all that one needs, in program order.
LogicalResult split(SectionOp section, const HomeTable &homes) {
  const StepPasses passes(section);
  Needs needs(homes);
  llvm::DenseSet<Operation *> stay(passes.forward.begin(), passes.forward.end());
  Operation *last = nullptr; // of the backward pass, of those that stay
  for (InstructionOpInterface op : llvm::reverse(passes.backward))
    if (isWaitedFor(op) || needs.conflictWith(op)) {
      needs.add(op);
      stay.insert(op);
      last = last ? last : op.getOperation();
    }
  Block &body = section.getBody().front();
  SmallVector<InstructionOpInterface> moved;
  for (auto op : body.getOps<InstructionOpInterface>()) {
    if (stay.contains(op))
      continue;
    if (op.origin().getPhase() != Phase::Update)
      op->setAttr(kWeights, UnitAttr::get(op.getContext()));
    else if (last && op->isBeforeInBlock(last) && needs.conflictWith(op))
      return op->emitError("split-backward: the update changes what is still computed with");
    moved.push_back(op);
  }
  for (InstructionOpInterface op : moved)
    op->moveBefore(&body, body.end());
  placeReleases(section);
  return success();
}

struct SplitBackwardPass : impl::SplitBackwardBase<SplitBackwardPass> {
  using SplitBackwardBase::SplitBackwardBase;

  void runOnOperation() override {
    const HomeTable homes(getOperation());
    for (auto [section, times] : trainingSchedule(getOperation()))
      if (failed(split(section, homes)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace windlass::flow
