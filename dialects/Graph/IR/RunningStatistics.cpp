// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Graph/IR/RunningStatistics.h"

#include "dialects/Graph/IR/ParameterGroups.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace windlass::graph {

bool isStatistic(StateOp state) {
  return state.getRole() == Role::Parameter && state.getGroup() == kStatisticsGroup;
}

StateOp stateBehind(Value value, func::CallOp call) {
  if (auto argument = dyn_cast<BlockArgument>(value); argument && call)
    value = call.getOperand(argument.getArgNumber());
  auto read = value.getDefiningOp<ReadOp>();
  return read ? SymbolTable::lookupNearestSymbolFrom<StateOp>(read, read.getStateAttr()) : StateOp();
}

namespace {

func::FuncOp calleeOf(func::CallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
}

/// The rule by which a batch norm updates a statistic.
struct Keeping {
  unsigned operand = 0; ///< number of the operand: the mean's or the variance's
  StateOp mean, variance;
  double momentum = 0;
  bool isUnbiased = false;

  bool operator==(const Keeping &) const = default;
};

/// Verifies all reads of states in a step and in the functions that it calls.
class StatisticsVerifier {
public:
  explicit StatisticsVerifier(StepOp step) : step(step) {}

  LogicalResult run() {
    for (Operation &op : step.getBody().front()) {
      auto call = dyn_cast<func::CallOp>(op);
      if (failed(call ? verifyCall(call) : verifyOperands(op.getOpOperands(), nullptr)))
        return failure();
    }
    return success();
  }

private:
  LogicalResult verifyCall(func::CallOp call) {
    func::FuncOp function = calleeOf(call);
    if (!function || function.isExternal())
      return success();
    for (Operation &op : function.front())
      if (failed(verifyOperands(op.getOpOperands(), call)))
        return failure();
    return success();
  }

  /// `call`: the call whose callee has the operands; null for operands of the step itself.
  LogicalResult verifyOperands(MutableArrayRef<OpOperand> operands, func::CallOp call) {
    for (OpOperand &operand : operands) {
      StateOp state = stateBehind(operand.get(), call);
      const bool isRead = state && isStatistic(state);
      if (isRead != BatchNormOp::isRunning(operand))
        return isRead  ? refuse(state)
               : state ? state.emitError("\"")
                             << state.getSymName()
                             << "\" is a running statistic of a batch norm that trains, and must be nothing "
                                "else: batch norms alone read it, and a graph JSON says \"group\": \""
                             << kStatisticsGroup << "\""
                       : operand.getOwner()->emitOpError("has running statistics that are no states");
      if (!isRead)
        continue;
      auto norm = cast<BatchNormOp>(operand.getOwner());
      const Keeping keeping = {operand.getOperandNumber(), stateBehind(norm.getMean(), call),
                               stateBehind(norm.getVariance(), call), norm.getMomentum().convertToDouble(),
                               norm.getUnbiased()};
      if (seen.try_emplace(state.getSymName(), keeping).first->second != keeping)
        return state.emitError("\"")
               << state.getSymName()
               << "\" is kept twice, by batch norms that must have the same pair of running "
                  "statistics, the same momentum and the same variance";
      if (norm.getCount() < 2)
        return state.emitError("\"")
               << state.getSymName()
               << "\" is kept by a batch norm that sees one element of each channel in a "
                  "micro-batch; training needs two or more";
    }
    return success();
  }

  LogicalResult refuse(StateOp state) {
    return state.emitError("\"") << state.getSymName()
                                 << "\" is a running statistic, which batch norms read and nothing else";
  }

  StepOp step;
  llvm::StringMap<Keeping> seen;
};

} // namespace

LogicalResult verifyStatistics(StepOp step) { return StatisticsVerifier(step).run(); }

} // namespace windlass::graph
