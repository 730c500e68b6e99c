// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphKernelCost.h - range, operations and bytes of a kernel ===========//
//
// Duty: the range, the operations and the bytes of a kernel, before any code is generated: they follow from
// its only graph op. Units: floating-point operations, bytes. Errors: diagnostics on the kernel's func.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>

namespace windlass::graph {

/// The cost of a launch over the whole range.
struct KernelCost {
  int64_t extent = 1; ///< indices of the range: extentOf
  double flops = 0;
  double bytes = 0; ///< read and written, each tensor once
};

/// The extent of the outermost parallel loop of an op that becomes one kernel; launches range over this loop.
/// 1 if there is none.
int64_t extentOf(mlir::Operation *op);

/// The only graph op of a kernel; an error if the op has no IterationSpaceOpInterface.
mlir::FailureOr<mlir::Operation *> computationOf(mlir::func::FuncOp kernel);

/// The cost of an op with IterationSpaceOpInterface, as one kernel.
KernelCost describeOp(mlir::Operation *op);
/// The cost of a kernel, without the bytes of tensors that stay on the chip (AttentionScores.h).
mlir::FailureOr<KernelCost> describeKernel(mlir::func::FuncOp kernel);
/// The bytes of the operands and results at these positions; results are counted after operands.
double bytesAt(mlir::Operation *op, llvm::ArrayRef<int64_t> positions);

} // namespace windlass::graph
