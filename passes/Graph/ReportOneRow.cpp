// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a sample step compute the logits of the one token that is sampled.

#include "dialects/Graph/IR/GraphBuilders.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/tiles/SampleRow.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_REPORTONEROW
#include "passes/Graph/Passes.h.inc"

namespace {

struct ReportOneRowPass : impl::ReportOneRowBase<ReportOneRowPass> {
  using ReportOneRowBase::ReportOneRowBase;

  void runOnOperation() override {
    auto sample = getOperation().lookupSymbol<StepOp>("sample");
    if (!sample)
      return;
    reportOneRow(sample, [&](MatmulOp product) {
      RankedTensorType logits = typeOf(product.getResult());
      return logits.getNumElements() * logits.getElementTypeBitWidth() / 8 > limit;
    });
  }
};

} // namespace
} // namespace windlass::graph
