// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exchange ops: their rules and their adjoints.

#include "dialects/Graph/IR/GraphExchange.h"

#include "dialects/Graph/IR/GraphBuilders.h"

using namespace mlir;
using namespace windlass::graph;

#define GET_OP_CLASSES
#include "dialects/Graph/IR/GraphExchangeOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static LogicalResult verifyRanks(Operation *op, uint64_t ranks, Value input) {
  if (ranks < 1)
    return op->emitOpError("is between at least one rank, but ranks is ") << static_cast<int64_t>(ranks);
  if (!hasFloatElements(input) && isa<AllReduceOp, ReduceScatterOp>(op))
    return op->emitOpError("adds floats, but its input is ") << input.getType();
  return success();
}

/// Verifies that `many` has `ranks` times the rows of `few`.
static LogicalResult verifyRows(Operation *op, uint64_t ranks, Value few, Value many) {
  RankedTensorType part = typeOf(few), whole = typeOf(many);
  const bool areAlike = part.getElementType() == whole.getElementType() && part.getRank() >= 1 &&
                        part.getRank() == whole.getRank() &&
                        part.getShape().drop_front() == whole.getShape().drop_front();
  if (!areAlike || part.getDimSize(0) * static_cast<int64_t>(ranks) != whole.getDimSize(0))
    return op->emitOpError("joins the rows of ")
           << ranks << " ranks, but a rank's are " << part << " and all are " << whole;
  return success();
}

LogicalResult VaryOp::verify() { return verifyRanks(*this, getRanks(), getInput()); }
LogicalResult AllReduceOp::verify() { return verifyRanks(*this, getRanks(), getInput()); }

LogicalResult AllGatherOp::verify() {
  if (failed(verifyRanks(*this, getRanks(), getInput())))
    return failure();
  return verifyRows(*this, getRanks(), getInput(), getResult());
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyRanks(*this, getRanks(), getInput())))
    return failure();
  return verifyRows(*this, getRanks(), getResult(), getInput());
}

LogicalResult OwnPartOp::verify() {
  if (failed(verifyRanks(*this, getRanks(), getInput())))
    return failure();
  return verifyRows(*this, getRanks(), getResult(), getInput());
}

//===----------------------------------------------------------------------===//
// Adjoints
//===----------------------------------------------------------------------===//

/// The adjoint of an op with one operand and one result; no gradient if the result has none, or if none is
/// needed.
static LogicalResult buildOne(ValueRange resultGradients, ArrayRef<bool> needed,
                              SmallVectorImpl<Value> &operandGradients,
                              llvm::function_ref<Value(Value gradient)> build) {
  operandGradients.assign(1, Value());
  if (needed[0] && resultGradients[0])
    operandGradients[0] = build(resultGradients[0]);
  return success();
}

LogicalResult VaryOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                   SmallVectorImpl<Value> &operandGradients) {
  return buildOne(resultGradients, needed, operandGradients, [&](Value gradient) -> Value {
    return AllReduceOp::create(builder, getLoc(), gradient, getOverAttr(), getRanksAttr(), getOwnRowsAttr());
  });
}

LogicalResult AllReduceOp::buildAdjoint(OpBuilder &, ValueRange resultGradients, ArrayRef<bool> needed,
                                        SmallVectorImpl<Value> &operandGradients) {
  return buildOne(resultGradients, needed, operandGradients, [](Value gradient) { return gradient; });
}

LogicalResult AllGatherOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                        SmallVectorImpl<Value> &operandGradients) {
  return buildOne(resultGradients, needed, operandGradients, [&](Value gradient) -> Value {
    if (getVaried())
      return ReduceScatterOp::create(builder, getLoc(), getInput().getType(), gradient, getOverAttr(),
                                     getRanksAttr());
    return OwnPartOp::create(builder, getLoc(), getInput().getType(), gradient, getOverAttr(),
                             getRanksAttr());
  });
}

/// Gathers the gradient of a value of which each rank has its rows. The adjoint is not differentiated itself,
/// so the gather need not say whether its readers are parts.
static Value gatherGradient(OpBuilder &builder, Operation *op, Value gradient, StringAttr over,
                            IntegerAttr ranks) {
  return AllGatherOp::create(builder, op->getLoc(), op->getOperand(0).getType(), gradient, over, ranks,
                             UnitAttr());
}

LogicalResult ReduceScatterOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients,
                                            ArrayRef<bool> needed, SmallVectorImpl<Value> &operandGradients) {
  return buildOne(resultGradients, needed, operandGradients, [&](Value gradient) {
    return gatherGradient(builder, *this, gradient, getOverAttr(), getRanksAttr());
  });
}

LogicalResult OwnPartOp::buildAdjoint(OpBuilder &builder, ValueRange resultGradients, ArrayRef<bool> needed,
                                      SmallVectorImpl<Value> &operandGradients) {
  return buildOne(resultGradients, needed, operandGradients, [&](Value gradient) {
    return gatherGradient(builder, *this, gradient, getOverAttr(), getRanksAttr());
  });
}
