// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pads the rows of matrices that a library multiplies, so that each begins at a multiple of some bytes.

#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Graph/IR/GraphPitch.h"
#include "passes/Dist/Passes.h"

using namespace mlir;

namespace windlass::dist {

#define GEN_PASS_DEF_PADROWS
#include "passes/Dist/Passes.h.inc"

namespace {

/// Rows of fewer than kLeastRow bytes are not padded: the padding would be large beside them. Every library
/// accepts rows that begin at multiples of kWantedAlignment.
constexpr int64_t kLeastRow = 1024, kWantedAlignment = 16;

bool isMultiplied(OpOperand &use) {
  auto product = dyn_cast<graph::MatmulOp>(use.getOwner());
  return product && use.get() != product.getOnto();
}

bool isLogits(OpOperand &use) {
  if (auto loss = dyn_cast<graph::CrossEntropyOp>(use.getOwner()))
    return use.get() == loss.getLogits();
  auto gradient = dyn_cast<graph::CrossEntropyGradOp>(use.getOwner());
  return gradient && use.get() == gradient.getLogits();
}

/// Whether an op reads the matrix element by element, as the sum with a bias and the reduction of its
/// gradient do.
template <typename LoopOp> bool isReadBy(OpOperand &use) {
  auto loops = dyn_cast<LoopOp>(use.getOwner());
  return loops && loops.getMapValues()[use.getOperandNumber()].isProjectedPermutation();
}

bool followsRows(OpOperand &use) {
  return isMultiplied(use) || isLogits(use) || isReadBy<graph::MapOp>(use) || isReadBy<graph::ReduceOp>(use);
}

struct PadRowsPass : impl::PadRowsBase<PadRowsPass> {
  using PadRowsBase::PadRowsBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      auto product = dyn_cast<graph::MatmulOp>(op);
      if (product ? !product.getOnto() : isa<graph::CrossEntropyGradOp>(op))
        pad(op->getResult(0), product != nullptr);
    });
  }

private:
  void pad(Value matrix, bool isProduct) {
    auto type = cast<RankedTensorType>(matrix.getType());
    const int64_t elementBytes = type.getElementTypeBitWidth() / 8;
    const int64_t bytes = type.getShape().back() * elementBytes;
    if (type.getRank() != 2 || type.getEncoding() || bytes < kLeastRow || bytes % kWantedAlignment == 0 ||
        !(isProduct || llvm::any_of(matrix.getUses(), isMultiplied)) ||
        !llvm::all_of(matrix.getUses(), followsRows))
      return;
    matrix.setType(graph::withPitch(type, llvm::alignTo(bytes, alignment) / elementBytes));
  }
};

} // namespace
} // namespace windlass::dist
