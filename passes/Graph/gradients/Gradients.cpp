// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/gradients/Gradients.h"

#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphBuilders.h"
#include "passes/Graph/Attributes.h"

using namespace mlir;

namespace windlass::graph {

bool isFloatTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

ValueSet findReached(Block &block, ValueRange sources) {
  ValueSet reached(sources.begin(), sources.end());
  for (Operation &op : block)
    if (!op.hasAttr(kDetached) &&
        llvm::any_of(op.getOperands(), [&](Value operand) { return reached.contains(operand); }))
      for (Value result : op.getResults())
        if (isFloatTensor(result))
          reached.insert(result);
  return reached;
}

ValueSet findReaching(Block &block, ValueRange targets) {
  ValueSet reaching(targets.begin(), targets.end());
  for (Operation &op : llvm::reverse(block))
    if (!op.hasAttr(kDetached) &&
        llvm::any_of(op.getResults(), [&](Value result) { return reaching.contains(result); }))
      reaching.insert(op.operand_begin(), op.operand_end());
  return reaching;
}

SmallVector<Value> Gradients::takeUses(Value value) {
  SmallVector<Value> uses = std::move(apart[value]);
  std::reverse(uses.begin(), uses.end());
  return uses;
}

void Gradients::add(OpBuilder &builder, Value value, Value gradient) {
  if (!gradient || !needs(value))
    return;
  if (auto uses = apart.find(value); uses != apart.end()) {
    uses->second.push_back(gradient);
    return;
  }
  Value &sum = sums[value];
  sum = sum ? buildAdd(builder, gradient.getLoc(), sum, gradient) : gradient;
}

/// If `value` is read by products with tiles, adds the gradient of one of them to the sum of the earlier
/// ones.
bool Gradients::addProduct(Value value, Value gradient) {
  auto product = gradient ? gradient.getDefiningOp<MatmulOp>() : MatmulOp();
  if (!product || !needs(value) || apart.contains(value))
    return false;
  Type narrow = typeOf(gradient).getElementType();
  product.getResult().setType(withElement(gradient.getType(), computeType(narrow)));
  Value &sum = products[value];
  if (sum)
    product.getOntoMutable().assign(sum);
  sum = product.getResult();
  return true;
}

Value Gradients::take(OpBuilder &builder, Value value) {
  if (Value sum = products.lookup(value)) {
    products.erase(value);
    add(builder, value, buildCast(builder, sum.getLoc(), sum, typeOf(value).getElementType()));
  }
  return sums.lookup(value);
}

LogicalResult Gradients::differentiate(OpBuilder &builder, Operation *op) {
  SmallVector<Value> resultGradients, operandGradients(op->getNumOperands());
  for (Value result : op->getResults())
    resultGradients.push_back(take(builder, result));
  SmallVector<bool> needed;
  for (Value operand : op->getOperands())
    needed.push_back(needs(operand));
  if (!llvm::is_contained(needed, true) || !llvm::any_of(resultGradients, [](Value v) { return v; }))
    return success();
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  if (!differentiable)
    return op->emitOpError("has no adjoint, but a parameter reaches the loss through it");
  if (failed(differentiable.buildAdjoint(builder, resultGradients, needed, operandGradients)))
    return op->emitOpError("has an adjoint that cannot be built");
  for (unsigned i = op->getNumOperands(); i-- > 0;)
    if (i > 0 || !op->hasAttr(kTile) || !addProduct(op->getOperand(0), operandGradients[0]))
      add(builder, op->getOperand(i), operandGradients[i]);
  return success();
}

} // namespace windlass::graph
