// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts the backward pass into gradients of inputs, which another stage waits for, and gradients of weights.

#include "passes/Flow/Passes.h"
#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/lowering/SectionOrder.h"
#include "passes/Flow/lowering/StepPasses.h"
#include "passes/Flow/waits/Schedules.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace windlass::flow {

#define GEN_PASS_DEF_SPLITBACKWARD
#include "passes/Flow/Passes.h.inc"

namespace {

/// The buffers that the instructions that stay in the backward pass read and write.
class Needs {
public:
  explicit Needs(const HomeTable &homes) : homes(homes) {}

  /// Whether `op` has a RAW, WAR or WAW dependence with an instruction of this set: both use a buffer, and at
  /// least one of them writes it.
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

/// Whether another stage or the host waits for `op`. A receive counts, too: the sending stage waits for it.
bool isWaitedFor(InstructionOpInterface op) { return isa<SendOp, RecvOp, ReportOp>(op.getOperation()); }

/// Moves instructions that no message and no report needs behind all instructions that one needs. Both groups
/// keep their program order.
LogicalResult split(SectionOp section, const HomeTable &homes) {
  const StepPasses passes(section);
  Needs needs(homes);
  llvm::DenseSet<Operation *> stay(passes.forward.begin(), passes.forward.end());
  Operation *last = nullptr; // the last instruction of the backward pass that stays
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
