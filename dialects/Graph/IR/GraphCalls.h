// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphCalls.h - calls of layer functions =============================//
//
// Duty: from a call to the layer function that it calls.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace windlass::graph {

/// Null where the module has no such function.
inline mlir::func::FuncOp calleeOf(mlir::func::CallOp call) {
  return mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(call, call.getCalleeAttr());
}

} // namespace windlass::graph
