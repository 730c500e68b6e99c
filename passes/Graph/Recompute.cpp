// Repeats layers in the backward pass instead of keeping their residuals.

#include "mlir/IR/IRMapping.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/LayerGradient.h"
#include "passes/Graph/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_RECOMPUTE
#include "passes/Graph/Passes.h.inc"

namespace {

/// A layer's two calls in @train, and its three functions.
struct Layer {
  func::CallOp forwardCall, backwardCall;
  func::FuncOp plain, forward, backward;
};

func::FuncOp calleeOf(func::CallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
}

/// The call whose results `backwardCall` takes; null if it takes none, since then there is nothing to repeat.
func::CallOp findForwardCall(func::CallOp backwardCall, func::FuncOp backward) {
  for (unsigned i = 0; i < backward.getNumArguments(); ++i)
    if (argumentIndex(backward, i, kResult))
      return backwardCall.getOperand(i).getDefiningOp<func::CallOp>();
  return {};
}

/// The layers of @train in program order of their forward calls.
SmallVector<Layer> findLayers(StepOp train) {
  llvm::DenseMap<Operation *, Layer> byForward;
  train.walk([&](func::CallOp call) {
    if (phaseOf(call) != kBackward)
      return;
    func::FuncOp backward = calleeOf(call);
    func::CallOp forwardCall = findForwardCall(call, backward);
    if (!forwardCall)
      return;
    func::FuncOp forward = calleeOf(forwardCall);
    StringRef name = forward.getName();
    name.consume_back(".fwd");
    auto plain = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        train, FlatSymbolRefAttr::get(train.getContext(), name));
    byForward[forwardCall] = {forwardCall, call, plain, forward, backward};
  });
  SmallVector<Layer> layers;
  train.walk([&](func::CallOp call) {
    if (auto layer = byForward.find(call); layer != byForward.end())
      layers.push_back(layer->second);
  });
  return layers;
}

/// The ops of @f.fwd that what @f.bwd reads of its results depends on.
llvm::SmallPtrSet<Operation *, 32> findNeeded(Layer layer) {
  func::FuncOp forward = layer.forward, backward = layer.backward;
  Operation *returned = forward.front().getTerminator();
  llvm::SmallPtrSet<Operation *, 32> needed;
  SmallVector<Value> worklist;
  for (unsigned i = 0; i < backward.getNumArguments(); ++i)
    if (auto result = argumentIndex(backward, i, kResult))
      worklist.push_back(returned->getOperand(*result));
  while (!worklist.empty())
    if (Operation *op = worklist.pop_back_val().getDefiningOp(); op && needed.insert(op).second)
      worklist.append(op->operand_begin(), op->operand_end());
  return needed;
}

/// Builds @f.recompute_bwd: arguments of @f, then the gradients of its results.
class RecomputingBackward {
public:
  explicit RecomputingBackward(Layer layer)
      : forward(layer.forward), backward(layer.backward), needed(findNeeded(layer)),
        builder(forward.getContext()) {
    builder.setInsertionPointAfter(backward);
    StringRef name = layer.plain.getSymName();
    function = func::FuncOp::create(builder, backward.getLoc(), (name + ".recompute_bwd").str(),
                                    builder.getFunctionType({}, backward.getResultTypes()));
    function.setPrivate();
    builder.setInsertionPointToEnd(function.addEntryBlock());
  }

  func::FuncOp build() {
    addArguments();
    for (Operation &op : forward.front().without_terminator())
      if (needed.contains(&op))
        setPhase(builder.clone(op, forwardMapping), kRecompute);
    mapBackward();
    for (Operation &op : backward.front())
      builder.clone(op, backwardMapping);
    for (unsigned i = 0; i < backward.getNumResults(); ++i)
      function.setResultAttrs(i, backward.getResultAttrDict(i));
    return function;
  }

private:
  /// What the repeated ops or the adjoint read of the arguments of @f; every gradient.
  void addArguments() {
    llvm::SmallDenseSet<unsigned> read;
    for (unsigned i = 0; i < backward.getNumArguments(); ++i)
      if (auto argument = argumentIndex(backward, i, kArgument))
        read.insert(*argument);
    for (Operation *op : needed)
      for (Value operand : op->getOperands())
        if (auto argument = dyn_cast<BlockArgument>(operand))
          read.insert(argument.getArgNumber());
    for (unsigned i = 0; i < forward.getNumArguments(); ++i)
      if (read.contains(i))
        forwardMapping.map(forward.getArgument(i), addArgument(forward.getArgumentTypes()[i], kArgument, i));
    for (unsigned i = 0; i < backward.getNumArguments(); ++i)
      if (auto gradient = argumentIndex(backward, i, kResultGradient))
        backwardMapping.map(backward.getArgument(i),
                            addArgument(backward.getArgumentTypes()[i], kResultGradient, *gradient));
  }

  Value addArgument(Type type, StringRef name, unsigned index) {
    auto attribute = builder.getNamedAttr(name, builder.getI64IntegerAttr(index));
    unsigned position = function.getNumArguments();
    (void)function.insertArgument(position, type, builder.getDictionaryAttr(attribute), backward.getLoc());
    return function.getArgument(position);
  }

  /// The adjoint reads the repeated values.
  void mapBackward() {
    Operation *returned = forward.front().getTerminator();
    for (unsigned i = 0; i < backward.getNumArguments(); ++i) {
      if (auto argument = argumentIndex(backward, i, kArgument))
        backwardMapping.map(backward.getArgument(i), forwardMapping.lookup(forward.getArgument(*argument)));
      else if (auto result = argumentIndex(backward, i, kResult))
        backwardMapping.map(backward.getArgument(i), forwardMapping.lookup(returned->getOperand(*result)));
    }
  }

  func::FuncOp forward, backward, function;
  llvm::SmallPtrSet<Operation *, 32> needed;
  OpBuilder builder;
  IRMapping forwardMapping, backwardMapping;
};

/// Rewrites the calls of layers that follow one another: only the first one's input is kept.
class GroupRewriter {
public:
  GroupRewriter(ArrayRef<Layer> group, func::FuncOp recomputing)
      : group(group), recomputing(recomputing), builder(recomputing.getContext()) {}

  void rewrite() {
    repeatForward();
    for (Layer layer : group.drop_back())
      for (OpOperand &operand : layer.backwardCall->getOpOperands())
        operand.set(repeated.lookupOrDefault(operand.get()));
    replaceBackward(group.back());
    for (Layer layer : group)
      keepNoResiduals(layer);
  }

private:
  /// Before the first backward call of the group, all layers but the last run again.
  void repeatForward() {
    func::CallOp first = group.front().backwardCall;
    for (Layer layer : group)
      if (layer.backwardCall->isBeforeInBlock(first))
        first = layer.backwardCall;
    builder.setInsertionPoint(first);
    for (Layer layer : group.drop_back())
      setPhase(builder.clone(*layer.forwardCall.getOperation(), repeated), kRecompute);
  }

  void replaceBackward(Layer layer) {
    func::CallOp call = layer.backwardCall, forwardCall = layer.forwardCall;
    func::FuncOp backward = layer.backward;
    llvm::SmallDenseMap<unsigned, Value> gradients;
    for (unsigned i = 0; i < backward.getNumArguments(); ++i)
      if (auto gradient = argumentIndex(backward, i, kResultGradient))
        gradients[*gradient] = call.getOperand(i);
    SmallVector<Value> operands;
    for (unsigned i = 0; i < recomputing.getNumArguments(); ++i) {
      if (auto argument = argumentIndex(recomputing, i, kArgument))
        operands.push_back(repeated.lookupOrDefault(forwardCall.getOperand(*argument)));
      else
        operands.push_back(gradients.lookup(*argumentIndex(recomputing, i, kResultGradient)));
    }
    replaceCall(call, recomputing, operands);
  }

  void keepNoResiduals(Layer layer) {
    func::CallOp call = layer.forwardCall;
    replaceCall(call, layer.plain, call.getOperands());
  }

  /// The results of `callee` are the leading ones of `call`; the others have no users left.
  void replaceCall(func::CallOp call, func::FuncOp callee, ValueRange operands) {
    builder.setInsertionPoint(call);
    auto fresh = func::CallOp::create(builder, call.getLoc(), callee, operands);
    fresh->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    for (auto [old, result] : llvm::zip(call.getResults(), fresh.getResults()))
      old.replaceAllUsesWith(result);
    call.erase();
  }

  ArrayRef<Layer> group;
  func::FuncOp recomputing;
  OpBuilder builder;
  IRMapping repeated; ///< results of the forward calls -> of their repetition
};

/// Layers of one function that follow one another, `every` at a time.
SmallVector<ArrayRef<Layer>> groupLayers(ArrayRef<Layer> layers, size_t every) {
  SmallVector<ArrayRef<Layer>> groups;
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

void recomputeLayers(StepOp train, size_t every, size_t count) {
  SmallVector<Layer> layers = findLayers(train);
  if (count > 0 && count < layers.size())
    layers.truncate(count);
  llvm::SetVector<Operation *> replaced;
  llvm::DenseMap<Operation *, func::FuncOp> recomputing;
  for (Layer layer : layers) {
    replaced.insert(layer.forward);
    replaced.insert(layer.backward);
    func::FuncOp &function = recomputing[layer.backward];
    if (!function)
      function = RecomputingBackward(layer).build();
  }
  for (ArrayRef<Layer> group : groupLayers(layers, every))
    GroupRewriter(group, recomputing[group.back().backward]).rewrite();
  eraseUncalled(train->getParentOfType<ModuleOp>(), replaced);
}

struct RecomputePass : impl::RecomputeBase<RecomputePass> {
  using RecomputeBase::RecomputeBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (mode != "none" && mode != "full") {
      module.emitError("recompute mode is \"none\" or \"full\", not \"") << mode << "\"";
      return signalPassFailure();
    }
    if (layers < 0) {
      module.emitError("recompute repeats the first 1, 2, ... layers or all (0), not ") << layers.getValue();
      return signalPassFailure();
    }
    if (every < 1) {
      module.emitError("recompute keeps the input of every 1st, 2nd, ... layer, not of every ")
          << every.getValue() << "th";
      return signalPassFailure();
    }
    auto train = module.lookupSymbol<StepOp>("train");
    if (mode == "full" && train)
      recomputeLayers(train, every, layers);
  }
};

} // namespace
} // namespace windlass::graph
