// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifies the placements of all values over tensor-parallel ranks.

#include "dialects/Graph/IR/GraphSplits.h"
#include "passes/Graph/SplitPasses.h"
#include "passes/Graph/placements/Placements.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_VERIFYSPLITS
#include "passes/Graph/SplitPasses.h.inc"

namespace {

struct VerifySplitsPass : impl::VerifySplitsBase<VerifySplitsPass> {
  using VerifySplitsBase::VerifySplitsBase;

  void runOnOperation() override {
    const int64_t ranks = tensorRanksOf(getOperation());
    if (ranks > 1 && failed(PlacementWalk(getOperation(), ranks).run()))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace windlass::graph
