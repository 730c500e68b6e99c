// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps become flat sections of instructions on buffers.

#include "passes/Flow/Homes.h"
#include "passes/Flow/Passes.h"
#include "passes/Flow/SectionLowering.h"
#include "passes/Graph/Attributes.h"

using namespace mlir;

namespace windlass::flow {

#define GEN_PASS_DEF_LOWERTOFLOW
#include "passes/Flow/Passes.h.inc"

namespace {

struct LowerToFlowPass : impl::LowerToFlowBase<LowerToFlowPass> {
  using LowerToFlowBase::LowerToFlowBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!dist::meshOf(module)) {
      module.emitError("lower-to-flow needs the dist.mesh that partition declares");
      return signalPassFailure();
    }
    dist::KernelTable kernels(module);
    OpBuilder builder(module.getContext());
    builder.setInsertionPointToEnd(module.getBody());
    declareHomes(module, builder);
    SymbolTable symbols(module);

    SmallVector<graph::StepOp> steps = llvm::to_vector(module.getOps<graph::StepOp>());
    for (graph::StepOp step : steps)
      if (failed(lowerStep(step, symbols, kernels, builder)))
        return signalPassFailure();
    for (graph::StepOp step : steps)
      step.erase();
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (!function->hasAttr(dist::kKernelAttr))
        function.erase();
  }

private:
  void declareHomes(ModuleOp module, OpBuilder &builder) {
    HomeOp::create(builder, module.getLoc(), kScratchHome, scratchBytes, "workspace", Tier::Device);
    for (auto bucket : module.getOps<dist::BucketOp>())
      declareStateHomes(builder, bucket);
    SymbolTable symbols(module);
    module.walk([&](graph::MicroBatchesOp micro) {
      for (const Accumulator &accumulator : accumulatorsOf(micro, symbols))
        declareAccumulator(accumulator, builder);
    });
  }

  /// The home of a sum; of units, that of the shard they are reduced to as well.
  void declareAccumulator(Accumulator accumulator, OpBuilder &builder) {
    Type element = cast<RankedTensorType>(accumulator.sum.getType()).getElementType();
    dist::BucketOp bucket = accumulator.bucket;
    auto declare = [&](int64_t elements, int64_t unit) {
      auto home = HomeOp::create(
          builder, bucket.getLoc(), gradientHomeName(bucket.getSymName(), accumulator.use, unit),
          roundUp(elements * bytesOf(element), kShardGranule), kGradientRole, Tier::Unplaced,
          bucket.getSymName(), kGradientRole, unit, /*offset=*/-1, bucket.ownerRank());
      home->setAttr(kElement, TypeAttr::get(element));
    };
    if (accumulator.unit >= 0)
      declare(bucket.sharers() * bucket.getPieces()[accumulator.unit], accumulator.unit);
    if (accumulator.unit <= 0)
      declare(bucket.getPartElements(), -1);
  }

  LogicalResult lowerStep(graph::StepOp step, const SymbolTable &symbols, dist::KernelTable &kernels,
                          OpBuilder &builder) {
    auto micros = step.getBody().front().getOps<graph::MicroBatchesOp>();
    const std::set<std::string> held(kept.begin(), kept.end());
    if (micros.empty())
      return lowerSection(step, step.getSymName(), {true, false, 1, held}, symbols, kernels, builder);
    int64_t count = (*micros.begin()).getCount();
    if (count == 1 || vertical)
      return lowerSection(step, "only", {true, true, count, held}, symbols, kernels, builder);
    if (failed(lowerSection(step, "first", {true, false, 1, held}, symbols, kernels, builder)))
      return failure();
    if (count > 2 && failed(lowerSection(step, "middle", {false, false, 1, held}, symbols, kernels, builder)))
      return failure();
    return lowerSection(step, "last", {false, true, 1, held}, symbols, kernels, builder);
  }

  LogicalResult lowerSection(graph::StepOp step, StringRef name, const SectionOptions &options,
                             const SymbolTable &symbols, dist::KernelTable &kernels, OpBuilder &builder) {
    auto section = SectionOp::create(builder, step.getLoc(), name);
    section.getBody().emplaceBlock();
    if (failed(SectionLowering(section, symbols, kernels, options).lower(step)))
      return failure();
    placeReleases(section);
    return success();
  }
};

} // namespace
} // namespace windlass::flow
