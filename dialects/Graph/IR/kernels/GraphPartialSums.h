// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphPartialSums.h - sums that are computed in two phases =============//
//
// Duty: the pieces of the sums of generated kernels (docs/numerics.md, "Inside a kernel"), and the choice of
// kernels that run in two phases. In one phase, a kernel with few results and many terms for each keeps few
// multiprocessors of a device busy, or few threads of a processor. In two phases, the first computes the sums
// of pieces in memory that the launch provides, and the second adds these up. The order of additions is the
// same, and so are all bits. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>

namespace windlass::graph {

/// The elements after which a sum along its innermost loop combines its lanes.
inline constexpr int64_t kReductionBlock = 4096;
/// The most terms that are added up in index order. A sum of more terms is a sum of sums of this many each.
inline constexpr int64_t kTerms = 64;

/// On a kernel that is launched in two phases: the bytes of its operands for partial sums, one per result.
/// These operands follow the results.
inline constexpr llvm::StringLiteral kPartials = "windlass.partials";

/// The value of `kPartials` for a kernel; empty for a kernel of one phase. Of two phases are sums of all
/// elements of a vector of more than kTerms blocks (kReductionBlock); and, if results are few, sums over more
/// than kPartedBlocks * kTerms rows: column by column, or of rows that are at most a block long.
llvm::SmallVector<int64_t> partialBytes(mlir::func::FuncOp kernel);

/// The number of pieces of a kernel with `kPartials` that adds up all elements of a vector; 0 for other
/// kernels.
int64_t rowPieces(mlir::func::FuncOp kernel);

/// The columns that a block of a device's threads adds up side by side, and the blocks of rows that it takes
/// at once.
inline constexpr int64_t kColumnsAtOnce = 32, kPartedBlocks = 16;

} // namespace windlass::graph
