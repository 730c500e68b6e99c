// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RunningStatistics.h - rules of batch norms' running statistics ========//
//
// Duty: verifies the running statistics of a step and of the layer functions that it calls:
// - Running statistics are states of the group "statistics". Only batch norms read them, and batch norms read
// no other running statistics.
// - Batch norms that share a pair of statistics (a module that is called twice) have the same momentum and
// the same kind of variance, so that the statistics follow from the number and order of batches.
// - A micro-batch has at least two elements of each channel.
// Threads, ownership: as MLIR's. Errors: a diagnostic that names the state.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace windlass::graph {

/// Whether a state is a running statistic.
bool isStatistic(StateOp state);
/// The state whose read `value` is. `call`: if `value` is an argument of a layer function, the call whose
/// operand is looked at instead. Null if `value` is no state.
StateOp stateBehind(mlir::Value value, mlir::func::CallOp call);

/// Checks the rules above in a step that is not differentiated yet.
mlir::LogicalResult verifyStatistics(StepOp step);

} // namespace windlass::graph
