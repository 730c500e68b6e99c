// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OpSeconds.h - how long an op takes ==================================//
//
// Duty: seconds of an op on the device of one rank, by the machine's rates.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "model/InstructionTime.h"

namespace windlass::graph {

/// That by which the library's rates differ.
model::Product productOf(MatmulOp matmul);
/// Of an op as the kernels that it becomes. A composite that is more than one kernel is decomposed in place
/// on the way, beside itself.
double secondsOf(mlir::Operation *op, const model::Machine &machine);

} // namespace windlass::graph
