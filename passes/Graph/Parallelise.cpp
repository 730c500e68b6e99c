// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shares out the operations of a replica over ranks.

#include "dialects/Graph/IR/GraphExchange.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "passes/Graph/SplitPasses.h"
#include "passes/Graph/splits/SplitModel.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_PARALLELISE
#include "passes/Graph/SplitPasses.h.inc"

namespace {

struct ParallelisePass : impl::ParalleliseBase<ParallelisePass> {
  using ParalleliseBase::ParalleliseBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (ranks < 1 || tensorRanksOf(module) > 1) {
      module.emitError("operations are shared out once, over at least one rank, but over ")
          << ranks.getValue() << " after " << tensorRanksOf(module);
      return signalPassFailure();
    }
    if (ranks == 1)
      return;
    if (Status shared = SplitModel(module, ranks).run(); !shared.isOk()) {
      module.emitError() << shared.message();
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace windlass::graph
