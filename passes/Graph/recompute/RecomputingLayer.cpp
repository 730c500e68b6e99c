// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/recompute/RecomputingLayer.h"

#include "mlir/IR/IRMapping.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/gradients/LayerGradient.h"

using namespace mlir;

namespace windlass::graph {
namespace {

class Builder {
public:
  Builder(const LayerCalls &layer, const llvm::SetVector<Value> &kept)
      : plain(layer.plain), forward(layer.forward), backward(layer.backward), kept(kept),
        builder(plain.getContext()) {}

  RecomputingLayer build() {
    findNeeded();
    func::FuncOp keeping = kept.empty() ? plain : buildForward();
    return {keeping, buildBackward()};
  }

private:
  /// Finds the ops to repeat, the kept values and the arguments of @f that the adjoint or repeated ops read.
  void findNeeded() {
    SmallVector<Value> worklist = findResiduals(forward, backward);
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (kept.contains(value))
        keptAndRead.insert(value);
      else if (auto argument = dyn_cast<BlockArgument>(value))
        argumentsRead.insert(argument.getArgNumber());
      else if (Operation *op = value.getDefiningOp(); repeated.insert(op).second)
        worklist.append(op->operand_begin(), op->operand_end());
    }
    for (unsigned i = 0; i < backward.getNumArguments(); ++i)
      if (auto argument = argumentIndex(backward, i, kArgument))
        argumentsRead.insert(*argument);
  }

  /// Builds the forward function; its results are those of @f, then the kept values.
  func::FuncOp buildForward() {
    builder.setInsertionPointAfter(forward);
    IRMapping mapping;
    auto function = cast<func::FuncOp>(builder.clone(*forward, mapping));
    function.setName((plain.getSymName() + ".recompute_fwd")
                         .str()); // of the form Forward, as the function that it is cloned from
    SmallVector<Value> returned(
        forward.front().getTerminator()->getOperands().take_front(plain.getNumResults()));
    for (Value value : kept)
      if (keptAndRead.contains(value)) {
        auto known = llvm::find(returned, value);
        resultOf[value] = known - returned.begin();
        if (known == returned.end())
          returned.push_back(value);
      }
    SmallVector<Type> types = llvm::map_to_vector(returned, [](Value value) { return value.getType(); });
    for (Value &value : returned)
      value = mapping.lookup(value);
    function.front().getTerminator()->setOperands(returned);
    function.removeResAttrsAttr();
    function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), types));
    for (unsigned i = plain.getNumResults(); i < returned.size(); ++i)
      function.setResultAttr(i, kResidual, builder.getUnitAttr());
    return function;
  }

  func::FuncOp buildBackward() {
    builder.setInsertionPointAfter(backward);
    function = func::FuncOp::create(builder, backward.getLoc(), (plain.getSymName() + ".recompute_bwd").str(),
                                    builder.getFunctionType({}, backward.getResultTypes()));
    function.setPrivate();
    setForm(function, LayerPass::Repeating, plain.getSymName());
    builder.setInsertionPointToEnd(function.addEntryBlock());
    addArguments();
    for (Operation &op : forward.front().without_terminator())
      if (repeated.contains(&op)) {
        setPhase(builder.clone(op, repeatedMapping), Phase::Recompute);
        mapKept(); // some results of a repeated op may be kept
      }
    mapBackward();
    for (Operation &op : backward.front())
      builder.clone(op, backwardMapping);
    for (unsigned i = 0; i < backward.getNumResults(); ++i)
      function.setResultAttrs(i, backward.getResultAttrDict(i));
    return function;
  }

  /// Adds the arguments of the backward function: arguments of @f, kept values, gradients.
  void addArguments() {
    for (unsigned i = 0; i < forward.getNumArguments(); ++i)
      if (argumentsRead.contains(i))
        repeatedMapping.map(forward.getArgument(i), addArgument(forward.getArgumentTypes()[i], kArgument, i));
    for (auto [value, result] : resultOf)
      keptArguments[value] = addArgument(value.getType(), kResult, result);
    mapKept();
    for (unsigned i = 0; i < backward.getNumArguments(); ++i)
      if (auto gradient = argumentIndex(backward, i, kResultGradient))
        backwardMapping.map(backward.getArgument(i),
                            addArgument(backward.getArgumentTypes()[i], kResultGradient, *gradient));
  }

  void mapKept() {
    for (auto [value, argument] : keptArguments)
      repeatedMapping.map(value, argument);
  }

  Value addArgument(Type type, StringRef name, unsigned index) {
    auto attribute = builder.getNamedAttr(name, builder.getI64IntegerAttr(index));
    unsigned position = function.getNumArguments();
    (void)function.insertArgument(position, type, builder.getDictionaryAttr(attribute), backward.getLoc());
    return function.getArgument(position);
  }

  /// Maps the arguments of @f.bwd to kept values, or else to repeated ones.
  void mapBackward() {
    Operation *returned = forward.front().getTerminator();
    for (unsigned i = 0; i < backward.getNumArguments(); ++i) {
      Value read;
      if (auto argument = argumentIndex(backward, i, kArgument))
        read = forward.getArgument(*argument);
      else if (auto result = argumentIndex(backward, i, kResult))
        read = returned->getOperand(*result);
      if (read)
        backwardMapping.map(backward.getArgument(i), repeatedMapping.lookup(read));
    }
  }

  func::FuncOp plain, forward, backward, function;
  const llvm::SetVector<Value> &kept;
  llvm::SmallPtrSet<Operation *, 32> repeated;
  llvm::DenseSet<Value> keptAndRead;
  llvm::SmallDenseSet<unsigned> argumentsRead;
  llvm::MapVector<Value, unsigned>
      resultOf; ///< by kept value: number of the result of the new forward function
  OpBuilder builder;
  llvm::MapVector<Value, Value> keptArguments; ///< of the new backward function
  IRMapping repeatedMapping, backwardMapping;
};

} // namespace

RecomputingLayer buildRecomputingLayer(const LayerCalls &layer, const llvm::SetVector<Value> &kept) {
  return Builder(layer, kept).build();
}

} // namespace windlass::graph
