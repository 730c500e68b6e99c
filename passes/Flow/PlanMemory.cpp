// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Homes, order and offsets, decided together: the pass, and what a module made by hand may lack.

#include "passes/Flow/PlanMemory.h"

#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Flow/Passes.h"
#include "passes/Flow/layout/MemoryPlanner.h"

using namespace mlir;

namespace windlass::flow {

#define GEN_PASS_DEF_PLANMEMORY
#include "passes/Flow/Passes.h.inc"

namespace {

/// What a module made by hand may lack: kernels that are there, origins, a tier for every buffer but homes of
/// states.
class Preconditions {
public:
  explicit Preconditions(ModuleOp module) : symbols(module) {
    module.walk([&](Operation *op) {
      if (auto instruction = dyn_cast<InstructionOpInterface>(op); instruction && !instruction.origin())
        refuse(op, "has no origin");
      if (auto alloc = dyn_cast<AllocOp>(op); alloc && !bufferType(alloc.getBuffer()).getTier())
        refuse(op, "allocates a buffer without a tier");
      if (auto home = dyn_cast<HomeOp>(op); home && !home.getTier() && !home.getRole())
        refuse(op, "has neither a tier nor a role to be placed by");
      if (auto launch = dyn_cast<LaunchOp>(op))
        checkKernel(op, launch.getKernel());
      if (auto update = dyn_cast<UpdateOp>(op))
        checkKernel(op, update.getKernel());
    });
  }

  LogicalResult result() const { return success(good); }

private:
  void checkKernel(Operation *op, StringRef name) {
    auto kernel = symbols.lookup<func::FuncOp>(name);
    if (!kernel || !kernel->hasAttr(dist::kKernelAttr) || kernel.isExternal())
      refuse(op, "'" + name + "' is not a kernel of this module");
  }

  void refuse(Operation *op, const Twine &rule) {
    op->emitOpError(rule);
    good = false;
  }

  SymbolTable symbols;
  bool good = true;
};

struct PlanMemoryPass : impl::PlanMemoryBase<PlanMemoryPass> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    if (failed(Preconditions(getOperation()).result()))
      return signalPassFailure();
    Result<model::Machine> machine = model::readMachine(hardware);
    if (!machine) {
      getOperation().emitError(machine.status().message());
      return signalPassFailure();
    }
    std::optional<plan::Shortage> shortage; // for the message
    PlanMemoryRequest request;
    request.shortage = &shortage;
    if (credits > 0)
      request.credits.fill(credits);
    request.overlap = overlap;
    request.chunkElements = chunkElements;
    for (const auto &[word, tier] : pins) {
      const std::optional<plan::PlacementClass> cls = plan::placementClassOf(word);
      if (!cls) {
        getOperation().emitError("pins: \"" + word + "\" is no class of items that are placed");
        return signalPassFailure();
      }
      request.pins[*cls].others = tier;
    }
    OwningOpRef<ModuleOp> planned;
    if (Result<MemoryPlan> plan = planMemory(getOperation(), *machine, request, planned); !plan) {
      getOperation().emitError(plan.status().message());
      return signalPassFailure();
    }
    getOperation().getBodyRegion().takeBody(planned->getBodyRegion());
    getOperation()->setAttrs((*planned)->getAttrs());
  }
};

} // namespace

Arena arenaOf(ModuleOp planned, plan::Tier tier) {
  auto arenas = planned->getAttrOfType<DictionaryAttr>(kArenas);
  auto sizes = arenas ? arenas.getAs<DenseI64ArrayAttr>(plan::textOf(tier)) : DenseI64ArrayAttr();
  return sizes ? Arena{sizes[0], sizes[1], sizes[2]} : Arena();
}

Result<MemoryPlan> planMemory(ModuleOp module, const model::Machine &machine,
                              const PlanMemoryRequest &request, OwningOpRef<ModuleOp> &planned) {
  return MemoryPlanner(module, machine, request).run(planned);
}

} // namespace windlass::flow
