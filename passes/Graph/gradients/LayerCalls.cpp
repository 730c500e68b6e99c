// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/gradients/LayerCalls.h"

#include "dialects/Graph/IR/GraphCalls.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/gradients/LayerGradient.h"
#include "runtime/base/NearestName.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace windlass::graph {
namespace {

/// The forward call whose results `backwardCall` takes; null if it takes none: then there is nothing to
/// repeat.
func::CallOp findForwardCall(func::CallOp backwardCall, func::FuncOp backward) {
  for (unsigned i = 0; i < backward.getNumArguments(); ++i)
    if (argumentIndex(backward, i, kResult))
      return backwardCall.getOperand(i).getDefiningOp<func::CallOp>();
  return {};
}

} // namespace

SmallVector<LayerCalls> findLayers(StepOp train) {
  llvm::DenseMap<Operation *, LayerCalls> byForward;
  train.walk([&](func::CallOp call) {
    if (phaseOf(call) != Phase::Backward)
      return;
    func::FuncOp backward = calleeOf(call);
    func::CallOp forwardCall = findForwardCall(call, backward);
    if (!forwardCall)
      return;
    func::FuncOp forward = calleeOf(forwardCall);
    LayerFormAttr form = formOf(forward);
    auto plain = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(train, form.getFunction());
    byForward[forwardCall] = {forwardCall, call, plain, forward, backward};
  });
  SmallVector<LayerCalls> layers;
  train.walk([&](func::CallOp call) {
    if (auto layer = byForward.find(call); layer != byForward.end())
      layers.push_back(layer->second);
  });
  return layers;
}

llvm::MapVector<Value, std::string> nameActivations(func::FuncOp forward) {
  llvm::MapVector<Value, std::string> names;
  llvm::StringMap<unsigned> counts;
  for (Operation &op : forward.front().without_terminator()) {
    const StringRef kind = op.getName().stripDialect();
    const std::string name = (kind + "." + Twine(counts[kind]++)).str();
    for (OpResult result : op.getResults())
      names[result] = result.getResultNumber() ? name + "#" + std::to_string(result.getResultNumber()) : name;
  }
  return names;
}

static Status unknown(const std::string &message, StringRef name, ArrayRef<std::string> known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  return Status::badInput(message + didYouMean(name, views));
}

Result<KeptActivations> findKept(ArrayRef<LayerCalls> layers, const KeptNames &names) {
  KeptActivations kept;
  for (const auto &[function, activations] : names) {
    const auto *layer =
        llvm::find_if(layers, [&](LayerCalls other) { return other.plain.getName() == function; });
    if (layer == layers.end())
      return unknown(
          "no layer function \"" + function + "\" is trained", function,
          llvm::map_to_vector(layers, [](LayerCalls other) { return other.plain.getName().str(); }));
    func::FuncOp forward = layer->forward;
    llvm::SetVector<Value> &values = kept[forward];
    const auto named = nameActivations(forward);
    for (const std::string &activation : activations) {
      const auto *found = llvm::find_if(named, [&](const auto &entry) { return entry.second == activation; });
      if (found == named.end())
        return unknown("\"" + function + "\" has no activation \"" + activation + "\"", activation,
                       llvm::map_to_vector(named, [](const auto &entry) { return entry.second; }));
      values.insert(found->first);
    }
  }
  return kept;
}

SmallVector<Value> findResiduals(func::FuncOp forward, func::FuncOp backward) {
  SmallVector<Value> residuals;
  Operation *returned = forward.front().getTerminator();
  for (unsigned i = 0; i < backward.getNumArguments(); ++i)
    if (auto result = argumentIndex(backward, i, kResult))
      residuals.push_back(returned->getOperand(*result));
  return residuals;
}

} // namespace windlass::graph
