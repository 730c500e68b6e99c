// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/FewLayers.h"

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include <utility>

using namespace mlir;

namespace windlass::graph {
namespace {

/// Layers that stay of each function: the first ones and the last.
constexpr size_t kFirst = 2, kLast = 1;
/// A model stays as it is unless the copy has this many times fewer layers.
constexpr size_t kWorthIt = 8;

/// A layer call that can be removed, and for each of its results the operand that replaces it.
struct Dispensable {
  func::CallOp call;
  SmallVector<unsigned> instead;
};

/// The layer `call`, if the next call takes each of its results as an operand: the same operand of `call`
/// then replaces the result.
std::optional<Dispensable> dispensable(func::CallOp call, func::CallOp next) {
  Dispensable layer{call, {}};
  for (Value result : call.getResults()) {
    const auto operand = llvm::find(next.getOperands(), result);
    if (operand == next.getOperands().end())
      return std::nullopt;
    layer.instead.push_back(static_cast<unsigned>(operand - next.getOperands().begin()));
    if (call.getOperand(layer.instead.back()).getType() != result.getType())
      return std::nullopt;
  }
  return layer;
}

SmallVector<Dispensable> dispensableLayers(StepOp step, size_t first) {
  llvm::MapVector<StringRef, SmallVector<func::CallOp>> byFunction;
  step.walk([&](func::CallOp call) { byFunction[call.getCallee()].push_back(call); });
  SmallVector<Dispensable> layers;
  for (auto &[function, calls] : byFunction)
    for (size_t i = first; i + kLast < calls.size(); ++i)
      if (std::optional<Dispensable> layer = dispensable(calls[i], calls[i + 1]))
        layers.push_back(std::move(*layer));
  return layers;
}

size_t countCalls(ModuleOp module) {
  size_t count = 0;
  for (auto step : module.getOps<StepOp>())
    step.walk([&](func::CallOp) { ++count; });
  return count;
}

/// Erases reads without users, and states without reads.
void eraseUnread(ModuleOp module) {
  llvm::StringSet<> read;
  module.walk([&](ReadOp op) {
    if (op->use_empty())
      op.erase();
    else
      read.insert(op.getState());
  });
  for (auto state : llvm::make_early_inc_range(module.getOps<StateOp>()))
    if (!read.contains(state.getSymName()))
      state.erase();
}

/// How many layers every step lacks; 0 where steps, or the functions of one step, differ. Two steps may call
/// the layers by functions of their own: sampling has other shapes than training.
class LeftOut {
public:
  void add(MutableArrayRef<Dispensable> layers) {
    llvm::StringSet<> functions;
    for (Dispensable &layer : layers)
      functions.insert(layer.call.getCallee());
    differ |= functions.size() > 1;
    if (!layers.empty() && std::exchange(count, std::ssize(layers)) != std::ssize(layers))
      differ |= steps > 0;
    steps += !layers.empty();
  }
  int64_t layers() const { return differ ? 0 : count; }

private:
  int64_t count = 0, steps = 0;
  bool differ = false;
};

} // namespace

FewLayers withFewLayers(ModuleOp imported, size_t more) {
  OwningOpRef<ModuleOp> module = imported.clone();
  const size_t before = countCalls(*module);
  LeftOut leftOut;
  for (auto step : module->getOps<StepOp>()) {
    SmallVector<Dispensable> layers = dispensableLayers(step, kFirst + more);
    leftOut.add(layers);
    for (Dispensable &layer : layers) {
      for (auto [result, operand] : llvm::zip_equal(layer.call.getResults(), layer.instead))
        result.replaceAllUsesWith(layer.call.getOperand(operand));
      layer.call.erase();
    }
  }
  if (more == 0 && before <= kWorthIt * countCalls(*module))
    return {};
  eraseUnread(*module);
  return {std::move(module), leftOut.layers()};
}

} // namespace windlass::graph
