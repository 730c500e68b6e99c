// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The split of @f: clones @f to @f.fwd, builds the adjoint ops behind its forward ops, and moves them to
// @f.bwd. The values of forward ops that the adjoint ops read become arguments of @f.bwd.

#include "passes/Graph/gradients/LayerGradient.h"

#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphBuilders.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/gradients/AttentionCore.h"
#include "passes/Graph/gradients/Gradients.h"
#include "passes/Graph/gradients/RepeatOps.h"

using namespace mlir;

namespace windlass::graph {

namespace {

/// The pieces of one function while it is split. `seeds` are block arguments that stand for the
/// gradients of the results until @f.bwd exists.
struct Split {
  func::FuncOp forward;
  SmallVector<std::pair<unsigned, Value>> seeds;     ///< result of @f, its gradient
  SmallVector<std::pair<unsigned, Value>> gradients; ///< argument of @f, its gradient
  Operation *last = nullptr;                         ///< of the forward pass
  SmallVector<Operation *> adjoint;                  ///< in program order

  Block &block() { return forward.front(); }
  Operation *terminator() { return block().getTerminator(); }

  void listAdjoint() {
    adjoint.clear();
    for (Operation *op = last ? last->getNextNode() : &block().front(); op != terminator();
         op = op->getNextNode())
      adjoint.push_back(op);
  }
  SmallVector<Operation *> forwardOps() {
    SmallVector<Operation *> ops;
    if (last)
      for (auto op = block().begin(), end = std::next(last->getIterator()); op != end; ++op)
        ops.push_back(&*op);
    return ops;
  }
};

LogicalResult growAdjoint(Split &split, const LayerUse &use) {
  Block &block = split.block();
  SmallVector<Value> sources;
  for (auto [argument, needed] : llvm::zip_equal(block.getArguments(), use.argumentNeeded))
    if (needed)
      sources.push_back(argument);
  Gradients gradients(findReached(block, sources));
  SmallVector<Operation *> forwardOps;
  for (Operation &op : block.without_terminator())
    forwardOps.push_back(&op);
  split.last = forwardOps.empty() ? nullptr : forwardOps.back();

  OpBuilder builder(split.terminator());
  unsigned arguments = block.getNumArguments();
  for (auto [i, value] : llvm::enumerate(split.terminator()->getOperands())) {
    if (!use.resultReaches[i] || !gradients.needs(value))
      continue;
    split.seeds.emplace_back(i, block.addArgument(value.getType(), value.getLoc()));
    gradients.add(builder, value, split.seeds.back().second);
  }
  for (Operation *op : llvm::reverse(forwardOps))
    if (failed(gradients.differentiate(builder, op)))
      return failure();

  for (unsigned i = 0; i < arguments; ++i)
    if (Value gradient = gradients.take(builder, block.getArgument(i)))
      split.gradients.emplace_back(i, gradient);
  split.listAdjoint();
  return success();
}

/// Erases adjoint ops without users, so that their operands do not become residuals.
void pruneAdjoint(Split &split) {
  ValueSet kept;
  for (auto [i, gradient] : split.gradients)
    kept.insert(gradient);
  SmallVector<Operation *> live;
  for (Operation *op : llvm::reverse(split.adjoint)) {
    if (op->use_empty() && llvm::none_of(op->getResults(), [&](Value v) { return kept.contains(v); }))
      op->erase();
    else
      live.push_back(op);
  }
  split.adjoint.assign(live.rbegin(), live.rend());
}

/// Whether an op is cheaper to repeat than its result is to keep: it moves no bytes, or reads none.
bool isFree(Operation *op) {
  return isa<ReshapeOp>(op) || op->hasAttr(kDetached) || (isa<MapOp>(op) && op->getNumOperands() == 0);
}

/// Repeats free forward ops, and ops of `core`, at the head of the adjoint, so that their operands are kept
/// in place of their results.
void repeatOps(Split &split, const OpSet &core) {
  if (split.adjoint.empty())
    return;
  Operation *first = split.adjoint.front();
  llvm::SmallPtrSet<Operation *, 16> repeated;
  SmallVector<Operation *> worklist = split.adjoint;
  while (!worklist.empty())
    for (Value operand : worklist.pop_back_val()->getOperands())
      if (Operation *definer = operand.getDefiningOp())
        if ((isFree(definer) || core.contains(definer)) && definer->isBeforeInBlock(first) &&
            repeated.insert(definer).second)
          worklist.push_back(definer);

  OpBuilder builder(first);
  IRMapping mapping;
  SmallVector<Operation *> clones;
  for (Operation &op : split.block())
    if (repeated.contains(&op)) {
      clones.push_back(builder.clone(op, mapping));
      if (core.contains(&op))
        setPhase(clones.back(), Phase::Recompute);
    }
  for (Operation *op : split.adjoint)
    for (OpOperand &operand : op->getOpOperands())
      operand.set(mapping.lookupOrDefault(operand.get()));
  split.adjoint.insert(split.adjoint.begin(), clones.begin(), clones.end());
}

/// The values of the forward pass that the adjoint reads: arguments first, then results, each in program
/// order.
SmallVector<Value> findKept(Split &split, unsigned arguments) {
  llvm::SmallPtrSet<Operation *, 32> inside(split.adjoint.begin(), split.adjoint.end());
  ValueSet read;
  for (Operation *op : split.adjoint)
    read.insert(op->operand_begin(), op->operand_end());
  for (auto [i, gradient] : split.gradients)
    read.insert(gradient);
  SmallVector<Value> kept;
  for (BlockArgument argument : split.block().getArguments().take_front(arguments))
    if (read.contains(argument))
      kept.push_back(argument);
  for (Operation &op : split.block().without_terminator())
    if (!inside.contains(&op))
      for (Value result : op.getResults())
        if (read.contains(result))
          kept.push_back(result);
  return kept;
}

/// Makes @f.fwd return `value`. Returns the index of the result: an existing one if @f returns the value
/// already.
unsigned returnValue(Split &split, Value value) {
  Operation *terminator = split.terminator();
  for (auto [i, returned] : llvm::enumerate(terminator->getOperands()))
    if (returned == value)
      return i;
  unsigned index = terminator->getNumOperands();
  terminator->insertOperands(index, value);
  (void)split.forward.insertResult(index, value.getType(), {});
  split.forward.setResultAttr(index, kResidual, UnitAttr::get(value.getContext()));
  return index;
}

/// An argument of @f.bwd: the value that it stands for, and the attribute that names this value.
struct BackwardArgument {
  Value value;
  StringRef name;
  unsigned index;
};

SmallVector<BackwardArgument> listArguments(Split &split, unsigned arguments) {
  SmallVector<BackwardArgument> list;
  for (Value value : findKept(split, arguments)) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      list.push_back({value, kArgument, argument.getArgNumber()});
    else
      list.push_back({value, kResult, returnValue(split, value)});
  }
  for (auto [i, seed] : split.seeds)
    list.push_back({seed, kResultGradient, i});
  return list;
}

/// Moves the adjoint to a function of its own, @f.bwd.
func::FuncOp moveAdjoint(Split &split, StringRef name, unsigned arguments) {
  SmallVector<BackwardArgument> list = listArguments(split, arguments);
  SmallVector<Type> inputs, results;
  for (const BackwardArgument &argument : list)
    inputs.push_back(argument.value.getType());
  for (auto [i, gradient] : split.gradients)
    results.push_back(gradient.getType());
  OpBuilder builder(split.forward.getContext());
  builder.setInsertionPointAfter(split.forward);
  auto backward =
      func::FuncOp::create(builder, split.forward.getLoc(), name, builder.getFunctionType(inputs, results));
  backward.setPrivate();
  Block *entry = backward.addEntryBlock();
  IRMapping mapping;
  for (auto [i, argument] : llvm::enumerate(list)) {
    mapping.map(argument.value, entry->getArgument(i));
    backward.setArgAttr(i, argument.name, builder.getI64IntegerAttr(argument.index));
  }
  for (Operation *op : split.adjoint) {
    op->moveBefore(entry, entry->end());
    if (phaseOf(op) != Phase::Recompute)
      setPhase(op, Phase::Backward);
    for (OpOperand &operand : op->getOpOperands())
      operand.set(mapping.lookupOrDefault(operand.get()));
  }
  builder.setInsertionPointToEnd(entry);
  SmallVector<Value> returned;
  for (auto [i, gradient] : llvm::enumerate(split.gradients)) {
    returned.push_back(mapping.lookupOrDefault(gradient.second));
    backward.setResultAttr(i, kArgumentGradient, builder.getI64IntegerAttr(gradient.first));
  }
  func::ReturnOp::create(builder, backward.getLoc(), returned);
  return backward;
}

} // namespace

FailureOr<LayerGradient> differentiateLayer(func::FuncOp function, const LayerUse &use, bool repeatCore) {
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfter(function);
  Split split;
  split.forward = cast<func::FuncOp>(builder.clone(*function));
  split.forward.setName((function.getName() + ".fwd").str());
  setForm(split.forward, LayerPass::Forward, function.getName());
  unsigned arguments = function.getNumArguments();
  if (failed(growAdjoint(split, use)))
    return failure();
  pruneAdjoint(split);
  repeatForBackward(split.forwardOps());
  split.listAdjoint();
  repeatOps(split, repeatCore ? findAttentionCore(split.block()) : OpSet());
  func::FuncOp backward = moveAdjoint(split, (function.getName() + ".bwd").str(), arguments);
  setForm(backward, LayerPass::Backward, function.getName());
  split.block().eraseArguments(arguments, split.seeds.size());
  return LayerGradient{split.forward, backward};
}

LayerFormAttr formOf(func::FuncOp function) { return function->getAttrOfType<LayerFormAttr>(kForm); }

void setForm(func::FuncOp form, LayerPass pass, StringRef function) {
  MLIRContext *context = form.getContext();
  form->setAttr(kForm, LayerFormAttr::get(context, pass, StringAttr::get(context, function)));
}

std::optional<unsigned> argumentIndex(func::FuncOp function, unsigned argument, StringRef name) {
  auto index = function.getArgAttrOfType<IntegerAttr>(argument, name);
  return index ? std::optional<unsigned>(index.getInt()) : std::nullopt;
}

std::optional<unsigned> resultIndex(func::FuncOp function, unsigned result, StringRef name) {
  auto index = function.getResultAttrOfType<IntegerAttr>(result, name);
  return index ? std::optional<unsigned>(index.getInt()) : std::nullopt;
}

SmallVector<Value> backwardOperands(OpBuilder &builder, const LayerGradient &layer, func::CallOp call,
                                    ArrayRef<Value> resultGradients) {
  SmallVector<Value> operands;
  func::FuncOp backward = layer.backward;
  for (unsigned i = 0; i < backward.getNumArguments(); ++i) {
    if (auto argument = argumentIndex(backward, i, kArgument)) {
      operands.push_back(call.getOperand(*argument));
    } else if (auto result = argumentIndex(backward, i, kResult)) {
      operands.push_back(call.getResult(*result));
    } else {
      Value gradient = resultGradients[*argumentIndex(backward, i, kResultGradient)];
      auto type = cast<RankedTensorType>(backward.getArgumentTypes()[i]);
      operands.push_back(gradient ? gradient : buildFull(builder, call.getLoc(), type, 0.0));
    }
  }
  return operands;
}

} // namespace windlass::graph
