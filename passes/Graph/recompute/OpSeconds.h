// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OpSeconds.h - seconds of an op on a device ============================//
//
// Duty: seconds of an op on the device of one rank, by the machine's rates.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "model/InstructionTime.h"

namespace windlass::graph {

/// The shape and types of a product, on which the rate of the library's kernel depends.
model::Product productOf(MatmulOp matmul);
/// The seconds of an op, as the kernels that it becomes. If the op is a composite of more than one kernel,
/// its decomposition is built into the IR, beside the op.
double secondsOf(mlir::Operation *op, const model::Machine &machine);

} // namespace windlass::graph
