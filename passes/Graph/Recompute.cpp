// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Repeats layers in the backward pass instead of keeping their residuals.

#include "mlir/IR/IRMapping.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/gradients/LayerGradient.h"
#include "passes/Graph/recompute/RecomputingLayer.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_RECOMPUTE
#include "passes/Graph/Passes.h.inc"

namespace {

/// Rewrites the calls of a group of consecutive layers. Kept are the residuals of the last layer and the
/// input of the first layer.
class GroupRewriter {
public:
  GroupRewriter(ArrayRef<LayerCalls> group, RecomputingLayer recomputing)
      : group(group), recomputing(recomputing), builder(recomputing.backward.getContext()) {}

  void rewrite() {
    repeatForward();
    for (LayerCalls layer : group.drop_back())
      for (OpOperand &operand : layer.backwardCall->getOpOperands())
        operand.set(repeated.lookupOrDefault(operand.get()));
    LayerCalls last = group.back();
    func::CallOp forward = callBefore(last.forwardCall, recomputing.forward, last.forwardCall.getOperands());
    replace(last.backwardCall,
            callBefore(last.backwardCall, recomputing.backward, backwardOperands(forward)));
    replace(last.forwardCall, forward);
    for (LayerCalls layer : group.drop_back()) {
      func::CallOp call = layer.forwardCall;
      replace(call, callBefore(call, layer.plain, call.getOperands()));
    }
  }

private:
  /// Repeats all layers but the last, before the first backward call of the group.
  void repeatForward() {
    func::CallOp first = group.front().backwardCall;
    for (LayerCalls layer : group)
      if (layer.backwardCall->isBeforeInBlock(first))
        first = layer.backwardCall;
    builder.setInsertionPoint(first);
    for (LayerCalls layer : group.drop_back())
      setPhase(builder.clone(*layer.forwardCall.getOperation(), repeated), Phase::Recompute);
  }

  /// `forward`: the new call of the last layer.
  SmallVector<Value> backwardOperands(func::CallOp forward) {
    LayerCalls last = group.back();
    llvm::SmallDenseMap<unsigned, Value> gradients;
    for (unsigned i = 0; i < last.backward.getNumArguments(); ++i)
      if (auto gradient = argumentIndex(last.backward, i, kResultGradient))
        gradients[*gradient] = last.backwardCall.getOperand(i);
    SmallVector<Value> operands;
    for (unsigned i = 0; i < recomputing.backward.getNumArguments(); ++i) {
      if (auto argument = argumentIndex(recomputing.backward, i, kArgument))
        operands.push_back(repeated.lookupOrDefault(forward.getOperand(*argument)));
      else if (auto result = argumentIndex(recomputing.backward, i, kResult))
        operands.push_back(forward.getResult(*result));
      else
        operands.push_back(gradients.lookup(*argumentIndex(recomputing.backward, i, kResultGradient)));
    }
    return operands;
  }

  func::CallOp callBefore(func::CallOp call, func::FuncOp callee, ValueRange operands) {
    builder.setInsertionPoint(call);
    auto fresh = func::CallOp::create(builder, call.getLoc(), callee, operands);
    fresh->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    return fresh;
  }

  /// Replaces `call` by `fresh`. The results of the layer function are the first results of both; the other
  /// results of `call` have no users left.
  void replace(func::CallOp call, func::CallOp fresh) {
    for (auto [old, result] : llvm::zip(call.getResults(), fresh.getResults()))
      old.replaceAllUsesWith(result);
    call.erase();
  }

  ArrayRef<LayerCalls> group;
  RecomputingLayer recomputing;
  OpBuilder builder;
  IRMapping repeated; ///< results of the forward calls -> of their repetition
};

/// Groups of at most `every` consecutive layers of one function.
SmallVector<ArrayRef<LayerCalls>> groupLayers(ArrayRef<LayerCalls> layers, size_t every) {
  SmallVector<ArrayRef<LayerCalls>> groups;
  while (!layers.empty()) {
    size_t size = 1;
    while (size < every && size < layers.size() && layers[size].plain == layers.front().plain)
      ++size;
    groups.push_back(layers.take_front(size));
    layers = layers.drop_front(size);
  }
  return groups;
}

void eraseUncalled(ModuleOp module, const llvm::SetVector<Operation *> &functions) {
  for (Operation *function : functions)
    if (SymbolTable::symbolKnownUseEmpty(function, module))
      function->erase();
}

struct RecomputePass : impl::RecomputeBase<RecomputePass> {
  using RecomputeBase::RecomputeBase;

  void runOnOperation() override {
    if (failed(checkOptions()))
      return signalPassFailure();
    auto train = getOperation().lookupSymbol<StepOp>("train");
    if (mode == "none" || !train)
      return;
    SmallVector<LayerCalls> calls = findLayers(train);
    Result<KeptActivations> kept = findKept(calls, keptNames());
    if (!kept) {
      getOperation().emitError("recompute: ") << kept.status().message();
      return signalPassFailure();
    }
    if (mode == "kept")
      llvm::erase_if(calls, [&](LayerCalls layer) { return !kept->contains(layer.forward); });
    if (layers > 0 && layers < static_cast<int64_t>(calls.size()))
      calls.truncate(layers);
    rewrite(calls, *kept);
  }

private:
  LogicalResult checkOptions() {
    ModuleOp module = getOperation();
    if (mode != "none" && mode != "full" && mode != "kept")
      return module.emitError("recompute mode is \"none\", \"full\" or \"kept\", not \"") << mode << "\"";
    if (mode != "kept" && !keep.empty())
      return module.emitError("recompute keeps activations of \"")
             << keep.front().name << "\" in mode \"kept\", not in \"" << mode << "\"";
    if (layers < 0)
      return module.emitError("recompute repeats the first 1, 2, ... layers or all (0), not ")
             << layers.getValue();
    if (every < 1)
      return module.emitError("recompute keeps the input of every 1st, 2nd, ... layer, not of every ")
             << every.getValue() << "th";
    return success();
  }

  KeptNames keptNames() {
    KeptNames names;
    for (const Named<std::string> &named : keep) {
      std::vector<std::string> &activations = names[named.name];
      if (!named.value.empty())
        activations.push_back(named.value);
    }
    return names;
  }

  void rewrite(ArrayRef<LayerCalls> calls, KeptActivations &kept) {
    llvm::SetVector<Operation *> replaced;
    llvm::DenseMap<Operation *, RecomputingLayer> recomputing;
    for (LayerCalls layer : calls) {
      replaced.insert(layer.forward);
      replaced.insert(layer.backward);
      if (auto [entry, isNew] = recomputing.try_emplace(layer.backward); isNew)
        entry->second = buildRecomputingLayer(layer, kept[layer.forward]);
    }
    for (ArrayRef<LayerCalls> group : groupLayers(calls, every))
      GroupRewriter(group, recomputing[group.back().backward]).rewrite();
    eraseUncalled(getOperation(), replaced);
  }
};

} // namespace
} // namespace windlass::graph
