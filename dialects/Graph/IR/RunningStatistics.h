// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RunningStatistics.h - what batch norms keep =========================//
//  Duty: what holds of running statistics in a step and in the layer functions it calls: they are states of
// the group "statistics", batch norms read them and nothing else does, and batch norms have no others. Batch
// norms that keep the same pair (a module that is called twice) keep it by one rule, so that its value
// follows from the number and order of their batches. And there is something to take statistics of: two
// elements of each channel in a micro-batch. Threads, ownership: as MLIR's. Errors: a diagnostic that names
// the state.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace windlass::graph {

bool isStatistic(StateOp state);
/// The state that a value is, in a step or, through its call, in a layer function; null if it is none.
StateOp stateBehind(mlir::Value value, mlir::func::CallOp call);

/// Checks the rules above in a step that is not differentiated yet.
mlir::LogicalResult verifyStatistics(StepOp step);

} // namespace windlass::graph
