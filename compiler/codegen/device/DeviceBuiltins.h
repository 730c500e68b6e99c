// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceBuiltins.h - device code that is made of no graph op =============//
//
// Duty: functions for a GPU that stand beside those of kernels: the built-in ones of every plan
// (runtime/base/DeviceBuiltins.h), and products as the reference makes them.
// Threads: as the module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/device/DeviceGrid.h"
#include "dialects/Graph/IR/GraphDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace windlass::codegen {

/// Adds the built-in functions of a plan. Returns the threads of a block of each.
llvm::SmallVector<int64_t> emitBuiltins(mlir::ModuleOp into);

/// Adds a function of the kernel's name on A, B, C, scratch, and a range of dimension 0 of C: what the
/// kernel's matmul is by reference (runtime/kernels/ReferenceMatmul.h), to the bit. `onto` lies in C.
DeviceGrid emitReferenceMatmul(mlir::func::FuncOp kernel, graph::MatmulOp matmul, mlir::ModuleOp into);

} // namespace windlass::codegen
