// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces ops that are more than one kernel by their decompositions.

#include "dialects/Graph/IR/GraphDialect.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/Passes.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_DECOMPOSECOMPOSITES
#include "passes/Graph/Passes.h.inc"

namespace {

struct DecomposeCompositesPass : impl::DecomposeCompositesBase<DecomposeCompositesPass> {
  using DecomposeCompositesBase::DecomposeCompositesBase;

  void runOnOperation() override {
    SmallVector<DecomposableOpInterface> composites;
    getOperation().walk([&](DecomposableOpInterface op) {
      if (!op.isOneKernel() && !llvm::is_contained(whole, op->getName().getStringRef()))
        composites.push_back(op);
    });
    for (DecomposableOpInterface op : composites)
      replaceOp(op, [&](OpBuilder &builder) { return op.decompose(builder); });
  }
};

} // namespace
} // namespace windlass::graph
