// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/rows/RowRewrite.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphExchange.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "dialects/Graph/IR/decompositions/GraphDropout.h"
#include "passes/Graph/Attributes.h"

using namespace mlir;

namespace windlass::graph {
namespace {

/// Builds one `vary` per parameter that ops on rows read, before the first such op.
class VariedParameters {
public:
  VariedParameters(const RowChoice &choice, int64_t ranks, bool ownRows)
      : choice(choice), ranks(ranks), ownRows(ownRows) {}

  void vary(Operation *op, const SplitWay &way) {
    for (auto [i, form] : llvm::enumerate(way.reads))
      if (Value operand = op->getOperand(i);
          form.kind == SplitForm::Kind::Varied && choice.isReached(operand))
        op->setOperand(i, of(operand, op));
  }

private:
  Value of(Value whole, Operation *reader) {
    Value &varied = known[whole];
    if (!varied) {
      OpBuilder builder(reader);
      auto vary =
          VaryOp::create(builder, whole.getLoc(), whole, builder.getStringAttr(kTensorAxis),
                         builder.getI64IntegerAttr(ranks), ownRows ? builder.getUnitAttr() : UnitAttr());
      vary->setAttr(
          kRepeat,
          builder.getUnitAttr()); // the backward pass has the parameter, and need not keep the result
      varied = vary;
    }
    return varied;
  }

  const RowChoice &choice;
  int64_t ranks;
  bool ownRows;
  llvm::DenseMap<Value, Value> known;
};

class RowCutter {
public:
  RowCutter(Block &block, const RowChoice &choice, const RowBoundary &boundary, const RowBoundaries &called,
            int64_t ranks, bool keepInputs)
      : block(block), choice(choice), boundary(boundary), called(called), ranks(ranks),
        keepInputs(keepInputs), parameters(choice, ranks, /*ownRows=*/false), builder(block.getParentOp()) {}

  void run() {
    for (BlockArgument argument : block.getArguments())
      if (choice.isInRows(argument))
        cut(argument);
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    for (Operation *op : ops)
      rewrite(op);
  }

private:
  void rewrite(Operation *op) {
    if (auto sum = dyn_cast<AllReduceOp>(op); sum && choice.isInRows(sum.getResult()))
      return scatter(sum);
    if (auto vary = dyn_cast<VaryOp>(op); vary && inRows.contains(vary.getInput()))
      return gatherForParts(vary);
    if (auto way = choice.ops().find(op); way != choice.ops().end())
      return runOnRows(op, way->second);
    for (OpOperand &operand : op->getOpOperands()) {
      const bool asksForRows = takesRows(op, operand.getOperandNumber());
      if (asksForRows != inRows.contains(operand.get()))
        operand.set(asksForRows ? exchangeAt(op).own(operand.get()) : gathered(operand.get(), op));
    }
    for (Value result : op->getResults())
      if (choice.isInRows(result))
        cut(result);
  }

  /// Whether an op that does not run on rows takes this operand in rows: a call, by the boundary of its
  /// function, or the terminator of the block.
  bool takesRows(Operation *op, unsigned operand) const {
    if (op->hasTrait<OpTrait::IsTerminator>())
      return operand < boundary.results.size() && boundary.results[operand];
    auto call = dyn_cast<func::CallOp>(op);
    auto of = call ? called.find(calleeOf(call)) : called.end();
    return of != called.end() && of->second.arguments[operand];
  }

  void runOnRows(Operation *op, const SplitWay &way) {
    for (auto [i, form] : llvm::enumerate(way.reads))
      if (Value operand = op->getOperand(i); form.isSplit() && !inRows.contains(operand))
        op->setOperand(i, exchangeAt(op).own(operand));
    parameters.vary(op, way);
    if (auto dropout = dyn_cast<DropoutOp>(op)) // masks are drawn by the element's place in the whole tensor
      op->setAttr(kWithin, builder.getDenseI64ArrayAttr(inRows.lookup(dropout.getInput()).getShape()));
    for (Value result : op->getResults())
      cut(result);
  }

  void scatter(AllReduceOp sum) {
    Value rows = exchangeAt(sum).scatter(sum.getInput());
    inRows[rows] = typeOf(sum.getResult());
    sum.getResult().replaceAllUsesWith(rows);
    sum.erase();
  }

  void gatherForParts(VaryOp vary) {
    Value all = exchangeAt(vary).gatherForParts(vary.getInput(), inRows.lookup(vary.getInput()), keepInputs);
    vary.getResult().replaceAllUsesWith(all);
    vary.erase();
  }

  Value gathered(Value rows, Operation *reader) {
    return exchangeAt(reader).gather(rows, inRows.lookup(rows));
  }

  void cut(Value value) {
    inRows[value] = typeOf(value);
    value.setType(rowsType(typeOf(value), ranks));
  }

  RowExchange exchangeAt(Operation *op) {
    builder.setInsertionPoint(op);
    return {builder, op->getLoc(), ranks};
  }

  Block &block;
  const RowChoice &choice;
  const RowBoundary &boundary;
  const RowBoundaries &called;
  int64_t ranks;
  bool keepInputs;
  VariedParameters parameters;
  OpBuilder builder;
  llvm::DenseMap<Value, RankedTensorType>
      inRows; ///< values that were cut, with the types of their whole tensors
};

} // namespace

void cutRows(Block &block, const RowChoice &choice, const RowBoundary &boundary, const RowBoundaries &called,
             int64_t ranks, bool keepInputs) {
  RowCutter(block, choice, boundary, called, ranks, keepInputs).run();
}

void varyParameters(Block &block, const RowChoice &choice, int64_t ranks) {
  VariedParameters parameters(choice, ranks, /*ownRows=*/true);
  for (Operation &op : llvm::make_early_inc_range(block))
    if (auto way = choice.ops().find(&op); way != choice.ops().end())
      parameters.vary(&op, way->second);
}

} // namespace windlass::graph
