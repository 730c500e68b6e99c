// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceBuiltins.h - device functions that are no kernels' ==============//
//
// Duty: builds device functions beside those of kernels: the built-in functions of every plan
// (runtime/base/DeviceBuiltins.h), and products in the order of the reference. Threads: as the module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/device/DeviceGrid.h"
#include "dialects/Graph/IR/GraphDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace windlass::codegen {

/// Adds the built-in functions of a plan. Returns the threads of a block of each.
llvm::SmallVector<int64_t> emitBuiltins(mlir::ModuleOp into);

/// Adds a function with the kernel's name on A, B, C, scratch, and a range of dimension 0 of C. Its results
/// have the bits of the reference (runtime/kernels/ReferenceMatmul.h). `onto` must be in C.
DeviceGrid emitReferenceMatmul(mlir::func::FuncOp kernel, graph::MatmulOp matmul, mlir::ModuleOp into);

} // namespace windlass::codegen
