// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps become flat sections of instructions on buffers.

#include "dialects/Graph/IR/kernels/GraphPartialSums.h"
#include "passes/Dist/Stages.h"
#include "passes/Flow/Passes.h"
#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/homes/StagingHomes.h"
#include "passes/Flow/lowering/SectionLowering.h"
#include "passes/Flow/lowering/SectionOrder.h"
#include "passes/Graph/Attributes.h"

using namespace mlir;

namespace windlass::flow {

#define GEN_PASS_DEF_LOWERTOFLOW
#include "passes/Flow/Passes.h.inc"

namespace {

/// Erases gathers of values that nothing reads, which layers return or take in vain. All ranks of a group run
/// one section, so that none of them waits for another.
void eraseUnreadGathers(SectionOp section) {
  const auto gathers = llvm::to_vector(section.getBody().front().getOps<AllGatherOp>());
  for (AllGatherOp gather : llvm::reverse(gathers)) {
    const SmallVector<Value> units = llvm::to_vector(gather.getUnits());
    if (!llvm::all_of(units, [](Value unit) { return unit.getDefiningOp<AllocOp>() && unit.hasOneUse(); }))
      continue;
    gather.erase();
    for (Value unit : units)
      unit.getDefiningOp()->erase();
  }
}

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
    declareStagingHomes(builder, module, stagingBytes);
    for (graph::StepOp step : steps)
      step.erase();
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (!function->hasAttr(dist::kKernelAttr))
        function.erase();
      else if (SmallVector<int64_t> bytes = graph::partialBytes(function); phases && !bytes.empty())
        function->setAttr(graph::kPartials, builder.getDenseI64ArrayAttr(bytes));
  }

private:
  void declareHomes(ModuleOp module, OpBuilder &builder) {
    HomeOp::create(builder, module.getLoc(), kScratchHome, scratchBytes, BufferClass::Workspace, Tier::Device,
                   FlatSymbolRefAttr(), graph::RoleAttr(), /*unit=*/-1, /*use=*/0, TypeAttr());
    for (auto bucket : module.getOps<dist::BucketOp>())
      declareStateHomes(builder, bucket);
    SymbolTable symbols(module);
    module.walk([&](graph::MicroBatchesOp micro) {
      for (const Accumulator &accumulator : accumulatorsOf(micro, symbols))
        declareAccumulator(builder, accumulator);
    });
    module.walk([&](dist::RecvOp recv) {
      if (dist::isBeforeMicroBatches(recv))
        declareReceived(builder, recv);
    });
  }

  LogicalResult lowerStep(graph::StepOp step, const SymbolTable &symbols, dist::KernelTable &kernels,
                          OpBuilder &builder) {
    auto micros = step.getBody().front().getOps<graph::MicroBatchesOp>();
    const std::set<std::string> held(kept.begin(), kept.end());
    if (micros.empty()) {
      auto purpose = plan::fromText<Purpose>(step.getSymName());
      if (!purpose)
        return step.emitOpError("'") << step.getSymName() << "' is no purpose that a plan has sections for";
      return lowerSchedule(step, *purpose, {{step.getSymName(), {true, false, 1, held, phases}}}, symbols,
                           kernels, builder);
    }
    int64_t count = (*micros.begin()).getCount();
    if (count == 1 || vertical)
      return lowerSchedule(step, Purpose::Train, {{"only", {true, true, count, held, phases}}}, symbols,
                           kernels, builder);
    SmallVector<Part> parts = {{"first", {true, false, 1, held, phases}}};
    if (count > 2)
      parts.push_back({"middle", {false, false, 1, held, phases}, count - 2});
    parts.push_back({"last", {false, true, 1, held, phases}});
    return lowerSchedule(step, Purpose::Train, parts, symbols, kernels, builder);
  }

  /// A section of a step, and how often it runs in a row.
  struct Part {
    StringRef name;
    SectionOptions options;
    int64_t times = 1;
  };

  LogicalResult lowerSchedule(graph::StepOp step, Purpose purpose, ArrayRef<Part> parts,
                              const SymbolTable &symbols, dist::KernelTable &kernels, OpBuilder &builder) {
    SmallVector<Attribute> sections;
    SmallVector<int64_t> times;
    for (const Part &part : parts) {
      sections.push_back(FlatSymbolRefAttr::get(builder.getContext(), part.name));
      times.push_back(part.times);
    }
    ScheduleOp::create(builder, step.getLoc(), purpose, builder.getArrayAttr(sections), times);
    return success(llvm::all_of(parts, [&](const Part &part) {
      return succeeded(lowerSection(step, part.name, part.options, symbols, kernels, builder));
    }));
  }

  LogicalResult lowerSection(graph::StepOp step, StringRef name, const SectionOptions &options,
                             const SymbolTable &symbols, dist::KernelTable &kernels, OpBuilder &builder) {
    auto section = SectionOp::create(builder, step.getLoc(), name, options.microBatches);
    section.getBody().emplaceBlock();
    if (failed(SectionLowering(section, symbols, kernels, options).lower(step)))
      return failure();
    eraseUnreadGathers(section);
    placeReleases(section);
    return success();
  }
};

} // namespace
} // namespace windlass::flow
