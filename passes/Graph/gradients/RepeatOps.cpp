// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/gradients/RepeatOps.h"

#include "passes/Graph/Attributes.h"

using namespace mlir;

namespace windlass::graph {

/// Works from the last op to the first: a repeated op is then in the backward pass when the ops that it reads
/// are looked at.
void repeatForBackward(ArrayRef<Operation *> forward) {
  if (forward.empty())
    return;
  Operation *last = forward.back();
  auto isBackward = [&](Operation *op) {
    return op->getBlock() == last->getBlock() && last->isBeforeInBlock(op);
  };
  for (Operation *op : llvm::reverse(forward)) {
    if (!op->hasAttr(kRepeat))
      continue;
    Operation *first = nullptr;
    for (Operation *user : op->getUsers())
      if (isBackward(user) && (!first || user->isBeforeInBlock(first)))
        first = user;
    if (!first)
      continue;
    OpBuilder builder(first);
    Operation *again = builder.clone(*op);
    again->removeAttr(kRepeat);
    setPhase(again, Phase::Recompute);
    for (auto [result, repeated] : llvm::zip_equal(op->getResults(), again->getResults()))
      result.replaceUsesWithIf(repeated, [&](OpOperand &use) { return isBackward(use.getOwner()); });
  }
}

} // namespace windlass::graph
