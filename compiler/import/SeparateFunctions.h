// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SeparateFunctions.h - functions of layers that train otherwise ======//
//
// Duty: layers that are one function have their parameters in the same groups: calls whose parameters are in
// other groups get a copy of it.
// Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace windlass {

/// Copies are called "block.WORD1", "block.WORD2", ...
void separateFunctions(mlir::ModuleOp module, llvm::StringRef word);

} // namespace windlass
