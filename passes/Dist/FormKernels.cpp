// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outlines every compute op into a kernel.

#include "passes/Dist/Kernels.h"
#include "passes/Dist/Passes.h"

using namespace mlir;

namespace windlass::dist {

#define GEN_PASS_DEF_FORMKERNELS
#include "passes/Dist/Passes.h.inc"

namespace {

/// Compute that a kernel does; reshapes move nothing, bodies of maps are part of their map.
bool isCompute(Operation *op) {
  return isa<graph::IterationSpaceOpInterface>(op) && isa<graph::GraphDialect>(op->getDialect());
}

struct FormKernelsPass : impl::FormKernelsBase<FormKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    KernelTable kernels(module);
    SmallVector<Operation *> compute;
    for (Operation &top : *module.getBody()) {
      if (top.hasAttr(kKernelAttr))
        continue;
      top.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (!isCompute(op))
          return WalkResult::advance();
        compute.push_back(op);
        return WalkResult::skip();
      });
    }
    for (Operation *op : compute) {
      func::FuncOp kernel = kernels.getOrCreate(op);
      OpBuilder builder(op);
      auto launch = LaunchOp::create(builder, op->getLoc(), op->getResultTypes(), kernel.getSymName(),
                                     op->getOperands());
      launch->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      op->replaceAllUsesWith(launch->getResults());
      op->erase();
    }
  }
};

} // namespace
} // namespace windlass::dist
