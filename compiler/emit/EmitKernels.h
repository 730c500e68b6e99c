// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EmitKernels.h - kernel functions -> the plan's kernel table ===========//
//
// Duty: makes the kernel table of a plan: symbol, accesses, sizes and cost of each kernel.
// Threads, ownership: reads the module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

namespace windlass {

Result<plan::ElementType> elementType(mlir::Type type);

/// The kernel of a function with `dist.kernel`.
Result<plan::Kernel> emitKernel(mlir::func::FuncOp function);

} // namespace windlass
