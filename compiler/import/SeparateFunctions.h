// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SeparateFunctions.h - layer functions by parameter groups =============//
//
// Duty: makes all calls of a layer function pass parameters of the same groups: calls whose parameters are in
// other groups get a copy of the function. Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace windlass {

/// Copies are called "block.WORD1", "block.WORD2", ...
void separateFunctions(mlir::ModuleOp module, llvm::StringRef word);

} // namespace windlass
