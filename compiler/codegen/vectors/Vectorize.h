// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Vectorize.h - linalg.generic on buffers becomes loops of vectors ======//
//
// Duty: replaces every linalg.generic of a function by scf loops over vector and
// scalar operations, in one fixed order of evaluation that does not depend on the
// instruction set (docs/codegen.md, "Order of evaluation").
// Expects: memref operands, projected maps, and reductions over loops of static
// extent whose yielded value is a combiner with the output as its first operand.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/vectors/PieceSums.h"
#include "dialects/Graph/IR/kernels/GraphPartialSums.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace windlass::codegen {

/// Lanes of a vector, and of the accumulators of a reduction along its innermost loop.
inline constexpr int64_t kLanes = 16;
/// Columns that a reduction over outer loops carries at once: four cache lines of f32.
inline constexpr int64_t kColumns = 64;
using graph::kReductionBlock, graph::kTerms;

void vectorizeGenerics(mlir::func::FuncOp function);

/// The same for one phase of a function that only adds up one row. The function gets parameters for the sums
/// of the row's blocks, after the results. In the phase Pieces its range is one of blocks.
mlir::LogicalResult vectorizeRow(mlir::func::FuncOp function, SumPhase phase);

} // namespace windlass::codegen
