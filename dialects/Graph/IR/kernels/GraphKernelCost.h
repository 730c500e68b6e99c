// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphKernelCost.h - what a launch of a kernel computes and moves ====//
//
// Duty: the range, the operations and the bytes of a kernel, which follow from its
// one graph op before any code is generated.
// Errors: diagnostics on the kernel's func. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>

namespace windlass::graph {

/// What a launch over the whole range costs.
struct KernelCost {
  int64_t extent = 1; ///< extentOf
  double flops = 0;
  double bytes = 0; ///< read and written, each tensor once
};

/// Of the outermost parallel loop of an op that becomes one kernel, over which launches range; 1 if there is
/// none.
int64_t extentOf(mlir::Operation *op);

/// The op that a kernel is of; an error where it does not say its loops.
mlir::FailureOr<mlir::Operation *> computationOf(mlir::func::FuncOp kernel);

/// Of an op that says its loops and becomes one kernel.
KernelCost describeOp(mlir::Operation *op);
/// The same without what stays on the chip (AttentionScores.h).
mlir::FailureOr<KernelCost> describeKernel(mlir::func::FuncOp kernel);
/// What the operands and results at these positions, counted on, would have moved.
double bytesAt(mlir::Operation *op, llvm::ArrayRef<int64_t> positions);

} // namespace windlass::graph
