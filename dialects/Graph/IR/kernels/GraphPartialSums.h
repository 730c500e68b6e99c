// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphPartialSums.h - which sums are made in two phases ==============//
//
// Duty: the pieces that sums of generated kernels are made of (docs/numerics.md, "Inside a kernel"), and
// which kernels make them in two phases: one that has few results and much to add up for each would keep few
// multiprocessors of a device busy, or few threads of a processor. The first phase makes the sums of pieces,
// in memory that a launch brings along, and the second adds them up. It changes no order, and so no bit.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>

namespace windlass::graph {

/// A sum along its innermost loop combines its lanes after so many elements.
inline constexpr int64_t kReductionBlock = 4096;
/// Terms of a sum that are added up in index order; of more, the sums of so many each are the terms of a sum.
inline constexpr int64_t kTerms = 64;

/// On a kernel that is launched in two phases: bytes of the operands for partial sums behind its results, one
/// for each.
inline constexpr llvm::StringLiteral kPartials = "windlass.partials";

/// What `kPartials` says of a kernel; empty for one that a single launch makes. In two phases are: sums of
/// all elements of a tensor in a row, of more than kTerms blocks; and sums of columns, or of rows of no more
/// than a block, of more than kPartedBlocks times kTerms rows each, where the results are few.
llvm::SmallVector<int64_t> partialBytes(mlir::func::FuncOp kernel);

/// Of a kernel with `kPartials` that adds up all elements of a tensor in a row: its pieces; of others 0.
int64_t rowPieces(mlir::func::FuncOp kernel);

/// Columns that a block of a device's threads adds up side by side, and blocks of rows that it takes at once.
inline constexpr int64_t kColumnsAtOnce = 32, kPartedBlocks = 16;

} // namespace windlass::graph
