// Replaces ops that are more than one kernel by their decomposition.

#include "dialects/Graph/IR/GraphDialect.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/Passes.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_DECOMPOSECOMPOSITES
#include "passes/Graph/Passes.h.inc"

namespace {

void decomposeOp(DecomposableOpInterface op) {
  Operation *before = op->getPrevNode();
  OpBuilder builder(op);
  SmallVector<Value> replacements = op.decompose(builder);
  Operation *built = before ? before->getNextNode() : &op->getBlock()->front();
  for (; built != op; built = built->getNextNode())
    setPhase(built, phaseOf(op));
  op->replaceAllUsesWith(replacements);
  op->erase();
}

struct DecomposeCompositesPass : impl::DecomposeCompositesBase<DecomposeCompositesPass> {
  using DecomposeCompositesBase::DecomposeCompositesBase;

  void runOnOperation() override {
    SmallVector<DecomposableOpInterface> composites;
    getOperation().walk([&](DecomposableOpInterface op) {
      if (!op.isOneKernel())
        composites.push_back(op);
    });
    llvm::for_each(composites, decomposeOp);
  }
};

} // namespace
} // namespace windlass::graph
