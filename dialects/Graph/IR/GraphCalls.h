// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphCalls.h - calls of layer functions ===============================//
//
// Duty: looks up the function that a call names.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace windlass::graph {

/// The function that `call` calls; null if the module has none of this name.
inline mlir::func::FuncOp calleeOf(mlir::func::CallOp call) {
  return mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(call, call.getCalleeAttr());
}

} // namespace windlass::graph
