// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerToLlvm.h - loops of vectors become the LLVM dialect ==============//
//
// Duty: mathematics by polynomials, the conversions to the LLVM dialect, and for each
// kernel the exported symbol that unpacks its pointers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace windlass::codegen {

/// The functions of `math` that no processor computes become polynomials of those it does.
mlir::LogicalResult approximateMath(mlir::func::FuncOp function);

/// Functions on buffers become functions of the LLVM dialect on pointers; mathematics is approximated first.
mlir::LogicalResult convertToLlvm(mlir::ModuleOp module);

/// The same, and for each the exported symbol.
mlir::LogicalResult lowerToLlvm(mlir::ModuleOp module);

} // namespace windlass::codegen
