// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PieceSums.h - a kernel's sums in two functions =======================//
//
// Duty: what the two functions share that make a kernel's sums one after the other (docs/codegen.md, "Two
// phases"): the first makes the sums of pieces, which many threads do at once, the second adds them up.
// It changes no order, and so no bit.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace windlass::codegen {

/// What a function makes of its kernel's sums: all of them, or in two launches first the sums of pieces,
/// which are blocks of one row's elements or of the rows of each result, and then what these add up to.
enum class SumPhase { Whole, Pieces, Total };

/// Where the sums of pieces lie between the two: behind the kernel's results.
struct PieceSums {
  SumPhase phase = SumPhase::Whole;
  int64_t count = 1;
  llvm::SmallVector<mlir::Value> buffers = {}; ///< for each output: by a piece's number, then a result's

  /// Gives a function the buffers of `count` pieces of a reduction for each of so many results, before its
  /// range.
  mlir::LogicalResult addBuffers(mlir::func::FuncOp function, mlir::linalg::GenericOp reduction,
                                 int64_t results);
  void store(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange sums, mlir::Value piece,
             mlir::Value result) const;
  llvm::SmallVector<mlir::Value> load(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value piece,
                                      mlir::Value result) const;
};

} // namespace windlass::codegen
