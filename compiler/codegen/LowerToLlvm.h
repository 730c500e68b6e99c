//===- LowerToLlvm.h - loops of vectors become the LLVM dialect ==============//
//
// Duty: mathematics by polynomials, the conversions to the LLVM dialect, and for each
// kernel the exported symbol that unpacks its pointers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace windlass::codegen {

mlir::LogicalResult lowerToLlvm(mlir::ModuleOp module);

} // namespace windlass::codegen
