// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks the operands of kernels that hold attention scores: a device with fused attention never has them in
// its memory.

#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Graph/IR/decompositions/AttentionScores.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Dist/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace windlass::dist {

#define GEN_PASS_DEF_KEEPSCORESONCHIP
#include "passes/Dist/Passes.h.inc"

namespace {

using Positions = SmallVector<int64_t>;

struct KeepScoresOnChipPass : impl::KeepScoresOnChipBase<KeepScoresOnChipPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    // By kernel: the positions of scores, if all of its launches agree on them.
    llvm::MapVector<Operation *, Positions> onChip;
    getOperation().walk([&](Block *block) {
      const graph::ScoreSet scores = graph::findScores(llvm::make_range(block->begin(), block->end()),
                                                       [&](Operation &op) { return computed(op, symbols); });
      for (auto launch : block->getOps<LaunchOp>()) {
        Positions positions = graph::scorePositions(launch, scores);
        auto [known, isFirst] = onChip.insert({symbols.lookup(launch.getKernel()), positions});
        if (!isFirst && known->second != positions)
          known->second.clear();
      }
    });
    for (auto &[kernel, positions] : onChip)
      if (!positions.empty())
        kernel->setAttr(graph::kOnChip, Builder(kernel->getContext()).getDenseI64ArrayAttr(positions));
  }

private:
  static Operation *computed(Operation &op, SymbolTable &symbols) {
    if (auto launch = dyn_cast<LaunchOp>(op))
      return &symbols.lookup<func::FuncOp>(launch.getKernel()).getBody().front().front();
    return &op;
  }
};

} // namespace
} // namespace windlass::dist
