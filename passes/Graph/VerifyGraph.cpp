// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifies the rules that the dist level relies on. One function per rule; each reports the first violation
// that it finds.

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/Passes.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_VERIFYGRAPH
#include "passes/Graph/Passes.h.inc"

namespace {

LogicalResult verifyShapes(Operation *op) {
  for (Type type : op->getResultTypes())
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && !shaped.hasStaticShape())
      return op->emitOpError("has a shape that is not static: ") << type;
  return success();
}

LogicalResult verifyNoComposite(Operation *op, ArrayRef<std::string> whole) {
  auto composite = dyn_cast<DecomposableOpInterface>(op);
  if (composite && !composite.isOneKernel() && !llvm::is_contained(whole, op->getName().getStringRef()))
    return op->emitOpError("is more than one kernel; decompose-composites must run before the level ends");
  return success();
}

LogicalResult verifyPhase(Operation *op) {
  const std::optional<Phase> phase = phaseOf(op);
  if (op->hasAttr(kPhase) && phase != Phase::Backward && phase != Phase::Recompute)
    return op->emitOpError("has a phase that is neither backward nor recompute: ") << op->getAttr(kPhase);
  return success();
}

LogicalResult verifyLayerFunction(func::FuncOp function) {
  if (!function.isPrivate() || function.isExternal())
    return function.emitOpError("must be private and have a body, as layer functions do");
  for (Type type : function.getArgumentTypes())
    if (auto shaped = dyn_cast<ShapedType>(type); !shaped || !shaped.hasStaticShape())
      return function.emitOpError("takes an argument that is no tensor of static shape: ") << type;
  for (Operation &op : function.front().without_terminator())
    if (!isPure(&op))
      return op.emitOpError("stands in layer function \"") << function.getName() << "\", which must be pure";
  return success();
}

LogicalResult verifyCall(func::CallOp call) {
  if (!call->getAttrOfType<StringAttr>(kLayer))
    return call.emitOpError("does not say in the attribute \"layer\" which instance it runs");
  return success();
}

/// Verifies writes of states. The ops' own verifiers check that a state is written once, and not in a
/// micro-batch.
LogicalResult verifyWrites(StepOp step) {
  if (step.getSymName() == "train")
    return success();
  for (auto write : step.getOps<WriteOp>())
    return write.emitOpError("stands in step \"") << step.getSymName() << "\"; only \"train\" changes states";
  return success();
}

/// Verifies that every gradient names its state, and has the shape of that state.
LogicalResult verifyGradients(MicroBatchesOp micro) {
  const ArrayAttr parameters = micro.getGradientOfAttr();
  if (!parameters || parameters.size() != micro->getNumResults())
    return micro.emitOpError("must name the parameter of each of its ")
           << micro->getNumResults() << " results in `gradient_of`";
  SymbolTable symbols(micro->getParentOfType<ModuleOp>());
  for (auto [name, gradient] : llvm::zip_equal(parameters, micro->getResults())) {
    auto symbol = dyn_cast<FlatSymbolRefAttr>(name);
    auto state = symbol ? symbols.lookup<StateOp>(symbol.getValue()) : StateOp();
    if (!state || state.getRole() != Role::Parameter ||
        cast<ShapedType>(gradient.getType()).getShape() != cast<ShapedType>(state.getType()).getShape())
      return micro.emitOpError("has a result of type ")
             << gradient.getType() << " that is no gradient of " << name;
  }
  return success();
}

/// Verifies that element i of each result depends on element i of the inputs and on scalars alone, so that
/// any rank can update any piece.
LogicalResult verifyUpdateMap(MapOp map) {
  for (AffineMap at : map.getMapValues())
    if (!at.isIdentity() && at.getNumResults() != 0)
      return map.emitOpError("stands in the update and reads an input at ")
             << AffineMapAttr::get(at) << "; only whole elements and scalars can be read there";
  return success();
}

LogicalResult verifyUpdate(StepOp train) {
  for (Operation &op : train.getBody().front()) {
    if (auto map = dyn_cast<MapOp>(op)) {
      if (failed(verifyUpdateMap(map)))
        return failure();
    } else if (auto micro = dyn_cast<MicroBatchesOp>(op)) {
      if (failed(verifyGradients(micro)))
        return failure();
    } else if (!isa<FeedOp, ReadOp, WriteOp, ReportOp, GradNormOp>(op)) {
      return op.emitOpError(
          "stands in the update; only feeds, reads, elementwise maps, grad_norm, writes and "
          "reports may");
    }
  }
  return success();
}

LogicalResult verifyModule(ModuleOp module, ArrayRef<std::string> whole) {
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    if (failed(verifyShapes(op)) || failed(verifyNoComposite(op, whole)) || failed(verifyPhase(op)))
      return failure();
    if (auto call = dyn_cast<func::CallOp>(op))
      return verifyCall(call);
    return success();
  });
  if (result.wasInterrupted())
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(verifyLayerFunction(function)))
      return failure();
  for (auto step : module.getOps<StepOp>())
    if (failed(verifyWrites(step)) || (step.getSymName() == "train" && failed(verifyUpdate(step))))
      return failure();
  return success();
}

struct VerifyGraphPass : impl::VerifyGraphBase<VerifyGraphPass> {
  using VerifyGraphBase::VerifyGraphBase;

  void runOnOperation() override {
    if (failed(verifyModule(getOperation(), llvm::to_vector(whole))))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace windlass::graph
