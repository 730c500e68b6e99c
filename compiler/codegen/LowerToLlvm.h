// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerToLlvm.h - loops of vectors become the LLVM dialect ==============//
//
// Duty: approximates functions of `math` by polynomials, converts functions to the LLVM dialect, and adds for
// each kernel the exported symbol that unpacks its pointers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace windlass::codegen {

/// Replaces functions of `math` that processors have no instruction for by polynomials.
mlir::LogicalResult approximateMath(mlir::func::FuncOp function);

/// Approximates `math`, then converts functions on buffers to functions of the LLVM dialect on pointers.
mlir::LogicalResult convertToLlvm(mlir::ModuleOp module);

/// convertToLlvm(), and the exported symbol of each kernel.
mlir::LogicalResult lowerToLlvm(mlir::ModuleOp module);

} // namespace windlass::codegen
